//! Errors of an extraction.
use crate::model::ModelError;
use std::fmt;

/// The reason why a page gave no result, or an extractor could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// No method has that name.
    UnknownMethod {
        /// The name as given.
        name: String,
        /// The names of the methods that exist.
        known: &'static [&'static str],
    },
    /// The page's address is not an absolute address with a host.
    BadUrl {
        /// The address as given.
        url: String,
        /// The cause, unless the address can be parsed and only lacks a host.
        source: Option<url::ParseError>,
    },
    /// The input is not an HTML page but, for example, a PDF, an image or an archive.
    NotHtml(&'static str),
    /// A model file is damaged, or was written by another version.
    Model(ModelError),
    /// A model does not fit the method.
    BadModel(String),
    /// A method was given a parameter that it does not have.
    Unsupported(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownMethod { name, known } => write!(f, "unknown method '{name}' (known: {})", known.join(", ")),
            Error::BadUrl { url, .. } => {
                write!(f, "'{url}' is not the absolute address of a host, such as https://example.org/a")
            }
            Error::Model(error @ ModelError::LeftOut(_)) => error.fmt(f),
            Error::Model(error) => write!(f, "bad model: {error}"),
            Error::BadModel(why) => write!(f, "bad model: {why}"),
            Error::Unsupported(what) => f.write_str(what),
            Error::NotHtml(what) => write!(f, "the input is {what}, not an HTML page"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::BadUrl { source, .. } => source.as_ref().map(|e| e as _),
            Error::Model(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Error {
        Error::Model(error)
    }
}
