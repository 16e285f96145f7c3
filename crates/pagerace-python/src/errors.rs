//! Errors of the engine as exceptions.

use pagerace::embed;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::{PyErr, create_exception};

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
