//! The exceptions of the package.
use maintext_core::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

create_exception!(maintext, MaintextError, PyException, "Base class of all exceptions in maintext.");
create_exception!(
    maintext,
    ExtractionError,
    MaintextError,
    "The extraction failed: it exceeded the time limit, or maintext has a bug."
);
create_exception!(
    maintext,
    InvalidInputError,
    MaintextError,
    "The input is not an HTML page but, for example, a PDF, an image or an archive."
);

/// Returns the class `InvalidOptionError`: an option is unknown or has an invalid value. It derives from `ValueError`, too, as callers expect
/// of a wrong value; the macro knows one base only.
pub fn invalid_option(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        let bases = (py.get_type::<MaintextError>(), py.get_type::<PyValueError>());
        let namespace = PyDict::new(py);
        namespace.set_item("__module__", "maintext")?;
        namespace.set_item("__doc__", "An option is unknown or has an invalid value.")?;
        let class = py.get_type::<PyType>().call1(("InvalidOptionError", bases, namespace))?;
        class.cast_into::<PyType>().map(Bound::unbind).map_err(PyErr::from)
    })?;
    Ok(class.bind(py))
}

/// Returns the exception for an error of the library.
pub fn raise(error: &Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::NotHtml(_) => InvalidInputError::new_err(message),
        Error::UnknownMethod { .. }
        | Error::BadUrl { .. }
        | Error::Model(_)
        | Error::BadModel(_)
        | Error::Unsupported(_) => wrong_option(message),
        _ => ExtractionError::new_err(message),
    }
}

/// Returns the exception for an invalid option.
pub fn wrong_option(message: impl ToString) -> PyErr {
    let message = message.to_string();
    Python::attach(|py| match invalid_option(py) {
        Ok(class) => PyErr::from_type(class.clone(), message),
        Err(error) => error,
    })
}

/// Returns the exception for an argument of the wrong type.
pub fn raise_type(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyTypeError::new_err(message.into())
}

/// Returns the exception for a file that cannot be read or written.
pub fn io_error(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyOSError::new_err(message.into())
}

/// Returns the exception for an invalid argument that is not an option.
pub fn wrong_value(message: impl Into<String>) -> PyErr {
    PyValueError::new_err(message.into())
}
