//! The module `pagerace._engine`: pages, races and studies for the Python package, which wraps
//! them in classes of its own.

#![allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    reason = "the signatures are those of Python's functions"
)]

use pyo3::prelude::*;

mod corpus;
mod errors;
mod loads;
mod page;
mod race;
mod study;
mod watch;

/// The engine of Pagerace. Use the package `pagerace`, which wraps it.
#[pymodule]
mod _engine {
    use super::{Bound, PyModule, PyModuleMethods as _, PyResult};

    #[pymodule_export]
    use super::corpus::{Corpus, corpus};
    #[pymodule_export]
    use super::errors::PageraceError;
    #[pymodule_export]
    use super::loads::Loads;
    #[pymodule_export]
    use super::page::Page;
    #[pymodule_export]
    use super::race::{Results, race};
    #[pymodule_export]
    use super::study::{Study, column};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", pagerace_lab::VERSION)
    }
}
