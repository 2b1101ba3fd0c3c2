//! Pages whose lines earlier pages may have: the writer decides, because it sees the pages in order.
use crate::columns::Extra;
use crate::lines::{RemovableLine, SeenLines, lines_of};
use crate::output::{Log, log};
use maintext_core::Page;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::ops::Range;
use std::path::Path;

/// A page with the values from which its row can be rewritten if some of its lines are repeated.
pub(crate) struct Draft {
    lines: Vec<RemovableLine>,
    pub(super) id: String,
    pub(super) page: Page,
    pub(super) extra: Extra,
}

impl Draft {
    /// Keeps a page with its lines of at least `shortest` letters and digits. `None` if it has none.
    pub(super) fn new(id: &str, page: &Page, extra: &Extra, shortest: usize) -> Option<Box<Draft>> {
        let lines = lines_of(page.text(), shortest);
        (!lines.is_empty())
            .then(|| Box::new(Draft { lines, id: id.to_owned(), page: page.clone(), extra: extra.clone() }))
    }
}

/// The lines seen so far, and the file that keeps their keys for a resumed run.
pub(super) struct Repeated {
    seen: SeenLines,
    pub(super) log: Option<Log>,
}

impl Repeated {
    /// Starts without lines and without a file.
    pub(super) fn new() -> Repeated {
        Repeated { seen: SeenLines::default(), log: None }
    }

    /// Reads the first `bytes` of the file of an interrupted run and continues it.
    pub(super) fn resume(path: &Path, bytes: u64) -> io::Result<Repeated> {
        let mut seen = SeenLines::default();
        if bytes > 0 {
            let mut file = BufReader::new(File::open(path)?);
            let mut key = [0; 8];
            for _ in 0..bytes / 8 {
                file.read_exact(&mut key)?;
                seen.add(u64::from_le_bytes(key));
            }
        }
        Ok(Repeated { seen, log: Some(log(path, bytes)?) })
    }

    /// Returns the parts of a page's text that earlier pages have, and remembers the others.
    pub(super) fn lines_of(&mut self, draft: &Draft) -> io::Result<Vec<Range<usize>>> {
        let mut keys = Vec::new();
        let repeated = self.seen.repeated(&draft.lines, |key| keys.extend_from_slice(&key.to_le_bytes()));
        self.log.as_mut().map_or(Ok(()), |log| log.write_all(&keys))?;
        Ok(repeated)
    }
}
