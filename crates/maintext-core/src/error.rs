//! What can go wrong.
use std::fmt;

/// Why a page gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no method of that name.
    UnknownMethod(String),
    /// [`Options::url`](crate::Options::url) is no absolute address.
    BadUrl(String),
    /// The input is not a page: a PDF, an image, an archive.
    NotHtml(&'static str),
    /// A model file is damaged, or does not fit the method or this version.
    BadModel(String),
    /// A method was asked for what it cannot do.
    Unsupported(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownMethod(name) => {
                write!(f, "unknown method '{name}' (known: {})", crate::method::NAMES.join(", "))
            }
            Error::BadUrl(url) => write!(f, "'{url}' is not an absolute http(s) address"),
            Error::BadModel(why) => write!(f, "bad model: {why}"),
            Error::Unsupported(what) => f.write_str(what),
            Error::NotHtml(what) => write!(f, "the input is {what}, not an HTML page"),
        }
    }
}

impl std::error::Error for Error {}
