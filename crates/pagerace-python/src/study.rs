//! Studies.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pagerace::embed;
use pagerace_lab::MetricId;
use pagerace_study::Shard;
use pagerace_study::table::{TableKind, TableSpec, Value};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;

use crate::errors::{PageraceError, exception};
use crate::loads::Loads;
use crate::watch::watched;

/// A plan and the folder of its results.
#[pyclass(frozen, module = "pagerace")]
pub(crate) struct Study {
    study: embed::Study,
}

/// A filled table: the caption, the names of the columns, and the rows.
type Filled = (String, Vec<String>, Vec<Vec<Py<PyAny>>>);

#[pymethods]
impl Study {
    #[new]
    fn new(
        py: Python<'_>,
        plan: PathBuf,
        pages: Vec<String>,
        output: Option<PathBuf>,
    ) -> PyResult<Self> {
        let opened = py.detach(|| embed::Study::open(plan, &pages, output));
        let study = opened.map_err(exception)?;
        Ok(Self { study })
    }

    /// The title of the plan; empty if it has none.
    #[getter]
    fn title(&self) -> &str {
        self.study.title()
    }

    /// The folder of the results.
    #[getter]
    fn folder(&self) -> PathBuf {
        self.study.folder().to_owned()
    }

    /// Run the loads that the results lack; returns their number.
    #[pyo3(signature = (jobs=None, tell=None))]
    fn run(&self, py: Python<'_>, jobs: Option<u16>, tell: Option<Py<PyAny>>) -> PyResult<usize> {
        watched(py, tell, |hook| self.study.run(jobs, hook))
    }

    /// The number of loads that are done, and of all.
    fn progress(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        py.detach(|| self.study.progress()).map_err(exception)
    }

    /// The shards that the results lack: name, number of loads, and contents for `run_shard`.
    fn missing(&self, py: Python<'_>) -> PyResult<Vec<(String, u64, String)>> {
        let shards = py.detach(|| self.study.missing()).map_err(exception)?;
        let described = |shard: &Shard| {
            let contents = serde_json::to_string(shard).expect("plain data");
            (shard.name(), shard.loads(), contents)
        };
        Ok(shards.iter().map(described).collect())
    }

    /// Run a shard on this thread and write its files into the folder of the results.
    fn run_shard(&self, py: Python<'_>, shard: &str) -> PyResult<()> {
        let shard: Shard = serde_json::from_str(shard)
            .map_err(|error| PageraceError::new_err(format!("no shard: {error}")))?;
        watched(py, None, |hook| self.study.run_shard(shard, hook))
    }

    /// One row for each load that is done, in the order of the plan.
    fn loads(&self, py: Python<'_>) -> PyResult<Loads> {
        let rows = py.detach(|| self.study.rows()).map_err(exception)?;
        Loads::new(&rows)
    }

    /// Write the loads as one Parquet file.
    fn export(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        py.detach(|| self.study.export(&to)).map_err(exception)
    }

    /// Make a table of the loads.
    #[pyo3(signature = (kind, metric, other, compare, baseline, conditions))]
    fn table(
        &self,
        py: Python<'_>,
        kind: &str,
        metric: Option<&str>,
        other: Option<&str>,
        compare: Option<String>,
        baseline: Option<String>,
        conditions: BTreeMap<String, Vec<String>>,
    ) -> PyResult<Filled> {
        let spec = TableSpec {
            name: String::new(),
            kind: TableKind::named(kind).map_err(|error| refused("kind", &error))?,
            metric: metric.map(read).transpose()?.unwrap_or_default(),
            with: other.map(read).transpose()?,
            compare,
            baseline,
            filter: conditions,
        };
        let table = py.detach(|| self.study.table(&spec)).map_err(exception)?;
        let rows = table.rows.iter();
        let rows = rows.map(|row| row.iter().map(|value| object(py, value)).collect());
        Ok((table.caption, table.header, rows.collect::<PyResult<_>>()?))
    }
}

/// The column of a metric, which may be named in any spelling.
#[pyfunction]
pub(crate) fn column(metric: &str) -> PyResult<String> {
    Ok(read(metric)?.metric().key())
}

fn read(metric: &str) -> PyResult<MetricId> {
    pagerace_study::claim::metric(metric).map_err(|error| refused("metric", &error))
}

fn refused(argument: &str, reason: &str) -> PyErr {
    PageraceError::new_err(format!("{argument}: {reason}"))
}

/// Returns a value of a table as an object: a text, an integer, a float or None.
fn object(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Text(text) => text.into_py_any(py),
        Value::Count(count) => count.into_py_any(py),
        Value::Metric(_, number)
        | Value::Share(number)
        | Value::Change(number)
        | Value::Number(number) => number.into_py_any(py),
    }
}
