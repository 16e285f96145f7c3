//! Rows in the Arrow format.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, RecordBatchReader,
    StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pagerace_study::columns::{Column, Record};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::PageraceError;

/// One row for each load, with the columns of `pagerace study export`, or for each request of a
/// corpus. Every library that
/// reads the Arrow `PyCapsule` interface takes it without a copy.
#[pyclass(frozen, module = "pagerace")]
pub(crate) struct Loads {
    batch: RecordBatch,
}

impl Loads {
    /// Builds the columns of these rows.
    pub(crate) fn new<R: Record>(rows: &[R]) -> PyResult<Self> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
            R::columns(rows).into_iter().map(array).unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        let batch = batch.map_err(|error| PageraceError::new_err(error.to_string()))?;
        Ok(Self { batch })
    }
}

/// Returns a column with its name and type. Integers are never null, as in Parquet files.
fn array((name, column): (String, Column<'_>)) -> (Field, ArrayRef) {
    match column {
        Column::Texts(texts) => {
            let array = StringArray::from(texts);
            (Field::new(name, DataType::Utf8, true), Arc::new(array))
        }
        Column::Integers(integers) => {
            let array = Int64Array::from(integers);
            (Field::new(name, DataType::Int64, false), Arc::new(array))
        }
        Column::Numbers(numbers) => {
            let array = Float64Array::from(numbers);
            (Field::new(name, DataType::Float64, true), Arc::new(array))
        }
    }
}

#[pymethods]
impl Loads {
    /// The rows as a stream (Arrow `PyCapsule` interface). A requested schema is not heeded,
    /// which the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = vec![Ok::<_, ArrowError>(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let reader: Box<dyn RecordBatchReader + Send> = Box::new(reader);
        let stream = FFI_ArrowArrayStream::new(reader);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }
}
