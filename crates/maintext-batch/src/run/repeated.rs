//! Pages whose lines earlier pages may have: the writer decides, because it sees the pages in order.
use super::books::{Log, log};
use super::{Books, Failure, Maker};
use crate::lines::{Line, SeenLines, lines_of, without};
use crate::output::Encoded;
use crate::steps::Extra;
use maintext_core::Page;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

/// A page with the values from which its row can be written anew, should some of its lines be repeated.
pub(crate) struct Draft {
    lines: Vec<Line>,
    id: String,
    page: Page,
    extra: Extra,
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
}

impl Books {
    /// Writes the row of a page that is no duplicate, without the lines that earlier pages have. A page of which nothing is left counts as a
    /// duplicate.
    pub(super) fn write_new(
        &mut self,
        row: Encoded,
        draft: Option<Box<Draft>>,
        maker: &Maker<'_>,
    ) -> Result<(), Failure> {
        let (Some(repeated), Some(mut draft)) = (&mut self.repeated, draft) else { return self.write_row(row) };
        let mut keys = Vec::new();
        let removed = repeated.seen.repeated(&draft.lines, |key| keys.extend_from_slice(&key.to_le_bytes()));
        let written = repeated.log.as_mut().map_or(Ok(()), |log| log.write_all(&keys));
        written.map_err(|e| self.failed(e))?;
        if removed.is_empty() {
            return self.write_row(row);
        }
        let text = draft.page.text.take().unwrap_or_default();
        let characters: usize =
            removed.iter().filter_map(|part| text.get(part.clone())).map(|t| t.chars().count()).sum();
        let totals = &mut self.checkpoint.totals;
        totals.lines_removed += removed.len() as u64;
        totals.characters_removed += characters as u64;
        let text = without(&text, &removed);
        if text.trim().is_empty() {
            totals.duplicates += 1;
            return Ok(());
        }
        draft.page.text = Some(text);
        maker.measure(&draft.page, &mut draft.extra);
        self.write_row(maker.encoder.row(Some(&draft.id), &mut draft.page, None, &draft.extra))
    }
}
