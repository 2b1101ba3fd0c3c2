//! Errors of data and model files.
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a data set, a model or a report could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened, read or written.
    File {
        /// The file.
        path: PathBuf,
        /// The line being read, counted from 1, if known.
        line: Option<usize>,
        /// The system's error.
        cause: std::io::Error,
    },
    /// A line of a data set is invalid.
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The reason.
        message: String,
    },
    /// Anything else: an unsuitable model, a set without labels, an invalid setting.
    Other(String),
}

impl Error {
    /// Creates an error for a system failure on a file.
    pub fn file(path: &Path, cause: std::io::Error) -> Error {
        Error::File { path: path.to_owned(), line: None, cause }
    }
    /// Creates an error from a message.
    pub fn other(message: impl Into<String>) -> Error {
        Error::Other(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::File { path, line: None, cause } => write!(f, "{}: {cause}", path.display()),
            Error::File { path, line: Some(line), cause } => write!(f, "{}, line {line}: {cause}", path.display()),
            Error::Line { path, line, message } => write!(f, "{}, line {line}: {message}", path.display()),
            Error::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::File { cause, .. } => Some(cause),
            _ => None,
        }
    }
}
