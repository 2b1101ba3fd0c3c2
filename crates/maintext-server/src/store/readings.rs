//! The last reading of each page whose changes a client tracks.
use super::ServerStore;
use rusqlite::{OptionalExtension as _, params};

pub(super) const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS readings (
    holder TEXT NOT NULL, url TEXT NOT NULL, tag TEXT NOT NULL, text TEXT NOT NULL, title TEXT, language TEXT, made INTEGER NOT NULL,
    PRIMARY KEY (holder, url, tag)
) STRICT;
";

/// A reading.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredReading {
    /// The main text, one block per line.
    pub text: String,
    /// The title.
    pub title: Option<String>,
    /// The language, as a BCP 47 tag.
    pub language: Option<String>,
    /// When it was made, in seconds since 1970.
    pub made: i64,
}

/// All methods return the error of SQLite.
impl ServerStore {
    /// Returns the last reading by a holder of an address with a tag.
    ///
    /// # Errors
    /// See above; here and below.
    pub fn reading(&self, key: [&str; 3]) -> rusqlite::Result<Option<StoredReading>> {
        let sql = "SELECT text, title, language, made FROM readings WHERE holder = ?1 AND url = ?2 AND tag = ?3";
        let read = self.lock().query_row(sql, key, |row| {
            Ok(StoredReading { text: row.get(0)?, title: row.get(1)?, language: row.get(2)?, made: row.get(3)? })
        });
        read.optional()
    }

    /// Replaces the last reading. If the readings together become too large, the oldest are deleted.
    ///
    /// # Errors
    /// See above.
    pub fn keep_reading(&self, [holder, url, tag]: [&str; 3], reading: &StoredReading) -> rusqlite::Result<()> {
        let StoredReading { text, title, language, made } = reading;
        let mut connection = self.lock();
        let work = connection.transaction()?;
        let sql = "INSERT OR REPLACE INTO readings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        work.execute(sql, params![holder, url, tag, text, title, language, made])?;
        loop {
            let sql = "SELECT coalesce(sum(octet_length(text) + octet_length(url)), 0), count(*) FROM readings";
            let (bytes, count): (i64, i64) = work.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            if bytes <= self.capacity as i64 {
                break;
            }
            // A tenth at a time, so that a full store is not searched for each page.
            let sql = "DELETE FROM readings WHERE rowid IN (SELECT rowid FROM readings ORDER BY made, rowid LIMIT ?1)";
            work.execute(sql, [count / 10 + 1])?;
        }
        work.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_readings_are_forgotten_when_the_store_is_full() {
        let store = ServerStore::open(None, 3000).unwrap();
        let reading = |made| StoredReading { text: "x".repeat(900), title: None, language: Some("en".into()), made };
        for made in 0..5 {
            store.keep_reading(["a", &format!("https://e.org/{made}"), ""], &reading(made)).unwrap();
        }
        let kept = |n: i64| store.reading(["a", &format!("https://e.org/{n}"), ""]).unwrap();
        assert_eq!((kept(0), kept(1), kept(4)), (None, None, Some(reading(4))));
        // Each holder and each tag has readings of its own.
        assert_eq!(
            (
                store.reading(["b", "https://e.org/4", ""]).unwrap(),
                store.reading(["a", "https://e.org/4", "t"]).unwrap()
            ),
            (None, None)
        );
        store.keep_reading(["a", "https://e.org/4", ""], &reading(9)).unwrap();
        assert_eq!(kept(4), Some(reading(9)));
    }
}
