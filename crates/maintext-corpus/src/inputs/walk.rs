//! The HTML files of a folder and its subfolders, in the order of their names. Only the folders on the current path are in memory.
use std::fs;
use std::path::PathBuf;

/// Largest depth of nested folders; it also ends circular links.
const MAX_DEPTH: usize = 64;

/// Iterates over files. The id of a file is its path below the folder, with `/` on all systems.
pub(super) struct Walk {
    /// The open folders, outermost first, each with its remaining entries in reverse order.
    open: Vec<Vec<Entry>>,
}

struct Entry {
    path: PathBuf,
    id: String,
    is_folder: bool,
}

impl Walk {
    pub(super) fn new(folder: PathBuf) -> Walk {
        Walk { open: vec![vec![Entry { path: folder, id: String::new(), is_folder: true }]] }
    }
}

impl Iterator for Walk {
    /// Path and id of a file, or the id and message of an entry that cannot be read.
    type Item = Result<(PathBuf, String), (String, String)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(entry) = self.open.last_mut()?.pop() else {
                self.open.pop();
                continue;
            };
            if !entry.is_folder {
                return Some(Ok((entry.path, entry.id)));
            }
            if self.open.len() > MAX_DEPTH {
                return Some(Err((entry.id, format!("{}: more than {MAX_DEPTH} folders deep", entry.path.display()))));
            }
            match entries(&entry) {
                Ok(entries) => self.open.push(entries),
                Err(error) => return Some(Err((entry.id, format!("{}: {error}", entry.path.display())))),
            }
        }
    }
}

fn entries(folder: &Entry) -> std::io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(&folder.path)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let kind = entry.file_type()?;
        // A link counts as its target; a broken link is skipped.
        let is_folder = kind.is_dir() || (kind.is_symlink() && path.is_dir());
        if name.starts_with('.') || !(is_folder || is_page(&name)) {
            continue;
        }
        let id = if folder.id.is_empty() { name } else { format!("{}/{name}", folder.id) };
        entries.push(Entry { path, id, is_folder });
    }
    entries.sort_unstable_by(|a, b| b.id.cmp(&a.id));
    Ok(entries)
}

fn is_page(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.trim_end_matches(".gz").trim_end_matches(".zst");
    [".html", ".htm", ".xhtml", ".xht", ".shtml"].iter().any(|end| name.ends_with(end))
}
