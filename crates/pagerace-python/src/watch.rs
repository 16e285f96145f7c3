//! Progress and Ctrl-C while Python's lock is released.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use pagerace::embed::{Hook, Progress};
use pyo3::prelude::*;

use crate::errors::exception;

/// Runs `work` with Python's lock released. Its hook calls `tell` with the name of the phase,
/// the number of steps that are done, and of all, and looks for signals.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    tell: Option<Py<PyAny>>,
    work: impl FnOnce(Hook) -> anyhow::Result<T> + Send,
) -> PyResult<T> {
    let raised: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let slot = Arc::clone(&raised);
    // Python handles signals on the thread that called. The other threads go on.
    let caller = thread::current().id();
    let hook = move |phase: &str, Progress { done, total }: Progress| {
        if thread::current().id() != caller {
            return ControlFlow::Continue(());
        }
        let told = Python::attach(|py| {
            if let Some(tell) = &tell {
                tell.call1(py, (phase, done, total))?;
            }
            py.check_signals()
        });
        let Err(error) = told else {
            return ControlFlow::Continue(());
        };
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        ControlFlow::Break(())
    };
    let result = py.detach(|| work(Box::new(hook)));
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    match raised {
        Some(error) => Err(error),
        None => result.map_err(exception),
    }
}
