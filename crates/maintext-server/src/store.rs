//! The SQLite store: labelled pages, the site models trained on them, and jobs.
use crate::problem::Problem;
use axum::http::StatusCode;
use maintext_util::guard::lock;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, TransactionBehavior, params};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

pub mod jobs;
pub mod readings;

/// Maximum number of pages for one site.
pub const MAX_PAGES: usize = 500;
/// Maximum number of bytes of all pages together in a file.
const MAX_BYTES: usize = 1 << 30;

/// The tables of pages, models and labels.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY, holder TEXT NOT NULL, site TEXT NOT NULL, url TEXT NOT NULL, html TEXT NOT NULL,
    taught TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, UNIQUE (holder, site, url)
) STRICT;
CREATE TABLE IF NOT EXISTS models (
    holder TEXT NOT NULL, site TEXT NOT NULL, model BLOB NOT NULL, figures TEXT NOT NULL, PRIMARY KEY (holder, site)
) STRICT;
CREATE TABLE IF NOT EXISTS labels (
    page INTEGER NOT NULL REFERENCES pages (id) ON DELETE CASCADE, block INTEGER NOT NULL, keep INTEGER NOT NULL, text TEXT NOT NULL,
    PRIMARY KEY (page, block)
) STRICT;
";

/// The database.
pub struct ServerStore {
    connection: Mutex<Connection>,
    /// Maximum number of bytes of all pages together.
    capacity: usize,
}

/// A page with its labels.
pub struct TaughtPage {
    /// Its address, or a unique name.
    pub url: String,
    /// The decoded page.
    pub html: String,
    /// Number of the block, whether it is content, and its text.
    pub labels: Vec<(u32, bool, String)>,
}

/// An error of the store while it holds labels.
#[derive(Debug)]
pub enum StoreError {
    /// The store has reached its maximum size.
    Full,
    /// An error of SQLite.
    Database(rusqlite::Error),
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        let (status, code, detail) = match error {
            StoreError::Full => (StatusCode::INSUFFICIENT_STORAGE, "store_full", "the store of labelled pages is full"),
            StoreError::Database(error) => {
                crate::log::event("database", &error.to_string());
                let detail = "the labels could not be read or written; see the log";
                (StatusCode::INTERNAL_SERVER_ERROR, "database", detail)
            }
        };
        Problem::new(status, code, detail)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(e: rusqlite::Error) -> Self {
        StoreError::Database(e)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

impl ServerStore {
    /// Opens or creates the database. Without a path, it is in memory and holds at most `memory` bytes of pages.
    ///
    /// # Errors
    /// The file cannot be opened or is not a database.
    pub fn open(path: Option<&Path>, memory: usize) -> Result<ServerStore, rusqlite::Error> {
        /// How long an open is tried again, and the time between two tries.
        const PATIENCE: Duration = Duration::from_secs(1);
        const PAUSE: Duration = Duration::from_millis(20);
        let begin = Instant::now();
        // SQLite does not wait for a file whose journal another service just changes.
        loop {
            match Self::open_once(path, memory) {
                Err(error) if is_busy(&error) && begin.elapsed() < PATIENCE => thread::sleep(PAUSE),
                opened => return opened,
            }
        }
    }

    fn open_once(path: Option<&Path>, memory: usize) -> Result<ServerStore, rusqlite::Error> {
        let mut connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        // A transaction that begins to write after it has read fails if another service wrote in between.
        connection.set_transaction_behavior(TransactionBehavior::Immediate);
        connection.pragma_update(None, "foreign_keys", true)?;
        if path.is_some() {
            connection.pragma_update(None, "journal_mode", "wal")?;
        }
        connection.execute_batch(SCHEMA)?;
        connection.execute_batch(jobs::SCHEMA)?;
        connection.execute_batch(readings::SCHEMA)?;
        let capacity = if path.is_some() { MAX_BYTES } else { memory };
        Ok(ServerStore { connection: Mutex::new(connection), capacity })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        lock(&self.connection)
    }

    /// Stores a page of a holder and replaces its labels. A page without labels is an example on which the model is already right.
    ///
    /// # Errors
    /// The store is full, or SQLite fails.
    pub fn label(&self, holder: &str, site: &str, page: &TaughtPage) -> Result<(), StoreError> {
        let mut connection = self.lock();
        let work = connection.transaction()?;
        let sql = "DELETE FROM pages WHERE holder = ?1 AND site = ?2 AND url = ?3";
        work.execute(sql, params![holder, site, page.url])?;
        let sql = "SELECT count(*) FROM pages WHERE holder = ?1 AND site = ?2";
        let pages: i64 = work.query_row(sql, [holder, site], |r| r.get(0))?;
        let bytes: i64 = work.query_row("SELECT coalesce(sum(octet_length(html)), 0) FROM pages", [], |r| r.get(0))?;
        if pages >= MAX_PAGES as i64 || bytes + page.html.len() as i64 > self.capacity as i64 {
            return Err(StoreError::Full);
        }
        let sql = "INSERT INTO pages (holder, site, url, html) VALUES (?1, ?2, ?3, ?4)";
        work.execute(sql, params![holder, site, page.url, page.html])?;
        let id = work.last_insert_rowid();
        for (block, keep, text) in &page.labels {
            work.execute("INSERT OR REPLACE INTO labels VALUES (?1, ?2, ?3, ?4)", params![id, block, keep, text])?;
        }
        Ok(work.commit()?)
    }

    /// Returns the number of each page of a holder's site, or of all the holder's sites, with its size in bytes.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn sizes(&self, holder: &str, site: Option<&str>) -> Result<Vec<(i64, usize)>, StoreError> {
        let connection = self.lock();
        let sql = "SELECT id, octet_length(html) FROM pages WHERE holder = ?1 AND (?2 IS NULL OR site = ?2) ORDER BY site, id";
        let mut pages = connection.prepare(sql)?;
        let sizes = pages.query_map(params![holder, site], |r| Ok((r.get(0)?, r.get::<_, i64>(1)? as usize)))?;
        Ok(sizes.collect::<Result<_, _>>()?)
    }

    /// Returns a page with its site, unless it has been deleted.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn page(&self, id: i64) -> Result<Option<(String, TaughtPage)>, StoreError> {
        let connection = self.lock();
        let page = connection.query_row("SELECT site, url, html FROM pages WHERE id = ?1", [id], |r| {
            Ok((r.get(0)?, TaughtPage { url: r.get(1)?, html: r.get(2)?, labels: Vec::new() }))
        });
        let Some((site, page)) = page.optional()? else { return Ok(None) };
        let mut labels = connection.prepare("SELECT block, keep, text FROM labels WHERE page = ?1 ORDER BY block")?;
        let labels = labels.query_map([id], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
        Ok(Some((site, TaughtPage { labels: labels.collect::<Result<_, _>>()?, ..page })))
    }

    /// Returns the sites of a holder with their pages, numbers of labels, and the figures of their models.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn sites(&self, holder: &str) -> Result<Vec<Value>, StoreError> {
        let connection = self.lock();
        let mut sites = connection.prepare(
            "SELECT p.site, json_group_array(json_object('url', p.url, 'labels',
                 (SELECT count(*) FROM labels WHERE page = p.id))), (SELECT figures FROM models m WHERE m.holder = ?1 AND m.site = p.site)
             FROM pages p WHERE p.holder = ?1 GROUP BY p.site ORDER BY p.site",
        )?;
        let rows = sites.query_map([holder], |r| {
            Ok(json!({"site": r.get::<_, String>(0)?, "pages": parsed(r.get(1)?), "figures": parsed(r.get(2)?)}))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Stores the model of a holder's site.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn keep_model(&self, holder: &str, site: &str, model: &[u8], figures: &Value) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO models VALUES (?1, ?2, ?3, ?4)";
        self.lock().execute(sql, params![holder, site, model, figures.to_string()])?;
        Ok(())
    }

    /// Returns the model of a holder's site.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn model(&self, holder: &str, site: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT model FROM models WHERE holder = ?1 AND site = ?2";
        Ok(self.lock().query_row(sql, [holder, site], |r| r.get(0)).optional()?)
    }

    /// Returns the holders and sites that have a model, with the models.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn models(&self) -> rusqlite::Result<Vec<(Owned, Vec<u8>)>> {
        let connection = self.lock();
        let mut models = connection.prepare("SELECT holder, site, model FROM models")?;
        models.query_map([], |r| Ok(((r.get(0)?, r.get(1)?), r.get(2)?)))?.collect()
    }

    /// Deletes the pages and the model of a holder's site. Returns whether it had any.
    ///
    /// # Errors
    /// SQLite fails.
    pub fn forget(&self, holder: &str, site: &str) -> Result<bool, StoreError> {
        let connection = self.lock();
        let models = connection.execute("DELETE FROM models WHERE holder = ?1 AND site = ?2", [holder, site])?;
        Ok(connection.execute("DELETE FROM pages WHERE holder = ?1 AND site = ?2", [holder, site])? + models > 0)
    }
}

fn parsed(text: Option<String>) -> Value {
    text.and_then(|t| serde_json::from_str(&t).ok()).unwrap_or(Value::Null)
}

/// A holder and one of its sites.
pub type Owned = (String, String);

#[cfg(test)]
mod tests {
    use super::*;

    fn page(url: &str, labels: &[(u32, bool)]) -> TaughtPage {
        let labels = labels.iter().map(|(b, k)| (*b, *k, format!("block {b}"))).collect();
        TaughtPage { url: url.into(), html: "<p>a".into(), labels }
    }

    #[test]
    fn labels_are_stored_and_replaced() {
        let store = ServerStore::open(None, 1 << 20).unwrap();
        store.label("a", "e.org", &page("https://e.org/1", &[(3, true), (4, false)])).unwrap();
        store.label("a", "e.org", &page("https://e.org/1", &[(4, true)])).unwrap();
        store.label("a", "f.org", &page("https://f.org/1", &[])).unwrap();
        let pages = store.sizes("a", Some("e.org")).unwrap();
        assert_eq!((pages.len(), pages[0].1), (1, 4));
        let (site, kept) = store.page(pages[0].0).unwrap().unwrap();
        assert_eq!((&*site, &kept.labels[..]), ("e.org", &[(4, true, "block 4".to_owned())][..]));
        store.keep_model("a", "e.org", b"model", &json!({"after": 1.0})).unwrap();
        let sites = store.sites("a").unwrap();
        assert_eq!(
            sites[0],
            json!({"site": "e.org", "pages": [{"url": "https://e.org/1", "labels": 1}], "figures": {"after": 1.0}})
        );
        assert_eq!(store.model("a", "e.org").unwrap().as_deref(), Some(&b"model"[..]));
        assert!(store.forget("a", "e.org").unwrap() && !store.forget("a", "e.org").unwrap());
        assert_eq!((store.sizes("a", None).unwrap().len(), store.models().unwrap().len()), (1, 0));
    }

    #[test]
    fn a_store_in_memory_is_small() {
        let store = ServerStore::open(None, 1000).unwrap();
        let large = |url: &str| TaughtPage { html: "ä".repeat(300), ..page(url, &[]) };
        store.label("a", "e.org", &large("https://e.org/1")).unwrap();
        assert!(matches!(store.label("a", "e.org", &large("https://e.org/2")), Err(StoreError::Full)));
        store.label("a", "e.org", &large("https://e.org/1")).unwrap();
    }

    #[test]
    fn pages_per_site_are_limited() {
        let store = ServerStore::open(None, 1 << 20).unwrap();
        for i in 0..MAX_PAGES {
            store.label("a", "e.org", &page(&i.to_string(), &[])).unwrap();
        }
        assert!(matches!(store.label("a", "e.org", &page("one more", &[])), Err(StoreError::Full)));
        store.label("a", "e.org", &page("3", &[(1, true)])).unwrap();
    }
}
