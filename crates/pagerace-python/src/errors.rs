//! Errors of the engine as exceptions.

use std::path::Path;

use pagerace::embed;
use pagerace_lab::export::file::write_atomically;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::{PyErr, PyResult, create_exception};

create_exception!(
    pagerace,
    PageraceError,
    PyException,
    "A file, an option or a load is not right. The text names the file, the place in it, what \
     was found, and what to do."
);

/// Returns the exception of an error.
pub(crate) fn exception(error: anyhow::Error) -> PyErr {
    let text = embed::one_line(&error);
    if embed::is_interrupt(&error) {
        PyKeyboardInterrupt::new_err(text)
    } else {
        PageraceError::new_err(text)
    }
}

/// Writes a file.
pub(crate) fn write(path: &Path, text: &str) -> PyResult<()> {
    write_atomically(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| exception(error.into()))
}
