//! The Python package `maintext`: the classes and functions of `maintext._maintext`, which `python/maintext/` puts a Python face on.
//!
//! What takes long runs without the interpreter's lock. Strings are lent, not copied; tables come and go by the Arrow C data
//! interface. The only unsafe code is inside the macros of PyO3 and in arrow-pyarrow.
#![deny(unsafe_op_in_unsafe_fn)]

use pyo3::prelude::*;

mod errors;
mod many;
mod options;
mod page;
mod study;
mod tables;

/// The compiled part of the package.
#[pymodule]
mod _maintext {
    use super::*;

    #[pymodule_export]
    use crate::errors::{ExtractionError, InvalidInputError, InvalidOptionError, MaintextError};
    #[pymodule_export]
    use crate::many::Results;
    #[pymodule_export]
    use crate::page::{Extractor, Page};
    #[pymodule_export]
    use crate::study::{Inspected, evaluate, inspect, train};
    #[pymodule_export]
    use crate::tables::{Records, batch, extract_record_batch, fetch, field_names, schema};

    /// Makes a panic on one page that page's error.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        maintext_util::guard::install();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("METHODS", maintext_core::method::NAMES.to_vec())
    }
}
