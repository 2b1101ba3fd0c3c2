//! Why a service cannot start.
use std::fmt;
use std::path::Path;

/// Why a service cannot start. The message is one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// A setting is invalid, or a file that it names cannot be read.
    Setting(String),
    /// The store cannot be used.
    Store(String),
}

impl StartError {
    /// Returns the error of the store at `path`, with advice.
    pub(crate) fn store(path: Option<&Path>, error: &rusqlite::Error) -> StartError {
        use rusqlite::ErrorCode;
        let remedy = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                "; the file is damaged or not a store: put a copy back, or move it away to begin an empty one"
            }
            Some(ErrorCode::CannotOpen) => "; the folder must exist, and the service must be allowed to write in it",
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => "; another program holds it",
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => "; the service must be allowed to write it",
            _ => "",
        };
        StartError::Store(match path {
            Some(path) => format!("{}: {error}{remedy}", path.display()),
            None => error.to_string(),
        })
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (StartError::Setting(message) | StartError::Store(message)) = self;
        f.write_str(message)
    }
}

impl std::error::Error for StartError {}

impl From<String> for StartError {
    fn from(message: String) -> StartError {
        StartError::Setting(message)
    }
}

/// Checks the origins whose scripts may use the API.
///
/// # Errors
/// One is not written as browsers send it, so that it would match none.
pub(crate) fn check_origins(origins: &[String]) -> Result<(), StartError> {
    for origin in origins {
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        if origin != "*" && origin != "null" && (host.is_empty() || host.contains(['/', '?', '#', ' '])) {
            let why = "expected an origin as browsers send it, such as https://app.example.org, or *";
            return Err(StartError::Setting(format!("--cors '{origin}': {why}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_that_no_browser_sends_is_refused() {
        for right in ["*", "null", "https://app.example.org", "http://localhost:3000", "chrome-extension://abc"] {
            check_origins(&[right.to_owned()]).unwrap();
        }
        for wrong in ["example.org", "https://app.example.org/", "https://", "https://a.example, https://b.example", ""]
        {
            let message = check_origins(&[wrong.to_owned()]).unwrap_err().to_string();
            assert!(message.starts_with(&format!("--cors '{wrong}': expected an origin")), "{message}");
        }
    }
    use crate::store::ServerStore;

    #[test]
    fn a_damaged_store_is_named_with_the_remedy() {
        let path = std::env::temp_dir().join(format!("maintext-damaged-{}", std::process::id()));
        std::fs::write(&path, "this is not a database, but a text of some length".repeat(100)).unwrap();
        let error = ServerStore::open(Some(&path), 1 << 20).err().map(|e| StartError::store(Some(&path), &e)).unwrap();
        std::fs::remove_file(&path).unwrap();
        let message = error.to_string();
        assert!(matches!(error, StartError::Store(_)) && message.starts_with(&path.display().to_string()), "{message}");
        assert!(message.contains("move it away"), "{message}");
    }
}
