//! The state of a crawl: the queue, the results and the output. Stored in SQLite, next to the output file.
//!
//! All changes are made in batches: [`Store::begin`], changes and [`Store::write_line`], [`Store::commit`]. The commit first syncs the
//! lines and then, in one transaction with all changes of the batch, records the length of the output. [`Store::open`] truncates the
//! output to the recorded length.
use crate::Error;
use crate::address::Address;
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

mod site;

pub use site::{CUT_INDICES, Listing, Told, Totals};

/// SQLite's application id for our files: `mtcr`.
const APPLICATION: i32 = 0x6d74_6372;
const VERSION: i32 = 3;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL, origin TEXT NOT NULL, form TEXT NOT NULL,
    role INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0, depth INTEGER NOT NULL, list INTEGER, barren INTEGER NOT NULL DEFAULT 0,
    hops INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0,
    error TEXT, etag TEXT, modified TEXT, fingerprint INTEGER,
    source INTEGER NOT NULL DEFAULT 0, lastmod TEXT, title TEXT, words INTEGER, reason TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS waiting ON pages (state, origin, id);
CREATE INDEX IF NOT EXISTS levels ON pages (state, depth, id);
CREATE INDEX IF NOT EXISTS words ON pages (words) WHERE words IS NOT NULL;
CREATE INDEX IF NOT EXISTS chains ON pages (list) WHERE list IS NOT NULL;
CREATE INDEX IF NOT EXISTS prints ON pages (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE TABLE IF NOT EXISTS listed (list INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (list, entry)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS forms (form TEXT PRIMARY KEY, asked INTEGER NOT NULL, fruit INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (place TEXT NOT NULL, print INTEGER NOT NULL, PRIMARY KEY (place, print)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS levels_of_forms (form TEXT PRIMARY KEY, depth INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS skipped (key TEXT PRIMARY KEY, url TEXT NOT NULL, reason TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// The number that holds the length of the output when the last recrawl began.
pub const RECRAWLED_FROM: &str = "recrawled_from";

/// How a page was found, before it is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageRole {
    /// A starting point.
    Start = 0,
    /// An entry of a list, feed or sitemap.
    Entry = 1,
    /// A further page of a list.
    More = 2,
    /// A feed or a sitemap.
    Index = 3,
    /// A usual address of a sitemap or of llms.txt, which may not exist.
    Guess = 4,
}

/// The roles, indexed by their numbers.
const ROLES: [PageRole; 5] = [PageRole::Start, PageRole::Entry, PageRole::More, PageRole::Index, PageRole::Guess];

/// What named an address first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressSource {
    /// A link of a page.
    #[default]
    Link = 0,
    /// The caller.
    Start = 1,
    /// A sitemap.
    Sitemap = 2,
    /// A feed.
    Feed = 3,
    /// An llms.txt.
    Llms = 4,
}

/// The sources with their names, indexed by their numbers.
const SOURCES: [(AddressSource, &str); 5] = [
    (AddressSource::Link, "link"),
    (AddressSource::Start, "start"),
    (AddressSource::Sitemap, "sitemap"),
    (AddressSource::Feed, "feed"),
    (AddressSource::Llms, "llms"),
];

impl AddressSource {
    /// The name in the output of a map.
    #[must_use]
    pub fn name(self) -> &'static str {
        SOURCES[self as usize].1
    }

    fn of(number: i64) -> AddressSource {
        SOURCES.get(number as usize).map_or(AddressSource::Link, |source| source.0)
    }
}

/// The state of a page in the crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageState {
    /// In the queue.
    Waiting = 0,
    /// Read; if it is a detail page, also written.
    Done = 1,
    /// Failed permanently.
    Failed = 2,
    /// Forbidden by robots.txt.
    Forbidden = 3,
    /// Another address of a known page, or a redirect to it.
    Alias = 4,
    /// Not requested, because pages of the same form were rarely useful.
    Barren = 5,
    /// Not a page, or a guessed address without a sitemap.
    Skipped = 6,
    /// Only listed.
    Listed = 7,
}

/// A page in the queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Its id.
    pub id: i64,
    /// The address to fetch.
    pub url: String,
    /// The address's form, as [`Address::form`].
    pub form: String,
    /// Scheme, host and port.
    pub origin: String,
    /// How it was found.
    pub role: PageRole,
    /// Number of lists between it and the starting point.
    pub depth: u32,
    /// The first page of the list that it continues.
    pub list: Option<i64>,
    /// Number of consecutive pages of the list before it without anything new.
    pub barren: u32,
    /// Number of redirects so far.
    pub hops: u32,
    /// Number of failures so far.
    pub tries: u32,
    /// `ETag` of the copy read before.
    pub etag: Option<String>,
    /// `Last-Modified` of the copy read before.
    pub modified: Option<String>,
    /// Fingerprint of the copy read before.
    pub fingerprint: Option<i64>,
    /// What named it.
    pub source: AddressSource,
}

/// Where a page was found.
#[derive(Clone, Copy, Debug)]
pub struct Discovery {
    /// How it was found.
    pub role: PageRole,
    /// Number of lists between it and the starting point.
    pub depth: u32,
    /// The first page of the list that it continues.
    pub list: Option<i64>,
    /// Number of consecutive pages of the list before it without anything new.
    pub barren: u32,
    /// Number of redirects so far.
    pub hops: u32,
    /// What named it.
    pub source: AddressSource,
}

impl Discovery {
    /// A page that continues no list and was found by a link, without redirects.
    pub fn new(role: PageRole, depth: u32) -> Discovery {
        Discovery { role, depth, list: None, barren: 0, hops: 0, source: AddressSource::Link }
    }
}

/// Where the lines of a crawl go.
pub trait Output: Send {
    /// Returns the number of bytes.
    ///
    /// # Errors
    /// Returns the error of the system, here and below.
    fn length(&mut self) -> io::Result<u64>;
    /// Drops the bytes after the first `length`.
    ///
    /// # Errors
    /// See [`Output::length`].
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Appends whole lines and makes them durable.
    ///
    /// # Errors
    /// See [`Output::length`].
    fn append(&mut self, lines: &[u8]) -> io::Result<()>;
}

impl Output for File {
    fn length(&mut self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::End(0)).map(drop)
    }

    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.write_all(lines)?;
        self.sync_data()
    }
}

/// The queue, the validators and the output.
pub struct Store {
    db: Connection,
    path: PathBuf,
    /// The output; `None` if nothing is written.
    out: Option<Box<dyn Output>>,
    out_path: PathBuf,
    length: u64,
    lines: Vec<u8>,
}

/// The beginning of a query for pages in the queue, with the columns of a [`Waiting`].
const QUEUED: &str =
    "SELECT id, url, form, origin, role, depth, list, barren, hops, tries, etag, modified, fingerprint, source
                      FROM pages WHERE state = 0";

type Sql<T> = Result<T, rusqlite::Error>;

impl Store {
    /// Opens or creates the state and the output. Fails if another process has them open.
    ///
    /// # Errors
    /// A file cannot be opened, is not from a crawl, or does not match the other.
    pub fn open(path: &Path, out_path: &Path) -> Result<Store, Error> {
        let (db, path) = connect(Some(path))?;
        let wrong = |e: std::io::Error| Error::Output(out_path.into(), e.to_string());
        let mut options = OpenOptions::new();
        let out = options.read(true).write(true).create(true).truncate(false).open(out_path).map_err(wrong)?;
        Store::over(db, path, Box::new(out), out_path)
    }

    /// Opens or creates the state, in memory without a path, for an output of another kind. `name` is the name of the output in errors.
    ///
    /// # Errors
    /// As for [`Store::open`].
    pub fn with_output(path: Option<&Path>, out: Box<dyn Output>, name: &str) -> Result<Store, Error> {
        let (db, path) = connect(path)?;
        Store::over(db, path, out, Path::new(name))
    }

    fn over(db: Connection, path: PathBuf, mut out: Box<dyn Output>, out_path: &Path) -> Result<Store, Error> {
        let wrong = |e: std::io::Error| Error::Output(out_path.into(), e.to_string());
        let noted: Option<i64> = db
            .query_row("SELECT value FROM numbers WHERE name = 'length'", [], |r| r.get(0))
            .optional()
            .map_err(|e| Error::State(path.clone(), said(&e)))?;
        let present = out.length().map_err(wrong)?;
        let length = match noted {
            Some(noted) if present >= noted as u64 => noted as u64,
            Some(noted) => {
                let why = format!("has {present} bytes instead of the recorded {noted}; it was changed since then");
                return Err(Error::Output(out_path.into(), why));
            }
            None if present > 0 => {
                let why = "exists but does not belong to a crawl that can resume; choose another name".to_owned();
                return Err(Error::Output(out_path.into(), why));
            }
            None => 0,
        };
        out.cut(length).map_err(wrong)?;
        let store = Store { db, path, out: Some(out), out_path: out_path.into(), length, lines: Vec::new() };
        store.set_number("length", length as i64)?;
        Ok(store)
    }

    fn sql<T>(&self, result: Sql<T>) -> Result<T, Error> {
        result.map_err(|e| Error::State(self.path.clone(), said(&e)))
    }

    /// Runs a statement that changes the state.
    fn execute(&self, sql: &str, values: impl Params) -> Result<(), Error> {
        self.sql(self.db.execute(sql, values)).map(drop)
    }

    /// Returns all rows of a query.
    fn rows<T, B: FromIterator<T>>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> Sql<T>,
    ) -> Result<B, Error> {
        let all = || self.db.prepare(sql)?.query_map(values, read)?.collect();
        self.sql(all())
    }

    /// Returns the number that a query counts.
    fn counted(&self, sql: &str, values: impl Params) -> Result<u64, Error> {
        self.sql(self.db.query_row(sql, values, |r| r.get::<_, i64>(0))).map(|n| n as u64)
    }

    /// Returns what `read` finds in the first row whose page is not in progress.
    fn first<T>(
        &self,
        sql: &str,
        values: impl Params,
        under_way: &HashSet<i64>,
        read: impl Fn(&Row<'_>) -> Sql<T>,
    ) -> Result<Option<T>, Error> {
        let find = || {
            let mut statement = self.db.prepare(sql)?;
            let mut rows = statement.query(values)?;
            while let Some(row) = rows.next()? {
                if !under_way.contains(&row.get(0)?) {
                    return read(row).map(Some);
                }
            }
            Ok(None)
        };
        self.sql(find())
    }

    /// Begins a batch of changes.
    ///
    /// # Errors
    /// Returns the error of SQLite, here and below.
    pub fn begin(&self) -> Result<(), Error> {
        self.sql(self.db.execute_batch("BEGIN IMMEDIATE"))
    }

    /// Makes the lines and the changes of the batch durable, together.
    ///
    /// # Errors
    /// The output or the state cannot be written.
    pub fn commit(&mut self) -> Result<(), Error> {
        if !self.lines.is_empty() {
            if let Some(out) = &mut self.out {
                out.append(&self.lines).map_err(|e| Error::Output(self.out_path.clone(), e.to_string()))?;
            }
            self.length += self.lines.len() as u64;
            self.lines.clear();
            self.set_number("length", self.length as i64)?;
        }
        self.sql(self.db.execute_batch("COMMIT"))
    }

    /// Appends a line to the output at the next commit.
    pub fn write_line(&mut self, line: &str) {
        self.lines.extend_from_slice(line.as_bytes());
        self.lines.push(b'\n');
    }

    /// Returns a stored number, 0 by default.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn number(&self, name: &str) -> Result<i64, Error> {
        let found = self.db.query_row("SELECT value FROM numbers WHERE name = ?1", [name], |r| r.get(0)).optional();
        Ok(self.sql(found)?.unwrap_or(0))
    }

    /// Stores a number.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_number(&self, name: &str, value: i64) -> Result<(), Error> {
        self.execute("INSERT OR REPLACE INTO numbers VALUES (?1, ?2)", params![name, value])
    }

    /// Adds a page unless it is known. Returns whether it is new.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn add(&self, a: &Address, place: &Discovery) -> Result<bool, Error> {
        let sql = "INSERT OR IGNORE INTO pages (key, url, origin, form, role, depth, list, barren, hops, source)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let p = place;
        let form = a.form();
        let source = p.source as i64;
        let values = params![a.key, a.url, a.origin, form, p.role as i64, p.depth, p.list, p.barren, p.hops, source];
        Ok(self.sql(self.db.execute(sql, values))? > 0)
    }

    /// Records that a list names an entry, by its [`Address::entry`]. Returns whether the entry is new in the list.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn list_entry(&self, list: i64, entry: &str) -> Result<bool, Error> {
        let sql = "INSERT OR IGNORE INTO listed VALUES (?1, ?2)";
        Ok(self.sql(self.db.execute(sql, params![list, entry]))? > 0)
    }

    /// Returns the number of pages in a list's pagination.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn chain_length(&self, list: i64) -> Result<u32, Error> {
        let sql = "SELECT count(*) FROM pages WHERE list = ?1";
        self.sql(self.db.query_row(sql, [list], |r| r.get(0)))
    }

    /// Returns the hosts that may be fetched from.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn hosts(&self) -> Result<HashSet<String>, Error> {
        self.rows("SELECT host FROM hosts", [], |r| r.get(0))
    }

    /// Adds a host.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn add_host(&self, host: &str) -> Result<(), Error> {
        self.execute("INSERT OR IGNORE INTO hosts VALUES (?1)", [host])
    }

    /// Returns the origins with pages in the queue.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn waiting_origins(&self) -> Result<Vec<String>, Error> {
        self.rows("SELECT DISTINCT origin FROM pages WHERE state = 0 ORDER BY origin", [], |r| r.get(0))
    }

    /// Returns the first page of an origin that may be requested at `now` and is not in progress.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn next(&self, origin: &str, now: i64, under_way: &HashSet<i64>) -> Result<Option<Waiting>, Error> {
        let sql = format!("{QUEUED} AND origin = ?1 AND not_before <= ?2 ORDER BY id");
        self.first(&sql, params![origin, now], under_way, waiting)
    }

    /// Returns the earliest time at which a page of an origin may be requested.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn wakes(&self, origin: &str, under_way: &HashSet<i64>) -> Result<Option<i64>, Error> {
        let sql = "SELECT id, not_before FROM pages WHERE state = 0 AND origin = ?1 ORDER BY not_before LIMIT ?2";
        self.first(sql, params![origin, under_way.len() as i64 + 1], under_way, |row| row.get(1))
    }

    /// Whether a page is still in the queue; it leaves it when another page turns out to be the same.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn waits(&self, id: i64) -> Result<bool, Error> {
        self.sql(self.db.query_row("SELECT state = 0 FROM pages WHERE id = ?1", [id], |r| r.get(0)))
    }

    /// Returns the key of another page with the same text that was written.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn says_the_same(&self, id: i64, fingerprint: i64) -> Result<Option<String>, Error> {
        let sql = "SELECT key FROM pages WHERE fingerprint = ?1 AND id <> ?2 AND state = 1 ORDER BY id LIMIT 1";
        self.sql(self.db.query_row(sql, params![fingerprint, id], |r| r.get(0)).optional())
    }

    /// Claims the canonical address of a page. Returns `false` if a page with that address, or one that claimed it, was written.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn claim(&self, id: i64, own: &Address) -> Result<bool, Error> {
        let sql = "SELECT id, state, list FROM pages WHERE key = ?1";
        let known = self.db.query_row(sql, [&own.key], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).optional();
        match self.sql::<Option<(i64, i64, Option<i64>)>>(known)? {
            Some((other, ..)) if other == id => Ok(true),
            Some((other, state, _)) if state == PageState::Waiting as i64 => {
                self.alias(other, id)?;
                Ok(true)
            }
            // For an alias, `list` holds the id of its page.
            Some((_, state, of)) if state == PageState::Alias as i64 => Ok(of == Some(id)),
            Some((_, state, _)) => Ok(state != PageState::Done as i64),
            None => {
                self.add(own, &Discovery::new(PageRole::Entry, 0))?;
                let added = self.db.last_insert_rowid();
                self.alias(added, id)?;
                Ok(true)
            }
        }
    }

    fn alias(&self, id: i64, of: i64) -> Result<(), Error> {
        self.execute("UPDATE pages SET state = 4, list = ?2 WHERE id = ?1", params![id, of])
    }

    /// Sets the state of a page.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_state(&self, id: i64, state: PageState, error: Option<&str>) -> Result<(), Error> {
        self.execute("UPDATE pages SET state = ?2, error = ?3 WHERE id = ?1", params![id, state as i64, error])
    }

    /// Stores the validators and the fingerprint of a page, to detect changes later.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_copy(
        &self,
        id: i64,
        etag: Option<&str>,
        modified: Option<&str>,
        print: Option<i64>,
    ) -> Result<(), Error> {
        let sql = "UPDATE pages SET etag = ?2, modified = ?3, fingerprint = ?4 WHERE id = ?1";
        self.execute(sql, params![id, etag, modified, print])
    }

    /// Requeues a page until `not_before`, in milliseconds since 1970.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn put_back(&self, id: i64, tries: u32, not_before: i64) -> Result<(), Error> {
        self.execute("UPDATE pages SET tries = ?2, not_before = ?3 WHERE id = ?1", params![id, tries, not_before])
    }

    /// Replaces the address of a page by another spelling.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn respell(&self, id: i64, a: &Address, hops: u32) -> Result<(), Error> {
        let sql = "UPDATE pages SET url = ?2, origin = ?3, hops = ?4 WHERE id = ?1";
        self.execute(sql, params![id, a.url, a.origin, hops])
    }

    /// Counts a requested page of a form, and whether it was useful.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count_form(&self, form: &str, fruit: bool) -> Result<(), Error> {
        let sql =
            "INSERT INTO forms VALUES (?1, 1, ?2) ON CONFLICT DO UPDATE SET asked = asked + 1, fruit = fruit + ?2";
        self.execute(sql, params![form, fruit as i64])
    }

    /// Returns the number of requested pages of a form and the number of useful ones.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn form(&self, form: &str) -> Result<(u64, u64), Error> {
        let sql = "SELECT asked, fruit FROM forms WHERE form = ?1";
        let number = |r: &Row<'_>, i| r.get::<_, i64>(i).map(|n| n as u64);
        let found = self.db.query_row(sql, [form], |r| Ok((number(r, 0)?, number(r, 1)?))).optional();
        Ok(self.sql(found)?.unwrap_or((0, 0)))
    }

    /// Returns the number of pages in a state.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count(&self, state: PageState) -> Result<u64, Error> {
        self.counted("SELECT count(*) FROM pages WHERE state = ?1", [state as i64])
    }

    /// Requeues failed pages.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn retry_failed(&self) -> Result<(), Error> {
        self.execute("UPDATE pages SET state = 0, tries = 0, not_before = 0, error = NULL WHERE state = 2", [])
    }

    /// Requeues all pages, to check them for changes. The counts of forms begin anew, in a crawl of whole sites except for those given up as
    /// traps: pages of a list without new entries would look like one.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn ask_again(&self, is_site: bool) -> Result<(), Error> {
        let forms = if is_site { " WHERE form NOT IN (SELECT form FROM pages WHERE state = 5)" } else { "" };
        let sql = format!(
            "DELETE FROM listed; DELETE FROM forms{forms}; DELETE FROM levels_of_forms{forms};
             UPDATE pages SET state = 0, tries = 0, not_before = 0, error = NULL, barren = 0 WHERE state <> 4;
             UPDATE pages SET words = NULL;"
        );
        self.sql(self.db.execute_batch(&sql))
    }
}

/// Opens or creates a state, in memory without a path. Returns it with its name in errors.
fn connect(path: Option<&Path>) -> Result<(Connection, PathBuf), Error> {
    let name = path.unwrap_or(Path::new("memory")).to_owned();
    let opened = path.map_or_else(Connection::open_in_memory, Connection::open);
    match opened.map_err(|e| said(&e)).and_then(|db| prepare(&db).map(|()| db)) {
        Ok(db) => Ok((db, name)),
        Err(why) => Err(Error::State(name, why)),
    }
}

fn prepare(db: &Connection) -> Result<(), String> {
    let work = || {
        let pragma = |name: &str| db.pragma_query_value(None, name, |r| r.get::<_, i32>(0));
        let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
        if tables > 0 && (pragma("application_id")?, pragma("user_version")?) != (APPLICATION, VERSION) {
            return Ok(false);
        }
        db.busy_timeout(std::time::Duration::from_millis(500))?;
        db.pragma_update(None, "locking_mode", "exclusive")?;
        db.pragma_update(None, "journal_mode", "wal")?;
        db.pragma_update(None, "synchronous", "full")?;
        db.execute_batch("BEGIN IMMEDIATE")?;
        db.execute_batch(SCHEMA)?;
        db.pragma_update(None, "application_id", APPLICATION)?;
        db.pragma_update(None, "user_version", VERSION)?;
        db.execute_batch("COMMIT")?;
        Ok(true)
    };
    match work() {
        Ok(true) => Ok(()),
        Ok(false) => Err("is not the state of a crawl, or was written by another version".into()),
        Err(e) => Err(said(&e)),
    }
}

fn said(e: &rusqlite::Error) -> String {
    match e.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => crate::options::IN_USE.into(),
        Some(rusqlite::ErrorCode::NotADatabase) => "is not the state of a crawl".into(),
        _ => e.to_string(),
    }
}

fn waiting(row: &Row<'_>) -> Sql<Waiting> {
    Ok(Waiting {
        id: row.get(0)?,
        url: row.get(1)?,
        form: row.get(2)?,
        origin: row.get(3)?,
        role: ROLES.get(row.get::<_, i64>(4)? as usize).copied().unwrap_or(PageRole::Guess),
        depth: row.get(5)?,
        list: row.get(6)?,
        barren: row.get(7)?,
        hops: row.get(8)?,
        tries: row.get(9)?,
        etag: row.get(10)?,
        modified: row.get(11)?,
        fingerprint: row.get(12)?,
        source: AddressSource::of(row.get(13)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("maintext-crawl-{test}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }
        fn open(&self) -> Result<Store, Error> {
            Store::open(&self.0.join("state"), &self.0.join("out.jsonl"))
        }
        fn out(&self) -> String {
            std::fs::read_to_string(self.0.join("out.jsonl")).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn address(path: &str) -> Address {
        Address::new(&format!("https://e.org{path}")).unwrap()
    }

    fn next(store: &Store) -> Option<Waiting> {
        store.next("https://e.org", 1, &HashSet::new()).unwrap()
    }

    #[test]
    fn uncommitted_lines_are_truncated() {
        let folder = Folder::new("cut");
        let mut store = folder.open().unwrap();
        store.begin().unwrap();
        store.add(&address("/a"), &Discovery::new(PageRole::Start, 0)).unwrap();
        store.write_line("one");
        store.commit().unwrap();
        store.begin().unwrap();
        let row = next(&store).unwrap();
        store.set_state(row.id, PageState::Done, None).unwrap();
        drop(store);
        // As after a kill between the line and the commit.
        std::fs::write(folder.0.join("out.jsonl"), "one\ntwo\nhal").unwrap();
        let store = folder.open().unwrap();
        assert_eq!(folder.out(), "one\n");
        assert_eq!(next(&store).unwrap().url, "https://e.org/a");
    }

    #[test]
    fn mismatched_files_are_errors() {
        let folder = Folder::new("fit");
        let mut store = folder.open().unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("in use by another crawl"));
        store.begin().unwrap();
        store.write_line("one");
        store.commit().unwrap();
        drop(store);
        std::fs::write(folder.0.join("out.jsonl"), "on").unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("was changed since"));
        std::fs::write(folder.0.join("state"), "not written by a crawl").unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("not the state of a crawl"));
        std::fs::remove_file(folder.0.join("state")).unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("choose another name"));
    }

    #[test]
    fn a_page_is_known_by_all_its_addresses() {
        let folder = Folder::new("alias");
        let store = folder.open().unwrap();
        let place = Discovery::new(PageRole::Entry, 1);
        assert!(store.add(&address("/a?x=1&y=2"), &place).unwrap());
        assert!(!store.add(&address("/a?y=2&x=1#c"), &place).unwrap());
        store.add(&address("/b"), &place).unwrap();
        let a = next(&store).unwrap();
        // The page names /b as its canonical address, so /b leaves the queue.
        assert!(store.claim(a.id, &address("/b")).unwrap());
        store.set_state(a.id, PageState::Done, None).unwrap();
        assert_eq!(next(&store), None);
        assert!(!store.add(&address("/b"), &place).unwrap());
        // Another page claims the same address.
        store.add(&address("/c"), &place).unwrap();
        let c = next(&store).unwrap();
        assert!(!store.claim(c.id, &address("/b")).unwrap());
        assert!(!store.claim(c.id, &address("/a?x=1&y=2")).unwrap());
    }

    #[test]
    fn a_requeued_page_waits_until_its_time() {
        let folder = Folder::new("wait");
        let store = folder.open().unwrap();
        store.add(&address("/a"), &Discovery::new(PageRole::Entry, 1)).unwrap();
        let row = next(&store).unwrap();
        store.put_back(row.id, 1, 500).unwrap();
        assert_eq!(next(&store), None);
        assert_eq!(store.wakes("https://e.org", &HashSet::new()).unwrap(), Some(500));
        assert_eq!(store.wakes("https://e.org", &HashSet::from([row.id])).unwrap(), None);
        assert_eq!(store.next("https://e.org", 500, &HashSet::new()).unwrap().unwrap().tries, 1);
    }
}
