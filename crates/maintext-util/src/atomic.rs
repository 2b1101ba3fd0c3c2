//! Atomic writes: a file appears complete or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a temporary file next to `path` and renames it once `write` has succeeded and the bytes are on disk. Readers see either
/// the old file or the complete new one. After an error, or a panic in `write`, the old file is unchanged and the temporary file is
/// deleted. Only a killed process leaves its temporary file (`.NAME.….tmp`) behind.
///
/// An existing file keeps its permissions. A symbolic link stays a link, and its target is replaced. Special files (`/dev/stdout`, a
/// pipe) are written directly.
///
/// # Errors
///
/// Returns the error of `write` or of the file system; both name the path.
///
/// ```
/// use std::io::Write;
/// let path = std::env::temp_dir().join("maintext-atomic-example.txt");
/// maintext_util::atomic::write_atomic(&path, |file| writeln!(file, "whole"))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "whole\n");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_atomic<T>(path: impl AsRef<Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let path = path.as_ref();
    write_beside(path, write).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn write_beside<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
    let old = match fs::metadata(path) {
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(old) = &old
        && !old.is_file()
    {
        let mut file = BufWriter::new(OpenOptions::new().write(true).open(path)?);
        let result = write(&mut file)?;
        file.flush()?;
        return Ok(result);
    }
    let path = match old {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_path_buf(),
    };
    let (temporary, file) = Temporary::beside(&path)?;
    let mut file = BufWriter::new(file);
    let result = write(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    drop(file);
    temporary.rename(&path)?;
    Ok(result)
}

/// A file that is deleted when dropped unless it was renamed.
struct Temporary {
    path: Option<PathBuf>,
}

impl Temporary {
    fn beside(path: &Path) -> io::Result<(Self, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name =
            path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"))?;
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{count}.tmp", std::process::id()));
            let path = path.with_file_name(hidden);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((Self { path: Some(path) }, file)),
                // A killed process with the same id left this file behind.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn rename(mut self, to: &Path) -> io::Result<()> {
        if let Some(path) = &self.path {
            fs::rename(path, to)?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing can be done about a file that cannot be deleted.
            let _ = fs::remove_file(path);
        }
    }
}

/// Makes the names of new files in a folder durable.
///
/// # Errors
/// The folder cannot be opened or synchronised.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match fs::File::open(folder) {
        Ok(folder) => folder.sync_all(),
        // Windows does not open folders, and does not need this.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && cfg!(windows) => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A separate folder for each test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("maintext-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_new_file_is_complete_and_leaves_no_temporary_file() {
        let folder = Folder::new("atomic-new");
        let path = folder.0.join("a.txt");
        let count = write_atomic(&path, |file| file.write_all(b"new").map(|()| 3)).unwrap();
        assert_eq!((count, fs::read(&path).unwrap().as_slice()), (3, b"new".as_slice()));
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file_and_leaves_no_temporary_file() {
        let folder = Folder::new("atomic-failed");
        let path = folder.0.join("a.txt");
        fs::write(&path, "old").unwrap();
        let error = write_atomic(&path, |file| {
            file.write_all(&[b'x'; 100_000])?;
            Err::<(), _>(io::Error::other("disk on fire"))
        })
        .unwrap_err();
        assert!(error.to_string().contains("a.txt: disk on fire"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn a_panic_while_writing_leaves_no_temporary_file() {
        let folder = Folder::new("atomic-panic");
        let path = folder.0.join("a.txt");
        let result = std::panic::catch_unwind(|| write_atomic(&path, |_| -> io::Result<()> { panic!("in the test") }));
        assert!(result.is_err());
        assert!(folder.names().is_empty());
    }

    #[test]
    fn errors_name_the_path_of_a_missing_folder_or_a_folder_instead_of_a_file() {
        let folder = Folder::new("atomic-missing");
        for path in [folder.0.join("none/a.txt"), folder.0.clone()] {
            let error = write_atomic(&path, |_| Ok(())).unwrap_err().to_string();
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("atomic-links");
        let (target, link) = (folder.0.join("target"), folder.0.join("link"));
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&target, &link).unwrap();
        write_atomic(&link, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write_atomic("/dev/null", |file| file.write_all(b"x")).unwrap();
    }
}
