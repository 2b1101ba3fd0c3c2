//! The state of a crawl: what waits, what was asked, what was written. SQLite, beside the output file.
//!
//! Everything happens in batches: [`Store::begin`], changes and [`Store::write_line`], [`Store::commit`]. The commit first syncs the lines and
//! then notes, in one transaction with all changes of the batch, how long the output is. [`Store::open`] cuts the output to the noted length.
use crate::Error;
use crate::address::Address;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Marks files of ours: `mtcr` as SQLite's application id.
const APPLICATION: i32 = 0x6d74_6372;
const VERSION: i32 = 1;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL, origin TEXT NOT NULL, form TEXT NOT NULL,
    role INTEGER NOT NULL, state INTEGER NOT NULL DEFAULT 0, depth INTEGER NOT NULL, list INTEGER, barren INTEGER NOT NULL DEFAULT 0,
    hops INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0,
    error TEXT, etag TEXT, modified TEXT, fingerprint INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS waiting ON pages (state, origin, id);
CREATE INDEX IF NOT EXISTS chains ON pages (list) WHERE list IS NOT NULL;
CREATE INDEX IF NOT EXISTS prints ON pages (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE TABLE IF NOT EXISTS listed (list INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (list, entry)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS forms (form TEXT PRIMARY KEY, asked INTEGER NOT NULL, fruit INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// What is known of a page before it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The caller named it.
    Start = 0,
    /// A list, feed or sitemap names it as an entry.
    Entry = 1,
    /// A list goes on there.
    More = 2,
    /// A feed or a sitemap.
    Index = 3,
}

/// What has become of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is to be asked for.
    Waiting = 0,
    /// It was read; if it is a detail page, it was written.
    Done = 1,
    /// It failed for good.
    Failed = 2,
    /// robots.txt forbids it.
    Forbidden = 3,
    /// It is another page by another address, or moved there.
    Alias = 4,
    /// Its like have given nothing so often that it was not asked for.
    Barren = 5,
}

/// A page that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Its number.
    pub id: i64,
    /// What is fetched.
    pub url: String,
    /// The address's form, as [`Address::form`].
    pub form: String,
    /// Scheme, host and port.
    pub origin: String,
    /// What is known of it.
    pub role: Role,
    /// Lists between it and the starting point.
    pub depth: u32,
    /// The first page of the list that it belongs to.
    pub list: Option<i64>,
    /// How many pages of the list before it had nothing new.
    pub barren: u32,
    /// Redirects on the way.
    pub hops: u32,
    /// How often it has failed.
    pub tries: u32,
    /// Validators of the copy that was read before.
    pub etag: Option<String>,
    /// Likewise.
    pub modified: Option<String>,
    /// What the copy that was read before said.
    pub fingerprint: Option<i64>,
}

/// Where a page was found.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// What it is taken for.
    pub role: Role,
    /// Lists between it and the starting point.
    pub depth: u32,
    /// The first page of the list that goes on there.
    pub list: Option<i64>,
    /// How many pages of the list before it had nothing new.
    pub barren: u32,
    /// Redirects on the way.
    pub hops: u32,
}

impl Place {
    /// What the caller names, or what a list, feed or sitemap does.
    pub fn new(role: Role, depth: u32) -> Place {
        Place { role, depth, list: None, barren: 0, hops: 0 }
    }
}

/// The queue, the validators and the output.
pub struct Store {
    db: Connection,
    path: PathBuf,
    out: File,
    out_path: PathBuf,
    length: u64,
    lines: Vec<u8>,
}

type Sql<T> = Result<T, rusqlite::Error>;

impl Store {
    /// Opens the state and the output, or makes them. Another process that has them open is an error.
    ///
    /// # Errors
    /// A file cannot be opened, is none of ours, or does not fit the other.
    pub fn open(path: &Path, out_path: &Path) -> Result<Store, Error> {
        let bad = |e: rusqlite::Error| Error::State(path.into(), said(&e));
        let db = Connection::open(path).map_err(bad)?;
        prepare(&db).map_err(|e| Error::State(path.into(), e))?;
        let noted: Option<i64> = db
            .query_row("SELECT value FROM numbers WHERE name = 'length'", [], |r| r.get(0))
            .optional()
            .map_err(bad)?;
        let wrong = |e: std::io::Error| Error::Output(out_path.into(), e.to_string());
        let mut options = OpenOptions::new();
        let mut out = options.read(true).write(true).create(true).truncate(false).open(out_path).map_err(wrong)?;
        let present = out.metadata().map_err(wrong)?.len();
        let length = match noted {
            Some(noted) if present >= noted as u64 => noted as u64,
            Some(noted) => {
                let why = format!("has {present} bytes, of which {noted} were written; it was changed since then");
                return Err(Error::Output(out_path.into(), why));
            }
            None if present > 0 => {
                let why = "exists, and is no crawl's that could go on; choose another name".to_owned();
                return Err(Error::Output(out_path.into(), why));
            }
            None => 0,
        };
        out.set_len(length).map_err(wrong)?;
        out.seek(SeekFrom::End(0)).map_err(wrong)?;
        let store = Store { db, path: path.into(), out, out_path: out_path.into(), length, lines: Vec::new() };
        store.set_number("length", length as i64)?;
        Ok(store)
    }

    fn sql<T>(&self, result: Sql<T>) -> Result<T, Error> {
        result.map_err(|e| Error::State(self.path.clone(), said(&e)))
    }

    /// Begins a batch of changes.
    ///
    /// # Errors
    /// What SQLite says, here and below.
    pub fn begin(&self) -> Result<(), Error> {
        self.sql(self.db.execute_batch("BEGIN IMMEDIATE"))
    }

    /// Makes the lines and the changes of the batch durable, together.
    ///
    /// # Errors
    /// The output or the state cannot be written.
    pub fn commit(&mut self) -> Result<(), Error> {
        if !self.lines.is_empty() {
            let written = self.out.write_all(&self.lines).and_then(|()| self.out.sync_data());
            written.map_err(|e| Error::Output(self.out_path.clone(), e.to_string()))?;
            self.length += self.lines.len() as u64;
            self.lines.clear();
            self.set_number("length", self.length as i64)?;
        }
        self.sql(self.db.execute_batch("COMMIT"))
    }

    /// Puts a line into the output, at the next commit.
    pub fn write_line(&mut self, line: &str) {
        self.lines.extend_from_slice(line.as_bytes());
        self.lines.push(b'\n');
    }

    /// A number that is kept, 0 at first.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn number(&self, name: &str) -> Result<i64, Error> {
        let found = self.db.query_row("SELECT value FROM numbers WHERE name = ?1", [name], |r| r.get(0)).optional();
        Ok(self.sql(found)?.unwrap_or(0))
    }

    /// Keeps a number.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_number(&self, name: &str, value: i64) -> Result<(), Error> {
        self.sql(self.db.execute("INSERT OR REPLACE INTO numbers VALUES (?1, ?2)", params![name, value])).map(drop)
    }

    /// Adds a page unless it is known; whether it was not.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn add(&self, a: &Address, place: &Place) -> Result<bool, Error> {
        let sql = "INSERT OR IGNORE INTO pages (key, url, origin, form, role, depth, list, barren, hops)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let p = place;
        let values = params![a.key, a.url, a.origin, a.form(), p.role as i64, p.depth, p.list, p.barren, p.hops];
        Ok(self.sql(self.db.prepare(sql).and_then(|mut s| s.execute(values)))? > 0)
    }

    /// Notes that a list names an entry, as [`Address::entry`] says; whether it had not before.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn list_entry(&self, list: i64, entry: &str) -> Result<bool, Error> {
        let sql = "INSERT OR IGNORE INTO listed VALUES (?1, ?2)";
        Ok(self.sql(self.db.prepare(sql).and_then(|mut s| s.execute(params![list, entry])))? > 0)
    }

    /// How many pages of its pagination a list has.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn chain_length(&self, list: i64) -> Result<u32, Error> {
        let sql = "SELECT count(*) FROM pages WHERE list = ?1";
        self.sql(self.db.query_row(sql, [list], |r| r.get(0)))
    }

    /// The hosts that pages are fetched from.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn hosts(&self) -> Result<HashSet<String>, Error> {
        let read = || self.db.prepare("SELECT host FROM hosts")?.query_map([], |r| r.get(0))?.collect::<Sql<_>>();
        self.sql(read())
    }

    /// Adds a host.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn add_host(&self, host: &str) -> Result<(), Error> {
        self.sql(self.db.execute("INSERT OR IGNORE INTO hosts VALUES (?1)", [host])).map(drop)
    }

    /// Origins with pages that wait.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn waiting_origins(&self) -> Result<Vec<String>, Error> {
        let sql = "SELECT DISTINCT origin FROM pages WHERE state = 0 ORDER BY origin";
        let read = || self.db.prepare(sql)?.query_map([], |r| r.get(0))?.collect::<Sql<_>>();
        self.sql(read())
    }

    /// The first page of an origin that may be asked for at `now` and is not under way.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn next(&self, origin: &str, now: i64, under_way: &HashSet<i64>) -> Result<Option<Waiting>, Error> {
        let sql = "SELECT id, url, form, origin, role, depth, list, barren, hops, tries, etag, modified, fingerprint FROM pages
                   WHERE state = 0 AND origin = ?1 AND not_before <= ?2 ORDER BY id";
        let find = || {
            let mut statement = self.db.prepare(sql)?;
            let mut rows = statement.query(params![origin, now])?;
            while let Some(row) = rows.next()? {
                if !under_way.contains(&row.get(0)?) {
                    return waiting(row).map(Some);
                }
            }
            Ok(None)
        };
        self.sql(find())
    }

    /// When the first page of an origin may be asked for.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn wakes(&self, origin: &str, under_way: &HashSet<i64>) -> Result<Option<i64>, Error> {
        let sql = "SELECT id, not_before FROM pages WHERE state = 0 AND origin = ?1 ORDER BY not_before LIMIT ?2";
        let find = || {
            let mut statement = self.db.prepare(sql)?;
            let mut rows = statement.query(params![origin, under_way.len() as i64 + 1])?;
            while let Some(row) = rows.next()? {
                if !under_way.contains(&row.get(0)?) {
                    return row.get(1).map(Some);
                }
            }
            Ok(None)
        };
        self.sql(find())
    }

    /// Whether a page still waits: another may have been found to be the same.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn waits(&self, id: i64) -> Result<bool, Error> {
        self.sql(self.db.query_row("SELECT state = 0 FROM pages WHERE id = ?1", [id], |r| r.get(0)))
    }

    /// Whether another page was written whose text is the same.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn says_the_same(&self, id: i64, fingerprint: i64) -> Result<bool, Error> {
        let sql = "SELECT EXISTS (SELECT 1 FROM pages WHERE fingerprint = ?1 AND id <> ?2 AND state = 1)";
        self.sql(self.db.query_row(sql, params![fingerprint, id], |r| r.get(0)))
    }

    /// Takes the address that a page calls its own. `false` if a page of that address, or one that called it its own, was written.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn claim(&self, id: i64, own: &Address) -> Result<bool, Error> {
        let sql = "SELECT id, state, list FROM pages WHERE key = ?1";
        let known = self.db.query_row(sql, [&own.key], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?))).optional();
        match self.sql::<Option<(i64, i64, Option<i64>)>>(known)? {
            Some((other, ..)) if other == id => Ok(true),
            Some((other, state, _)) if state == State::Waiting as i64 => {
                self.alias(other, id)?;
                Ok(true)
            }
            // An alias remembers in `list` whose it is.
            Some((_, state, of)) if state == State::Alias as i64 => Ok(of == Some(id)),
            Some((_, state, _)) => Ok(state != State::Done as i64),
            None => {
                self.add(own, &Place::new(Role::Entry, 0))?;
                let added = self.db.last_insert_rowid();
                self.alias(added, id)?;
                Ok(true)
            }
        }
    }

    fn alias(&self, id: i64, of: i64) -> Result<(), Error> {
        self.sql(self.db.execute("UPDATE pages SET state = 4, list = ?2 WHERE id = ?1", params![id, of])).map(drop)
    }

    /// Says what has become of a page.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn set_state(&self, id: i64, state: State, error: Option<&str>) -> Result<(), Error> {
        let sql = "UPDATE pages SET state = ?2, error = ?3 WHERE id = ?1";
        self.sql(self.db.execute(sql, params![id, state as i64, error])).map(drop)
    }

    /// Keeps what tells a page from its next version.
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
        self.sql(self.db.execute(sql, params![id, etag, modified, print])).map(drop)
    }

    /// Puts a page back until `not_before`, in milliseconds since 1970.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn put_back(&self, id: i64, tries: u32, not_before: i64) -> Result<(), Error> {
        let sql = "UPDATE pages SET tries = ?2, not_before = ?3 WHERE id = ?1";
        self.sql(self.db.execute(sql, params![id, tries, not_before])).map(drop)
    }

    /// Gives a page another spelling of its address.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn respell(&self, id: i64, a: &Address, hops: u32) -> Result<(), Error> {
        let sql = "UPDATE pages SET url = ?2, origin = ?3, hops = ?4 WHERE id = ?1";
        self.sql(self.db.execute(sql, params![id, a.url, a.origin, hops])).map(drop)
    }

    /// Counts a page of a form, and whether it gave anything.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count_form(&self, form: &str, fruit: bool) -> Result<(), Error> {
        let sql =
            "INSERT INTO forms VALUES (?1, 1, ?2) ON CONFLICT DO UPDATE SET asked = asked + 1, fruit = fruit + ?2";
        self.sql(self.db.execute(sql, params![form, fruit as i64])).map(drop)
    }

    /// How many pages of a form were asked for, and how many gave something.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn form(&self, form: &str) -> Result<(u64, u64), Error> {
        let sql = "SELECT asked, fruit FROM forms WHERE form = ?1";
        let number = |r: &Row<'_>, i| r.get::<_, i64>(i).map(|n| n as u64);
        let found = self.db.query_row(sql, [form], |r| Ok((number(r, 0)?, number(r, 1)?))).optional();
        Ok(self.sql(found)?.unwrap_or((0, 0)))
    }

    /// Pages in a state.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn count(&self, state: State) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM pages WHERE state = ?1";
        self.sql(self.db.query_row(sql, [state as i64], |r| r.get::<_, i64>(0))).map(|n| n as u64)
    }

    /// Puts failed pages back.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn retry_failed(&self) -> Result<(), Error> {
        let sql = "UPDATE pages SET state = 0, tries = 0, not_before = 0, error = NULL WHERE state = 2";
        self.sql(self.db.execute(sql, [])).map(drop)
    }

    /// Puts all pages back, to be asked whether they have changed.
    ///
    /// # Errors
    /// What SQLite says.
    pub fn ask_again(&self) -> Result<(), Error> {
        let sql = "UPDATE pages SET state = 0, tries = 0, not_before = 0, error = NULL, barren = 0 WHERE state <> 4;
                   DELETE FROM listed; DELETE FROM forms;";
        self.sql(self.db.execute_batch(sql))
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
        Ok(false) => Err("is the state of no crawl, or of another version's".into()),
        Err(e) => Err(said(&e)),
    }
}

fn said(e: &rusqlite::Error) -> String {
    match e.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            "is in use by another crawl".into()
        }
        Some(rusqlite::ErrorCode::NotADatabase) => "is the state of no crawl".into(),
        _ => e.to_string(),
    }
}

fn waiting(row: &Row<'_>) -> Sql<Waiting> {
    Ok(Waiting {
        id: row.get(0)?,
        url: row.get(1)?,
        form: row.get(2)?,
        origin: row.get(3)?,
        role: match row.get::<_, i64>(4)? {
            0 => Role::Start,
            1 => Role::Entry,
            2 => Role::More,
            _ => Role::Index,
        },
        depth: row.get(5)?,
        list: row.get(6)?,
        barren: row.get(7)?,
        hops: row.get(8)?,
        tries: row.get(9)?,
        etag: row.get(10)?,
        modified: row.get(11)?,
        fingerprint: row.get(12)?,
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
    fn lines_that_were_not_committed_are_cut_off() {
        let folder = Folder::new("cut");
        let mut store = folder.open().unwrap();
        store.begin().unwrap();
        store.add(&address("/a"), &Place::new(Role::Start, 0)).unwrap();
        store.write_line("one");
        store.commit().unwrap();
        store.begin().unwrap();
        let row = next(&store).unwrap();
        store.set_state(row.id, State::Done, None).unwrap();
        drop(store);
        // As a process does that was killed between the line and the commit.
        std::fs::write(folder.0.join("out.jsonl"), "one\ntwo\nhal").unwrap();
        let store = folder.open().unwrap();
        assert_eq!(folder.out(), "one\n");
        assert_eq!(next(&store).unwrap().url, "https://e.org/a");
    }

    #[test]
    fn files_that_do_not_fit_are_errors() {
        let folder = Folder::new("fit");
        let mut store = folder.open().unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("in use by another crawl"));
        store.begin().unwrap();
        store.write_line("one");
        store.commit().unwrap();
        drop(store);
        std::fs::write(folder.0.join("out.jsonl"), "on").unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("was changed since"));
        std::fs::write(folder.0.join("state"), "what a crawl never wrote").unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("the state of no crawl"));
        std::fs::remove_file(folder.0.join("state")).unwrap();
        assert!(folder.open().err().unwrap().to_string().contains("choose another name"));
    }

    #[test]
    fn pages_are_known_by_all_their_addresses() {
        let folder = Folder::new("alias");
        let store = folder.open().unwrap();
        let place = Place::new(Role::Entry, 1);
        assert!(store.add(&address("/a?x=1&y=2"), &place).unwrap());
        assert!(!store.add(&address("/a?y=2&x=1#c"), &place).unwrap());
        store.add(&address("/b"), &place).unwrap();
        let a = next(&store).unwrap();
        // The page says that it is /b, which waits: /b is not asked for any more.
        assert!(store.claim(a.id, &address("/b")).unwrap());
        store.set_state(a.id, State::Done, None).unwrap();
        assert_eq!(next(&store), None);
        assert!(!store.add(&address("/b"), &place).unwrap());
        // Another page says the same of itself.
        store.add(&address("/c"), &place).unwrap();
        let c = next(&store).unwrap();
        assert!(!store.claim(c.id, &address("/b")).unwrap());
        assert!(!store.claim(c.id, &address("/a?x=1&y=2")).unwrap());
    }

    #[test]
    fn what_was_put_back_waits_for_its_time() {
        let folder = Folder::new("wait");
        let store = folder.open().unwrap();
        store.add(&address("/a"), &Place::new(Role::Entry, 1)).unwrap();
        let row = next(&store).unwrap();
        store.put_back(row.id, 1, 500).unwrap();
        assert_eq!(next(&store), None);
        assert_eq!(store.wakes("https://e.org", &HashSet::new()).unwrap(), Some(500));
        assert_eq!(store.wakes("https://e.org", &HashSet::from([row.id])).unwrap(), None);
        assert_eq!(store.next("https://e.org", 500, &HashSet::new()).unwrap().unwrap().tries, 1);
    }
}
