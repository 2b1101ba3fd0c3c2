//! The exceptions of the package.
use maintext_core::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

create_exception!(maintext, MaintextError, PyException, "What maintext raises; the others are kinds of it.");
create_exception!(
    maintext,
    ExtractionError,
    MaintextError,
    "A page gave no result: it took too long, or a bug was met."
);
create_exception!(maintext, InvalidInputError, MaintextError, "The input is no page: a PDF, an image, an archive.");
create_exception!(
    maintext,
    InvalidOptionError,
    MaintextError,
    "An option that does not exist, or a value that it cannot have."
);

/// The exception for an error of the library.
pub fn raise(error: &Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::NotHtml(_) => InvalidInputError::new_err(message),
        Error::UnknownMethod { .. }
        | Error::BadUrl { .. }
        | Error::Model(_)
        | Error::BadModel(_)
        | Error::Unsupported(_) => InvalidOptionError::new_err(message),
        _ => ExtractionError::new_err(message),
    }
}

/// The exception for an option with a wrong value.
pub fn wrong_option(message: impl Into<String>) -> PyErr {
    InvalidOptionError::new_err(message.into())
}

/// The exception for a file that cannot be read or written.
pub fn io_error(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyOSError::new_err(message.into())
}

/// The exception for a value of the wrong kind that is no option.
pub fn wrong_value(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
