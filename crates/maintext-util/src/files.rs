//! Identity of files: several paths may lead to one file.
use std::fs;
use std::path::Path;

/// Identifies a regular file independently of the path that leads to it.
///
/// On Unix, links of both kinds lead to the same identity. Elsewhere, a second name of the same file (a hard link) counts as another file.
///
/// ```
/// use maintext_util::files::Identity;
/// let folder = std::env::temp_dir();
/// let path = folder.join("maintext-files-example.txt");
/// std::fs::write(&path, "text")?;
/// assert_eq!(Identity::of(&path), Identity::of(&folder.join(".").join("maintext-files-example.txt")));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] std::path::PathBuf);

impl Identity {
    /// Returns the identity of the regular file at a path. Devices, pipes and missing files have none, because writing to them replaces
    /// nothing.
    #[must_use]
    pub fn of(path: &Path) -> Option<Identity> {
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(Identity((metadata.dev(), metadata.ino())))
        }
        #[cfg(not(unix))]
        {
            drop(metadata);
            fs::canonicalize(path).ok().map(Identity)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_of_both_kinds_lead_to_the_same_file() {
        let folder = std::env::temp_dir().join(format!("maintext-files-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        for name in ["file", "other"] {
            fs::write(path(name), "text").unwrap();
        }
        fs::hard_link(path("file"), path("hard")).unwrap();
        std::os::unix::fs::symlink(path("file"), path("soft")).unwrap();
        let of = |name: &str| Identity::of(&path(name));
        assert!(of("file").is_some() && of("file") == of("hard") && of("soft") == of("hard"));
        assert_ne!(of("file"), of("other"));
        assert_eq!((of("missing"), Identity::of("/dev/null".as_ref())), (None, None));
        fs::remove_dir_all(&folder).unwrap();
    }
}
