//! Jobs in the store: crawls and batches, with their results until they expire.
use super::ServerStore;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::Value;

pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, url TEXT NOT NULL, request TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'scraping', total INTEGER NOT NULL, documents INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL, expires INTEGER NOT NULL, warning TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS job_urls (
    job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, n INTEGER NOT NULL, url TEXT NOT NULL, PRIMARY KEY (job, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS job_rows (
    id INTEGER PRIMARY KEY, job TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE, n INTEGER NOT NULL, ends INTEGER NOT NULL,
    kind INTEGER NOT NULL, url TEXT NOT NULL, code TEXT, text TEXT NOT NULL, made INTEGER NOT NULL, UNIQUE (job, kind, n)
) STRICT;
";

/// A job.
#[derive(Clone, Debug)]
pub struct StoredJob {
    /// Its id, which cannot be guessed.
    pub id: String,
    /// `crawl` or `batch`.
    pub kind: String,
    /// The client that began it.
    pub owner: String,
    /// The starting point of a crawl.
    pub url: String,
    /// The request's body.
    pub request: Value,
    /// `scraping`, `completed`, `cancelled` or `failed`.
    pub state: String,
    /// Number of addresses in a batch.
    pub total: i64,
    /// Number of documents.
    pub documents: i64,
    /// When it began and when it is deleted, in seconds since 1970.
    pub created: i64,
    /// See [`StoredJob::created`].
    pub expires: i64,
    /// What the client should know.
    pub warning: Option<String>,
}

/// The kind of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A document.
    Document = 0,
    /// A page that failed.
    Failure = 1,
    /// An address that robots.txt forbids.
    Forbidden = 2,
}

/// A row of a job.
#[derive(Clone, Debug)]
pub struct JobRow {
    /// Its kind.
    pub kind: RowKind,
    /// The address.
    pub url: String,
    /// The code of a failure.
    pub code: Option<String>,
    /// The document as JSON, or the message of a failure.
    pub text: String,
    /// When it was written, in seconds since 1970.
    pub made: i64,
}

const COLUMNS: &str = "id, kind, owner, url, request, state, total, documents, created, expires, warning";

fn job(row: &Row<'_>) -> rusqlite::Result<StoredJob> {
    Ok(StoredJob {
        id: row.get(0)?,
        kind: row.get(1)?,
        owner: row.get(2)?,
        url: row.get(3)?,
        request: serde_json::from_str(&row.get::<_, String>(4)?).unwrap_or(Value::Null),
        state: row.get(5)?,
        total: row.get(6)?,
        documents: row.get(7)?,
        created: row.get(8)?,
        expires: row.get(9)?,
        warning: row.get(10)?,
    })
}

/// All methods return the error of SQLite.
impl ServerStore {
    /// Adds a job with the addresses of a batch.
    ///
    /// # Errors
    /// See above; here and below.
    pub fn add_job(&self, job: &StoredJob, urls: &[String]) -> rusqlite::Result<()> {
        let mut connection = self.lock();
        let work = connection.transaction()?;
        let sql = "INSERT INTO jobs (id, kind, owner, url, request, total, created, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let j = job;
        let request = j.request.to_string();
        work.execute(sql, params![j.id, j.kind, j.owner, j.url, request, j.total, j.created, j.expires])?;
        for (n, url) in urls.iter().enumerate() {
            work.execute("INSERT INTO job_urls VALUES (?1, ?2, ?3)", params![job.id, n as i64, url])?;
        }
        work.commit()
    }

    /// Returns a job.
    ///
    /// # Errors
    /// See above.
    pub fn job(&self, id: &str) -> rusqlite::Result<Option<StoredJob>> {
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE id = ?1");
        self.lock().query_row(&sql, [id], job).optional()
    }

    /// Returns the jobs that are not complete, the oldest first.
    ///
    /// # Errors
    /// See above.
    pub fn open_jobs(&self) -> rusqlite::Result<Vec<StoredJob>> {
        let connection = self.lock();
        let sql = format!("SELECT {COLUMNS} FROM jobs WHERE state = 'scraping' ORDER BY rowid");
        connection.prepare(&sql)?.query_map([], job)?.collect()
    }

    /// Raises the number of addresses of a job, and returns it: it never falls.
    ///
    /// # Errors
    /// See above.
    pub fn raise_total(&self, id: &str, total: i64) -> rusqlite::Result<i64> {
        let sql = "UPDATE jobs SET total = max(total, ?2) WHERE id = ?1 RETURNING total";
        self.lock().query_row(sql, params![id, total], |row| row.get(0))
    }

    /// Ends a job that is not complete. Returns whether it was not.
    ///
    /// # Errors
    /// See above.
    pub fn cancel_job(&self, id: &str, expires: i64) -> rusqlite::Result<bool> {
        let sql = "UPDATE jobs SET state = 'cancelled', expires = ?2 WHERE id = ?1 AND state = 'scraping'";
        Ok(self.lock().execute(sql, params![id, expires])? > 0)
    }

    /// Notes the end of the work on a job that is not complete. Returns whether it was not.
    ///
    /// # Errors
    /// See above.
    pub fn end_job(&self, id: &str, state: &str, warning: Option<&str>, expires: i64) -> rusqlite::Result<bool> {
        let sql = "UPDATE jobs SET state = ?2, warning = ?3, expires = ?4 WHERE id = ?1 AND state = 'scraping'";
        Ok(self.lock().execute(sql, params![id, state, warning, expires])? > 0)
    }

    /// Deletes the jobs that have expired, and returns their ids.
    ///
    /// # Errors
    /// See above.
    pub fn expire_jobs(&self, now: i64) -> rusqlite::Result<Vec<String>> {
        let connection = self.lock();
        let mut expired = connection.prepare("DELETE FROM jobs WHERE expires <= ?1 RETURNING id")?;
        expired.query_map([now], |r| r.get(0))?.collect()
    }

    /// Returns the number of bytes of all results.
    ///
    /// # Errors
    /// See above.
    pub fn job_bytes(&self) -> rusqlite::Result<i64> {
        self.lock().query_row("SELECT coalesce(sum(bytes), 0) FROM jobs", [], |r| r.get(0))
    }

    /// Returns the addresses of a batch without a result, with their numbers.
    ///
    /// # Errors
    /// See above.
    pub fn waiting_urls(&self, id: &str) -> rusqlite::Result<Vec<(i64, String)>> {
        let connection = self.lock();
        let sql = "SELECT n, url FROM job_urls u WHERE job = ?1 AND NOT EXISTS
                   (SELECT 1 FROM job_rows r WHERE r.job = u.job AND r.n = u.n) ORDER BY n";
        connection.prepare(sql)?.query_map([id], |r| Ok((r.get(0)?, r.get(1)?)))?.collect()
    }

    /// Adds the row of an address of a batch. Does nothing if the job was deleted.
    ///
    /// # Errors
    /// See above.
    pub fn add_row(&self, id: &str, n: i64, row: &JobRow) -> rusqlite::Result<()> {
        let mut connection = self.lock();
        let work = connection.transaction()?;
        if counts(&work, id, row)? {
            insert(&work, id, n, 0, row)?;
        }
        work.commit()
    }

    /// Returns the length of the output of a crawl: where its last row ends.
    ///
    /// # Errors
    /// See above.
    pub fn rows_end(&self, id: &str) -> rusqlite::Result<i64> {
        self.lock().query_row("SELECT coalesce(max(ends), 0) FROM job_rows WHERE job = ?1", [id], |r| r.get(0))
    }

    /// Deletes the rows of a crawl behind `end`.
    ///
    /// # Errors
    /// See above.
    pub fn cut_rows(&self, id: &str, end: i64) -> rusqlite::Result<()> {
        let mut connection = self.lock();
        let work = connection.transaction()?;
        work.execute("DELETE FROM job_rows WHERE job = ?1 AND ends > ?2", params![id, end])?;
        let sql = "UPDATE jobs SET documents = (SELECT count(*) FROM job_rows WHERE job = ?1 AND kind = 0),
                   bytes = (SELECT coalesce(sum(length(CAST(text AS BLOB))), 0) FROM job_rows WHERE job = ?1) WHERE id = ?1";
        work.execute(sql, [id])?;
        work.commit()
    }

    /// Appends rows of a crawl, each with its length in the output, which begins at `start`.
    ///
    /// # Errors
    /// See above; also if the job was deleted.
    pub fn append_rows(&self, id: &str, start: i64, rows: &[(i64, JobRow)]) -> rusqlite::Result<()> {
        let mut connection = self.lock();
        let work = connection.transaction()?;
        let sql = "SELECT coalesce(max(n) + 1, 0) FROM job_rows WHERE job = ?1";
        let first: i64 = work.query_row(sql, [id], |r| r.get(0))?;
        let mut ends = start;
        for (n, (length, row)) in (first..).zip(rows) {
            ends += length;
            if !counts(&work, id, row)? {
                return Err(rusqlite::Error::QueryReturnedNoRows);
            }
            insert(&work, id, n, ends, row)?;
        }
        work.commit()
    }

    /// Returns documents of a job behind the first `skip`, at most `count` and about `bytes`, but at least one.
    ///
    /// # Errors
    /// See above.
    pub fn documents(&self, id: &str, skip: i64, count: usize, bytes: usize) -> rusqlite::Result<Vec<String>> {
        let connection = self.lock();
        let sql = "SELECT text FROM job_rows WHERE job = ?1 AND kind = 0 ORDER BY n LIMIT ?2 OFFSET ?3";
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query(params![id, count as i64, skip])?;
        let (mut out, mut size) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let text: String = row.get(0)?;
            size += text.len();
            if size > bytes && !out.is_empty() {
                break;
            }
            out.push(text);
        }
        Ok(out)
    }

    /// Returns the rows of a kind with their ids.
    ///
    /// # Errors
    /// See above.
    pub fn job_rows(&self, id: &str, kind: RowKind) -> rusqlite::Result<Vec<(i64, JobRow)>> {
        let connection = self.lock();
        let sql = "SELECT id, url, code, text, made FROM job_rows WHERE job = ?1 AND kind = ?2 ORDER BY n LIMIT 10000";
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map(params![id, kind as i64], |r| {
            Ok((r.get(0)?, JobRow { kind, url: r.get(1)?, code: r.get(2)?, text: r.get(3)?, made: r.get(4)? }))
        })?;
        rows.collect()
    }
}

/// Adds a row to the counts of a job. Returns whether there is such a job.
fn counts(work: &Connection, id: &str, row: &JobRow) -> rusqlite::Result<bool> {
    let is_document = i64::from(row.kind == RowKind::Document);
    let sql = "UPDATE jobs SET bytes = bytes + ?2, documents = documents + ?3 WHERE id = ?1";
    Ok(work.execute(sql, params![id, row.text.len() as i64, is_document])? > 0)
}

fn insert(work: &Connection, id: &str, n: i64, ends: i64, row: &JobRow) -> rusqlite::Result<()> {
    let sql =
        "INSERT INTO job_rows (job, n, ends, kind, url, code, text, made) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    work.execute(sql, params![id, n, ends, row.kind as i64, row.url, row.code, row.text, row.made]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(id: &str, expires: i64) -> StoredJob {
        let text = |t: &str| t.to_owned();
        StoredJob {
            id: text(id),
            kind: text("batch"),
            owner: text("a"),
            url: text("https://e.org/"),
            request: Value::Null,
            state: text("scraping"),
            total: 2,
            documents: 0,
            created: 0,
            expires,
            warning: None,
        }
    }

    fn row(kind: RowKind, text: &str) -> JobRow {
        JobRow { kind, url: "https://e.org/".into(), code: None, text: text.into(), made: 1 }
    }

    #[test]
    fn a_batch_keeps_what_is_done_and_what_is_left() {
        let store = ServerStore::open(None, 1 << 20).unwrap();
        store.add_job(&stored("one", 10), &["https://e.org/1".into(), "https://e.org/2".into()]).unwrap();
        store.add_row("one", 1, &row(RowKind::Document, "{}")).unwrap();
        assert_eq!(store.waiting_urls("one").unwrap(), [(0, "https://e.org/1".to_owned())]);
        assert_eq!((store.job("one").unwrap().unwrap().documents, store.job_bytes().unwrap()), (1, 2));
        assert!(store.job("two").unwrap().is_none());
        assert_eq!((store.raise_total("one", 1).unwrap(), store.raise_total("one", 9).unwrap()), (2, 9));
        assert!(store.end_job("one", "completed", None, 20).unwrap() && !store.cancel_job("one", 20).unwrap());
        assert!(store.open_jobs().unwrap().is_empty());
        assert_eq!((store.expire_jobs(19).unwrap().len(), store.expire_jobs(20).unwrap()), (0, vec!["one".to_owned()]));
        assert_eq!((store.job_bytes().unwrap(), store.job_rows("one", RowKind::Document).unwrap().len()), (0, 0));
        // A page that finishes after its job was deleted is dropped.
        store.add_row("one", 0, &row(RowKind::Document, "{}")).unwrap();
    }

    #[test]
    fn rows_behind_the_recorded_end_are_cut() {
        let store = ServerStore::open(None, 1 << 20).unwrap();
        store.add_job(&stored("one", 10), &[]).unwrap();
        assert!(store.append_rows("two", 0, &[(3, row(RowKind::Document, "abc"))]).is_err(), "no such job");
        let doc = |text: &str| (text.len() as i64, row(RowKind::Document, text));
        store.append_rows("one", 0, &[doc("abc"), (4, row(RowKind::Failure, "gone"))]).unwrap();
        store.append_rows("one", 7, &[doc("defgh")]).unwrap();
        assert_eq!((store.rows_end("one").unwrap(), store.job_bytes().unwrap()), (12, 12));
        store.cut_rows("one", 7).unwrap();
        assert_eq!((store.rows_end("one").unwrap(), store.job_bytes().unwrap()), (7, 7));
        assert_eq!(store.documents("one", 0, 10, 100).unwrap(), ["abc"]);
        store.append_rows("one", 7, &[doc("x"), doc("y")]).unwrap();
        assert_eq!(store.documents("one", 1, 10, 1).unwrap(), ["x"]);
        assert_eq!(store.documents("one", 1, 10, 100).unwrap(), ["x", "y"]);
        assert_eq!(store.documents("one", 3, 10, 100).unwrap().len(), 0);
    }
}
