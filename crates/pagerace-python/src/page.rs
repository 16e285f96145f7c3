//! Pages.

use std::path::PathBuf;
use std::sync::Arc;

use pagerace::embed;
use pyo3::prelude::*;

use crate::errors::exception;

/// A recorded page.
#[pyclass(frozen, module = "pagerace")]
pub(crate) struct Page {
    pub(crate) page: Arc<pagerace_page::Page>,
}

#[pymethods]
impl Page {
    /// Load a recording: a HAR, also compressed by gzip, or a transfer sequence.
    ///
    /// `page` is the id or title of a page in a HAR that has several.
    #[staticmethod]
    #[pyo3(signature = (path, page=None))]
    fn load(py: Python<'_>, path: PathBuf, page: Option<String>) -> PyResult<Self> {
        let page = py
            .detach(|| embed::load(&path, page.as_ref()))
            .map_err(exception)?;
        Ok(Self { page })
    }

    /// The name, which is that of the file.
    #[getter]
    fn name(&self) -> &str {
        &self.page.name
    }

    /// The address of the document.
    #[getter]
    fn url(&self) -> &str {
        &self.page.url
    }

    /// The number of requests.
    #[getter]
    fn requests(&self) -> usize {
        self.page.resources.len()
    }

    /// The number of origins.
    #[getter]
    fn origins(&self) -> usize {
        self.page.origins.len()
    }

    /// The bytes of all bodies, as transferred.
    #[getter]
    fn body_bytes(&self) -> u64 {
        self.page.body_bytes()
    }

    /// The evidence for the times of paints: "recorded", "fitted" or "guessed".
    #[getter]
    fn paints(&self) -> String {
        self.page.paint_evidence().to_string()
    }

    fn __repr__(&self) -> String {
        let Self { page } = self;
        let (requests, bytes) = (page.resources.len(), page.body_bytes());
        format!("<Page {}: {requests} requests, {bytes} bytes>", page.name)
    }
}
