//! What becomes of an item on the thread that extracts it: it is read, fetched, parsed and decoded.
use super::{Item, Loaded, Place, RawPage, UnreadItem, archives, parts};
use crate::pages;
use maintext_fetch::Fetcher;
use maintext_formats::Hint;
use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

impl Item {
    /// Returns the number of bytes that the item holds in memory.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.raw {
            UnreadItem::Line(line) => line.len(),
            UnreadItem::Record { record, .. } => record.block.len(),
            UnreadItem::Row(row) => row.bytes.len(),
            UnreadItem::Bytes(bytes) => bytes.len(),
            UnreadItem::Part(page) => page.bytes.len(),
            UnreadItem::Unreachable { .. } => 0,
            UnreadItem::File { .. }
            | UnreadItem::Address(_)
            | UnreadItem::Skipped { .. }
            | UnreadItem::Failed { .. } => 0,
        }
    }

    /// Returns the id, the address and the number in its file of a page that has not been read yet, if they are known.
    #[must_use]
    pub fn names(&self) -> (Option<String>, Option<String>, Option<Place>) {
        match &self.raw {
            UnreadItem::Line(line) => (None, None, Some(("line", line.number))),
            UnreadItem::Row(row) => (row.id.clone(), row.url.clone(), Some(("row", row.line))),
            UnreadItem::Record { record, .. } => {
                (record.id.clone(), record.url.clone(), Some(("record", record.number)))
            }
            UnreadItem::Part(page) => (Some(page.id.clone()), page.url.clone(), None),
            UnreadItem::File { id, .. } | UnreadItem::Skipped { id, .. } => (Some(id.clone()), None, None),
            UnreadItem::Address(address) => (Some(address.clone()), Some(address.clone()), None),
            UnreadItem::Bytes(_) => (Some("-".into()), None, None),
            UnreadItem::Unreachable { id, url, .. } => (id.clone(), url.clone(), None),
            UnreadItem::Failed { id, url, place, .. } => (id.clone(), url.clone(), *place),
        }
    }

    /// Returns the address if the page has not been fetched yet.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        match &self.raw {
            UnreadItem::Address(address) => Some(address),
            _ => None,
        }
    }

    /// Reads, fetches, parses and decodes the item, whichever it needs. `fetcher` is used for addresses only.
    #[must_use]
    pub fn page(self, fetcher: Option<&Fetcher>, max_size: usize) -> Loaded {
        match self.load(fetcher, max_size) {
            Ok(page) if page.bytes.len() > max_size => {
                let message = format!("{}: the page is larger than the limit of {max_size} bytes", page.id);
                Loaded::Failed {
                    id: Some(page.id),
                    url: page.url,
                    place: None,
                    status: None,
                    reason: "too large".into(),
                    message,
                }
            }
            Ok(page) => Loaded::Page(page),
            Err(other) => other,
        }
    }

    /// Returns the page; the error is the result if the item is not a page.
    #[allow(clippy::result_large_err)]
    fn load(self, fetcher: Option<&Fetcher>, max_size: usize) -> Result<RawPage, Loaded> {
        let failed = |id, url, reason: &'static str, message| Loaded::Failed {
            id,
            url,
            place: None,
            status: None,
            reason: reason.into(),
            message,
        };
        Ok(match self.raw {
            UnreadItem::Line(line) => {
                let place = Some(("line", line.number));
                raw_page(line.parse().map_err(|e| {
                    let (reason, message, (id, url)) = ("broken line".into(), e.to_string(), line.names());
                    Loaded::Failed { id, url, place, status: None, reason, message }
                })?)
            }
            UnreadItem::Row(row) => raw_page(row),
            UnreadItem::Record { file, record } => {
                let number = record.number;
                return archives::page_of_record(file, record, max_size, &|file: &str, why: &dyn fmt::Display| {
                    format!("{file} record {number}: {why}")
                });
            }
            UnreadItem::Unreachable { id, url, reason, message } => {
                return Err(Loaded::Failed { id, url, place: None, status: None, reason, message });
            }
            UnreadItem::Bytes(bytes) => return parts::first("-".into(), bytes, &Hint::default(), max_size),
            UnreadItem::Part(raw_page) => raw_page,
            UnreadItem::File { path, id } => match read_file(&path, max_size) {
                Ok(bytes) => {
                    let name = path.to_string_lossy();
                    return parts::first(id, bytes, &Hint { name: Some(&name), ..Hint::default() }, max_size);
                }
                Err(error) => {
                    let message = format!("{}: {error}", path.display());
                    return Err(failed(Some(id), None, "unreadable file", message));
                }
            },
            UnreadItem::Address(address) => {
                let id = Some(address.clone());
                let Some(fetcher) = fetcher else {
                    let message = "no fetcher is available for addresses".into();
                    return Err(failed(id, Some(address), "settings", message));
                };
                match fetcher.fetch(&address) {
                    Ok(fetched) => {
                        let hint = Hint {
                            url: Some(&fetched.url),
                            content_type: fetched.content_type.as_deref(),
                            charset: fetched.charset.as_deref(),
                            ..Hint::default()
                        };
                        let page = parts::first(address, fetched.body, &hint, max_size)?;
                        return Ok(RawPage { url: Some(fetched.url.clone()), status: Some(fetched.status), ..page });
                    }
                    Err(error) => {
                        let (status, reason, message) = (error.status(), error.reason(), error.to_string());
                        return Err(Loaded::Failed { id, url: Some(address), place: None, status, reason, message });
                    }
                }
            }
            UnreadItem::Skipped { id, reason } => return Err(Loaded::Skipped { id: Some(id), reason: reason.into() }),
            UnreadItem::Failed { id, url, place, reason, message } => {
                return Err(Loaded::Failed { id, url, place, status: None, reason: reason.into(), message });
            }
        })
    }
}

fn raw_page(record: pages::PageRecord) -> RawPage {
    RawPage {
        id: record.id.unwrap_or_else(|| record.line.to_string()),
        url: record.url,
        bytes: record.bytes,
        charset: record.charset.map(Cow::Borrowed),
        ..RawPage::default()
    }
}

/// Reads a saved page, which may be compressed. Reads one byte more than the limit to show that a page is too large.
fn read_file(path: &Path, max_size: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pages::decompress(Box::new(File::open(path)?))?.take(max_size as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
