//! The error of this crate.
use maintext_core::model::ModelError;
use maintext_core::rules::RuleError;
use maintext_core::schema::SchemaError;
use std::fmt;

/// The reason why a page gave no result, or a setting was refused.
///
/// The message names the wrong value and the problem; [`source`](std::error::Error::source) returns the underlying error, if there is one.
///
/// ```
/// let error = maintext::extract(b"%PDF-1.7 ...", &maintext::Options::new()).unwrap_err();
/// assert_eq!(error.to_string(), "the input is a PDF, not an HTML page");
/// assert!(error.is_not_html());
/// ```
#[derive(Clone)]
pub struct Error(Cause);

#[derive(Clone)]
enum Cause {
    Page(maintext_core::Error),
    Rule(RuleError),
    Schema(SchemaError),
    Setting(String),
}

impl Error {
    pub(crate) fn setting(message: String) -> Error {
        Error(Cause::Setting(message))
    }

    /// Whether the input is not a web page: a PDF, an image, an archive.
    pub fn is_not_html(&self) -> bool {
        matches!(self.0, Cause::Page(maintext_core::Error::NotHtml(_)))
    }

    /// Whether the page's address is not an absolute address.
    pub fn is_bad_url(&self) -> bool {
        matches!(self.0, Cause::Page(maintext_core::Error::BadUrl { .. }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Page(error) => error.fmt(f),
            Cause::Rule(error) => error.fmt(f),
            Cause::Schema(error) => write!(f, "schema: {error}"),
            Cause::Setting(message) => f.write_str(message),
        }
    }
}

/// The message: what a program prints whose `main` returns the error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source = match &self.0 {
            Cause::Page(error) => error.source(),
            Cause::Rule(error) => error.source(),
            Cause::Schema(error) => error.source(),
            Cause::Setting(_) => None,
        };
        // A chain of errors would print a cause twice that is in the message.
        source.filter(|source| !self.to_string().contains(&source.to_string()))
    }
}

impl From<maintext_core::Error> for Error {
    fn from(error: maintext_core::Error) -> Error {
        Error(Cause::Page(error))
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Error {
        Error(Cause::Page(error.into()))
    }
}

impl From<RuleError> for Error {
    fn from(error: RuleError) -> Error {
        Error(Cause::Rule(error))
    }
}

impl From<SchemaError> for Error {
    fn from(error: SchemaError) -> Error {
        Error(Cause::Schema(error))
    }
}
