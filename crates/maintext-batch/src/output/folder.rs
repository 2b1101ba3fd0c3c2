//! One file per page and an index of them in `index.jsonl`.
use super::names::Paths;
use super::{Body, Compression, Encoded, LineWriter, Progressed, Sink};
use maintext_util::atomic::sync_folder;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Number of files in a folder; folders with more are slow to list.
const FILES: u64 = 1000;
/// Longest part of a file name that is taken from the page's address or id.
const MAX_SLUG_BYTES: usize = 80;

/// How files are named.
enum FileNames {
    /// By the number of the page, a thousand files per folder. The pages of a batch may have any address, and one several times.
    Numbers,
    /// By the addresses of the pages.
    Paths(Paths),
}

pub(crate) struct FolderWriter {
    path: PathBuf,
    extension: &'static str,
    names: FileNames,
    index: LineWriter,
    /// Number of the next page.
    rows: u64,
    /// Files written since the last sync, on systems where each file is synced separately.
    unsynced: Vec<PathBuf>,
}

impl FolderWriter {
    /// Resumes writing to a folder that held `before` pages when the run began. The index stays in a separate file until the run is
    /// finished.
    pub(crate) fn resume(path: &Path, index: &Path, body: Body, from: &Progressed) -> io::Result<FolderWriter> {
        fs::create_dir_all(path)?;
        let lines = LineWriter::resume(index, Compression::Plain, from)?;
        let rows = from.rows;
        let names = FileNames::Numbers;
        Ok(FolderWriter {
            path: path.to_owned(),
            extension: extension(body),
            names,
            index: lines,
            rows,
            unsynced: Vec::new(),
        })
    }

    /// Writes a new folder, in which the paths of files follow the addresses of the pages.
    pub(crate) fn of_site(path: &Path, index: &Path, body: Body) -> io::Result<FolderWriter> {
        let folder = FolderWriter::resume(path, index, body, &Progressed::default())?;
        Ok(FolderWriter { names: FileNames::Paths(Paths::default()), ..folder })
    }

    /// Returns the path of the next page's file, with slashes, and creates its folder.
    fn next(&mut self, name: &str) -> io::Result<String> {
        match &mut self.names {
            FileNames::Numbers => {
                let folder = format!("{:05}", self.rows / FILES);
                if self.rows.is_multiple_of(FILES) || self.unsynced.is_empty() {
                    fs::create_dir_all(self.path.join(&folder))?;
                }
                Ok(format!("{folder}/{:08}-{}.{}", self.rows, slug(name), self.extension))
            }
            FileNames::Paths(paths) => {
                let file = paths.path(name, self.extension);
                if let Some(folder) = self.path.join(&file).parent() {
                    fs::create_dir_all(folder).map_err(|e| at(folder, &e))?;
                }
                Ok(file)
            }
        }
    }

    fn sync_files(&mut self) -> io::Result<()> {
        let unsynced = std::mem::take(&mut self.unsynced);
        #[cfg(target_os = "linux")]
        if !unsynced.is_empty() {
            // One call syncs all of them.
            return Ok(rustix::fs::syncfs(File::open(&self.path)?)?);
        }
        for path in &unsynced {
            File::open(path)?.sync_all()?;
        }
        Ok(())
    }
}

impl Sink for FolderWriter {
    fn write(&mut self, mut row: Encoded) -> io::Result<()> {
        if let Some((body, name)) = row.file.take() {
            let name = self.next(&name)?;
            let path = self.path.join(&name);
            let mut file = File::create(&path).map_err(|e| at(&path, &e))?;
            file.write_all(body.as_bytes())?;
            self.unsynced.push(path);
            add_key(&mut row.line, "file", Some(&name));
        } else {
            add_key(&mut row.line, "file", None);
        }
        self.rows += 1;
        self.index.write(row)
    }

    fn at_boundary(&self) -> bool {
        true
    }

    fn sync(&mut self) -> io::Result<Progressed> {
        self.sync_files()?;
        self.index.sync()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.sync_files()?;
        self.index.finish()?;
        sync_folder(&self.path)
    }
}

/// Whether a file has a name by number: `00000/00000012-example.org_a.md`.
pub(crate) fn is_numbered(folder: &str, file: &str) -> bool {
    let ends = [Body::Text, Body::Markdown].map(extension);
    let number = file.split_once('-').map_or("", |(number, _)| number);
    is_number(folder)
        && number.len() >= 8
        && number.parse().is_ok_and(|number: u64| format!("{:05}", number / FILES) == folder)
        && file.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end))
}

/// Whether a folder has the name of one for a thousand pages.
pub(crate) fn is_number(folder: &str) -> bool {
    folder.len() >= 5 && folder.bytes().all(|b| b.is_ascii_digit())
}

fn extension(body: Body) -> &'static str {
    match body {
        Body::Text => "txt",
        Body::Markdown => "md",
    }
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Adds a key at the end of the object on a line.
fn add_key(line: &mut Vec<u8>, key: &str, value: Option<&str>) {
    if line.ends_with(b"}\n") {
        line.truncate(line.len() - 2);
        let value = serde_json::Value::from(value);
        line.extend_from_slice(format!("{}\"{key}\":{value}}}\n", if line == b"{" { "" } else { "," }).as_bytes());
    }
}

/// Returns a part of a file name that identifies the page and is safe on all systems.
fn slug(name: &str) -> String {
    let name = name.split_once("://").map_or(name, |(_, rest)| rest);
    let mut slug = String::new();
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
        if slug.len() >= MAX_SLUG_BYTES {
            break;
        }
        if c != '_' || !slug.ends_with('_') {
            slug.push(c);
        }
    }
    let slug = slug.trim_matches(['_', '.']);
    if slug.is_empty() { "page".into() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        assert_eq!(slug("https://example.org/a/b?c=1"), "example.org_a_b_c_1");
        assert_eq!(slug("../../etc/passwd"), "etc_passwd");
        assert_eq!(slug("урл"), "page");
        assert!(slug(&"x/".repeat(500)).len() <= MAX_SLUG_BYTES);
    }

    #[test]
    fn a_key_is_added_at_the_end() {
        let mut line = b"{\"a\":1}\n".to_vec();
        add_key(&mut line, "file", Some("x\"y"));
        assert_eq!(line, b"{\"a\":1,\"file\":\"x\\\"y\"}\n");
        let mut line = b"{}\n".to_vec();
        add_key(&mut line, "file", None);
        assert_eq!(line, b"{\"file\":null}\n");
    }
}
