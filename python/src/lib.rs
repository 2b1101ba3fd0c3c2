//! The module `maintext._maintext`: the compiled classes and functions that the Python code in `python/maintext/` builds on.
//!
//! Long-running work releases the interpreter's lock. Strings are borrowed, not copied, and tables pass through the Arrow C data
//! interface. The only unsafe code is inside the macros of PyO3 and in arrow-pyarrow.
#![deny(unsafe_op_in_unsafe_fn)]

use pyo3::prelude::*;

mod block;
mod chunks;
mod columns;
mod command;
mod dedup;
mod errors;
mod extractor;
mod fetch;
mod input;
mod language;
mod look;
mod many;
mod options;
mod page;
mod sites;
mod state;
mod study;
mod tables;

/// The compiled part of the package.
#[pymodule(gil_used = false)]
mod _maintext {
    use super::*;

    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::dedup::{normalize_url, signature, signature_column};
    #[pymodule_export]
    use crate::errors::{ExtractionError, InvalidInputError, MaintextError};
    #[pymodule_export]
    use crate::extractor::Extractor;
    #[pymodule_export]
    use crate::fetch::fetch;
    #[pymodule_export]
    use crate::language::language;
    #[pymodule_export]
    use crate::look::{classify, entries};
    #[pymodule_export]
    use crate::many::Results;
    #[pymodule_export]
    use crate::page::{Page, restored};
    #[pymodule_export]
    use crate::sites::Samples;
    #[pymodule_export]
    use crate::study::{Inspected, inspect, train};
    #[pymodule_export]
    use crate::tables::{Records, batch, extract_record_batch, field_names, schema};

    /// Initialises the module. A panic on one page becomes the error of that page.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        maintext_util::guard::install();
        module.add("InvalidOptionError", crate::errors::invalid_option(module.py())?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("METHODS", maintext_core::method::NAMES.to_vec())
    }
}
