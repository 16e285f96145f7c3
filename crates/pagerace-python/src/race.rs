//! Races.

use std::path::PathBuf;
use std::sync::Arc;

use pagerace::embed;
use pyo3::prelude::*;

use crate::errors;
use crate::loads::Loads;
use crate::page::Page;
use crate::watch::watched;

/// The results of a race.
#[pyclass(frozen, module = "pagerace")]
pub(crate) struct Results {
    results: pagerace_lab::Results,
    /// Warnings that a user should see before trusting the results.
    #[pyo3(get)]
    warnings: Vec<String>,
}

/// Race `pages` with options of `pagerace race`, or with `contenders` in words.
#[pyfunction]
#[pyo3(signature = (pages, arguments, contenders, jobs=None, tell=None))]
pub(crate) fn race(
    py: Python<'_>,
    pages: Vec<PyRef<'_, Page>>,
    arguments: Vec<String>,
    contenders: Vec<String>,
    jobs: Option<u16>,
    tell: Option<Py<PyAny>>,
) -> PyResult<Results> {
    let pages: Vec<_> = pages.iter().map(|page| Arc::clone(&page.page)).collect();
    let (results, warnings) = watched(py, tell, move |hook| {
        embed::race(&pages, arguments, contenders, jobs, hook)
    })?;
    Ok(Results { results, warnings })
}

#[pymethods]
impl Results {
    /// The results file that `pagerace race --json` writes.
    fn json(&self, py: Python<'_>) -> String {
        py.detach(|| embed::json(&self.results))
    }

    /// Write the results file.
    fn save(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        py.detach(|| errors::write(&to, &embed::json(&self.results)))
    }

    /// The answer that `pagerace race` prints.
    fn answer(&self) -> String {
        embed::answer(&self.results)
    }

    /// One row for each load.
    fn loads(&self) -> PyResult<Loads> {
        Loads::new(&embed::rows(&self.results))
    }
}
