//! What can go wrong with files of data and models.
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a data set, a model or a report could not be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened, read or written.
    File {
        /// Which file.
        path: PathBuf,
        /// The line that was being read, counted from 1, if it is known.
        line: Option<usize>,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// A line of a data set is not what the format says.
    Line {
        /// Which file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Anything else: a model that does not fit, a set without labels, a setting that makes no sense.
    Other(String),
}

impl Error {
    /// A failure of the system on a file.
    pub fn file(path: &Path, cause: std::io::Error) -> Error {
        Error::File { path: path.to_owned(), line: None, cause }
    }
    /// An error that a sentence tells.
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
