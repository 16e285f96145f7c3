//! Corpora.

use std::path::PathBuf;

use pagerace::embed;
use pyo3::prelude::*;

use crate::errors;
use crate::loads::Loads;
use crate::watch::watched;

/// A corpus with its findings.
#[pyclass(frozen, module = "pagerace")]
pub(crate) struct Corpus {
    corpus: embed::Corpus,
}

/// Survey recordings with options of `pagerace corpus`.
#[pyfunction]
#[pyo3(signature = (arguments, jobs=None, tell=None))]
pub(crate) fn corpus(
    py: Python<'_>,
    arguments: Vec<String>,
    jobs: Option<u16>,
    tell: Option<Py<PyAny>>,
) -> PyResult<Corpus> {
    let corpus = watched(py, tell, move |hook| embed::corpus(arguments, jobs, hook))?;
    Ok(Corpus { corpus })
}

#[pymethods]
impl Corpus {
    /// The file that `pagerace corpus --json` writes.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| self.corpus.json())
    }

    /// Write the file that `pagerace corpus --json` writes.
    fn save(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        py.detach(|| errors::write(&to, &self.corpus.json()))
    }

    /// The answer that `pagerace corpus` prints.
    fn answer(&self) -> String {
        self.corpus.answer()
    }

    /// One row for each answered request.
    fn requests(&self) -> PyResult<Loads> {
        Loads::new(&self.corpus.requests())
    }
}
