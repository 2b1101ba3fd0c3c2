//! The pages of a folder and its subfolders, in the order of their names. Only the folders on the current path are in memory.
use maintext_formats::Format;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest depth of nested folders.
const MAX_DEPTH: usize = 64;

/// Iterates over files. The id of a file is its path below the folder, after the name of the folder if there is one, with `/` on all systems.
/// Each folder is read once, however many links lead to it: a link into the folder itself is not followed, and one to a folder outside of it only
/// the first time.
pub(super) struct FolderWalk {
    /// The folder without links in its path.
    root: Option<PathBuf>,
    /// The folders outside of it that were read, without links in their paths.
    outside: HashSet<PathBuf>,
    /// The outputs of the run, as absolute paths without links.
    outputs: Vec<PathBuf>,
    /// The open folders, outermost first, each with its remaining entries in reverse order.
    open: Vec<Vec<FolderEntry>>,
}

struct FolderEntry {
    path: PathBuf,
    id: String,
    kind: EntryKind,
}

enum EntryKind {
    Folder,
    Page,
    /// Not a page, for this reason.
    Other(String),
}

/// A file of the folder.
pub(super) enum FoundFile {
    Page { path: PathBuf, id: String },
    Skipped { id: String, reason: String },
}

impl FolderWalk {
    /// Iterates over a folder without the files and folders in `outputs`. `name` begins the ids; it is empty if they begin below the folder.
    pub(super) fn new(folder: PathBuf, name: String, outputs: Vec<PathBuf>) -> FolderWalk {
        let root = fs::canonicalize(&folder).ok();
        let open = vec![vec![FolderEntry { path: folder, id: name, kind: EntryKind::Folder }]];
        FolderWalk { root, outside: HashSet::new(), outputs, open }
    }
}

impl Iterator for FolderWalk {
    /// A file, or the id and message of an entry that cannot be read.
    type Item = Result<FoundFile, (String, String)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(entry) = self.open.last_mut()?.pop() else {
                self.open.pop();
                continue;
            };
            match entry.kind {
                EntryKind::Folder => {}
                EntryKind::Page => return Some(Ok(FoundFile::Page { path: entry.path, id: entry.id })),
                EntryKind::Other(reason) => return Some(Ok(FoundFile::Skipped { id: entry.id, reason })),
            }
            if self.open.len() > MAX_DEPTH {
                return Some(Err((entry.id, format!("{}: more than {MAX_DEPTH} folders deep", entry.path.display()))));
            }
            match self.entries(&entry) {
                Ok(entries) => self.open.push(entries),
                Err(error) => return Some(Err((entry.id, format!("{}: {error}", entry.path.display())))),
            }
        }
    }
}

impl FolderWalk {
    /// Whether the walk reads the folder behind a link by another path: below the folder itself, or by an earlier link.
    fn reads_already(&mut self, link: &Path) -> bool {
        let Ok(target) = fs::canonicalize(link) else { return false };
        self.root.as_ref().is_some_and(|root| target.starts_with(root) || root.starts_with(&target))
            || self.outside.iter().any(|folder| target.starts_with(folder))
            || !self.outside.insert(target.clone())
    }

    /// Returns the entries of a folder in reverse order. Hidden files are not entries.
    fn entries(&mut self, folder: &FolderEntry) -> std::io::Result<Vec<FolderEntry>> {
        let mut entries = Vec::new();
        // In the order of names, so that the first of several links to a folder is the same on all systems.
        let mut files = fs::read_dir(&folder.path)?.collect::<Result<Vec<_>, _>>()?;
        files.sort_by_cached_key(|file| text_of(&file.file_name()));
        for entry in files {
            let name = text_of(&entry.file_name());
            let path = entry.path();
            if name.starts_with('.') || self.is_output(&path) {
                continue;
            }
            // A link counts as its target.
            let kind = match fs::metadata(&path) {
                Ok(target) if target.is_dir() => {
                    let read = entry.file_type()?.is_symlink() && self.reads_already(&path);
                    if read {
                        EntryKind::Other("link to a folder that is read already".into())
                    } else {
                        EntryKind::Folder
                    }
                }
                Ok(target) if !target.is_file() => EntryKind::Other("neither file nor folder".into()),
                Ok(_) => skipped(&name).map_or(EntryKind::Page, EntryKind::Other),
                Err(_) if entry.file_type()?.is_symlink() => EntryKind::Other("broken link".into()),
                Err(error) => return Err(error),
            };
            let id = if folder.id.is_empty() { name } else { format!("{}/{name}", folder.id) };
            entries.push(FolderEntry { path, id, kind });
        }
        entries.reverse();
        skip_companions(&mut entries);
        Ok(entries)
    }

    fn is_output(&self, path: &Path) -> bool {
        self.outputs.iter().any(|output| {
            output.file_name() == path.file_name() && fs::canonicalize(path).is_ok_and(|path| path == *output)
        })
    }
}

/// Returns a name as text, with bytes that are not UTF-8 as `\xff`, so that different names stay different.
fn text_of(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        chunk.invalid().iter().for_each(|byte| text += &format!("\\x{byte:02x}"));
    }
    text
}

/// Skips folders with the images and frames of a saved page, such as `walk_files` next to `walk.html`.
fn skip_companions(entries: &mut [FolderEntry]) {
    let pages = entries.iter().filter(|e| matches!(e.kind, EntryKind::Page));
    let stems: HashSet<String> = pages.filter_map(|e| Some(e.id.rsplit_once('.')?.0.to_owned())).collect();
    for entry in entries.iter_mut().filter(|e| matches!(e.kind, EntryKind::Folder)) {
        if maintext_formats::companion_of(&entry.id).is_some_and(|stem| stems.contains(stem)) {
            entry.kind = EntryKind::Other("files of a saved page".into());
        }
    }
}

/// Returns the reason why a file of this name is not a page; `None` if it is a page.
pub(super) fn skipped(name: &str) -> Option<String> {
    // Archives of many pages are inputs of their own.
    if maintext_formats::by_name(name).is_some_and(|format| !matches!(format, Format::Warc | Format::Wacz)) {
        return None;
    }
    Some(match name.to_ascii_lowercase().rsplit_once('.') {
        Some((_, extension)) if !extension.is_empty() && extension.len() <= 8 => format!("file type .{extension}"),
        _ => "no file type".into(),
    })
}
