//! The part of the state that only crawls of whole sites use: an order of all pages, counts by reason, and the list of a map.
use super::{AddressSource, Discovery, PageRole, PageState, QUEUED, Store, Waiting, connect, waiting};
use crate::Error;
use crate::address::{Address, without_session_at};
use rusqlite::{OptionalExtension as _, params};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// An address of a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The address.
    pub url: String,
    /// What named it first.
    pub source: AddressSource,
    /// When it was last changed, as its sitemap or feed says.
    pub lastmod: Option<String>,
    /// Its title, from the page itself or from a feed or news sitemap.
    pub title: Option<String>,
}

/// The facts about an address in a sitemap or feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// When it was last changed.
    pub lastmod: Option<String>,
    /// Its title.
    pub title: Option<String>,
}

/// The reason for which sitemaps and feeds beyond the bound are not requested.
pub const CUT_INDICES: &str = "more sitemaps and feeds than --max-pages allows";

/// The setting that begins with this holds where a path has a session; the rest of its name is the part of the path before it.
const SESSION: &str = "session ";

/// Counts of a crawl over all its runs: for each reason the number of addresses, and the first one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Addresses that were requested or refused for good.
    pub pages: u64,
    /// Pages in the output without an error.
    pub kept: u64,
    /// Pages known by another address or with the text of another page, and redirects.
    pub duplicates: u64,
    /// Addresses left in the queue.
    pub left: u64,
    /// Failed pages.
    pub failed: BTreeMap<String, (u64, String)>,
    /// Addresses that were found but not requested, or are not pages.
    pub skipped: BTreeMap<String, (u64, String)>,
}

impl Store {
    /// Creates a state in memory, without an output.
    ///
    /// # Errors
    /// Returns the error of SQLite, here and below.
    pub fn in_memory() -> Result<Store, Error> {
        let (db, path) = connect(None)?;
        Ok(Store { db, path, out: None, out_path: PathBuf::new(), length: 0, lines: Vec::new() })
    }

    /// Returns the path of the output.
    #[must_use]
    pub fn output(&self) -> &Path {
        &self.out_path
    }

    /// Returns the length of the output in bytes.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Compares a setting with earlier runs, and stores it in the first run. Returns the earlier value if it differs.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn setting(&self, name: &str, value: &str) -> Result<Option<String>, Error> {
        let sql = "INSERT OR IGNORE INTO settings VALUES (?1, ?2)";
        self.execute(sql, params![name, value])?;
        let found: String =
            self.sql(self.db.query_row("SELECT value FROM settings WHERE name = ?1", [name], |r| r.get(0)))?;
        Ok(Some(found).filter(|found| found != value))
    }

    /// Records that a text was found at two addresses that differ in the segment behind `place` only. Returns how many such texts are known.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count_session(&self, place: &str, fingerprint: i64) -> Result<u64, Error> {
        let sql = "INSERT OR IGNORE INTO sessions VALUES (?1, ?2)";
        self.execute(sql, params![place, fingerprint])?;
        self.counted("SELECT count(*) FROM sessions WHERE place = ?1", [place])
    }

    /// Returns the places at which paths have a session.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn sessions(&self) -> Result<Vec<String>, Error> {
        let sql = "SELECT substr(name, ?1) FROM settings WHERE substr(name, 1, ?1 - 1) = ?2 ORDER BY 1";
        self.rows(sql, params![SESSION.len() as i64 + 1, SESSION], |r| r.get(0))
    }

    /// Stores that paths have a session behind `place`. Pages in the queue that differ from others in their session only leave it.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn add_session(&self, place: &str) -> Result<(), Error> {
        self.setting(&format!("{SESSION}{place}"), "")?;
        // The pages that were read stay those that others are compared with.
        let sql = "SELECT id, key, state = 0 FROM pages WHERE substr(key, 1, length(?1)) = ?1 ORDER BY state <> 1, state = 0, id";
        let pages: Vec<(i64, String, bool)> = self.rows(sql, [place], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        for (id, key, waits) in pages {
            let Some(key) = without_session_at(&key, place) else { continue };
            let sql = "UPDATE OR IGNORE pages SET key = ?2 WHERE id = ?1";
            if self.sql(self.db.execute(sql, params![id, key]))? == 0 && waits {
                self.set_state(id, PageState::Alias, None)?;
            }
        }
        Ok(())
    }

    /// Returns the first page of an origin in the order of levels that may be requested at `now` and is not in progress.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn next_by_level(&self, origin: &str, now: i64, under_way: &HashSet<i64>) -> Result<Option<Waiting>, Error> {
        let sql = format!("{QUEUED} AND +origin = ?1 AND not_before <= ?2 ORDER BY depth, id");
        self.first(&sql, params![origin, now], under_way, waiting)
    }

    /// Returns the first page of the queue in the order of levels, requested or not.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn head(&self) -> Result<Option<Waiting>, Error> {
        self.first(&format!("{QUEUED} ORDER BY depth, id"), [], &HashSet::new(), waiting)
    }

    /// Records that an address redirects to another one. Returns `false` if that one leads back to it.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn redirect(&self, id: i64, target: &str) -> Result<bool, Error> {
        let sql = "SELECT id FROM pages WHERE key = ?1";
        let Some(to) = self.sql(self.db.query_row(sql, [target], |r| r.get(0)).optional())? else {
            self.set_state(id, PageState::Alias, None)?;
            return Ok(true);
        };
        let mut at = to;
        for _ in 0..20 {
            if at == id {
                return Ok(false);
            }
            let sql = "SELECT list FROM pages WHERE id = ?1 AND state = 4";
            let next: Option<Option<i64>> = self.sql(self.db.query_row(sql, [at], |r| r.get(0)).optional())?;
            let Some(Some(next)) = next else { break };
            at = next;
        }
        self.alias(id, to)?;
        Ok(true)
    }

    /// Stores the facts about an address from a sitemap or feed, unless it is known already.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn tell(&self, key: &str, told: &Told) -> Result<(), Error> {
        if told == &Told::default() {
            return Ok(());
        }
        let sql = "UPDATE pages SET lastmod = coalesce(lastmod, ?2), title = coalesce(title, ?3) WHERE key = ?1";
        self.execute(sql, params![key, told.lastmod, told.title])
    }

    /// Replaces the title of an address with the title of its page.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_title(&self, id: i64, title: &str) -> Result<(), Error> {
        self.execute("UPDATE pages SET title = ?2 WHERE id = ?1", params![id, title])
    }

    /// Adds an address that is not requested, unless it is known. Returns whether it is new.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn add_as(&self, state: PageState, a: &Address, place: &Discovery) -> Result<bool, Error> {
        let new = self.add(a, place)?;
        if new {
            self.set_state(self.db.last_insert_rowid(), state, None)?;
        }
        Ok(new)
    }

    /// Returns the addresses that were listed or read, in order of discovery.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn listings(&self) -> Result<Vec<Listing>, Error> {
        let sql = "SELECT url, source, lastmod, title FROM pages
                   WHERE state = 7 OR (role IN (0, 1) AND state IN (0, 1) AND reason IS NULL) ORDER BY depth, id";
        self.rows(sql, [], |r| {
            let source = AddressSource::of(r.get(1)?);
            Ok(Listing { url: r.get(0)?, source, lastmod: r.get(2)?, title: r.get(3)? })
        })
    }

    /// Counts an address that is not requested.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn skip(&self, a: &Address, reason: &str) -> Result<(), Error> {
        let sql = "INSERT OR IGNORE INTO skipped VALUES (?1, ?2, ?3)";
        self.execute(sql, params![a.key, a.url, reason])
    }

    /// Stores why a page failed or was skipped, in a few words that many pages share.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_reason(&self, id: i64, reason: &str) -> Result<(), Error> {
        self.execute("UPDATE pages SET reason = ?2 WHERE id = ?1", params![id, reason])
    }

    /// Makes a guessed address that turned out to be a page one of the site's pages.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_entry(&self, id: i64, source: AddressSource) -> Result<(), Error> {
        let sql = "UPDATE pages SET role = ?2, source = ?3 WHERE id = ?1";
        self.execute(sql, params![id, PageRole::Entry as i64, source as i64])
    }

    /// Stores the words of a page, as a hash. Returns whether they are new.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_words(&self, id: i64, words: Option<i64>) -> Result<bool, Error> {
        let sql = "SELECT EXISTS (SELECT 1 FROM pages WHERE words = ?1 AND id <> ?2)";
        let known: bool = self.sql(self.db.query_row(sql, params![words, id], |r| r.get(0)))?;
        self.execute("UPDATE pages SET words = ?2 WHERE id = ?1", params![id, words])?;
        Ok(words.is_some() && !known)
    }

    /// Stores the least depth of a form, and returns it.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn level_of_form(&self, form: &str, depth: u32) -> Result<u32, Error> {
        let sql = "INSERT OR IGNORE INTO levels_of_forms VALUES (?1, ?2)";
        self.execute(sql, params![form, depth])?;
        self.sql(self.db.query_row("SELECT depth FROM levels_of_forms WHERE form = ?1", [form], |r| r.get(0)))
    }

    /// Returns the counts of all runs.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn totals(&self) -> Result<Totals, Error> {
        let count = |condition: &str| self.counted(&format!("SELECT count(*) FROM pages WHERE {condition}"), []);
        let reasons = |sql: &str| self.rows(sql, [], |r| Ok((r.get(0)?, (r.get::<_, i64>(1)? as u64, r.get(2)?))));
        let failed = "SELECT coalesce(reason, 'other'), count(*), min(url) FROM pages WHERE state = 2 GROUP BY 1";
        let skipped = "SELECT reason, count(*), min(url) FROM
            (SELECT reason, url FROM skipped WHERE key NOT IN (SELECT key FROM pages) UNION ALL
             SELECT CASE state WHEN 3 THEN 'forbidden by robots.txt' WHEN 5 THEN 'like many pages without new text' ELSE reason END, url
             FROM pages WHERE state IN (3, 5) OR (state = 6 AND role IN (0, 1))) GROUP BY 1";
        Ok(Totals {
            pages: count("role IN (0, 1) AND state IN (1, 2, 4) AND (state <> 1 OR reason IS NULL)")?,
            kept: count("role IN (0, 1) AND state = 1 AND reason IS NULL")?,
            duplicates: count("state = 4")?,
            left: count("state = 0")?,
            failed: reasons(failed)?,
            skipped: reasons(skipped)?,
        })
    }
}
