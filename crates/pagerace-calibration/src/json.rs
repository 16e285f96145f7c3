//! JSON output for the accuracy of the model. `null` stands for a missing or
//! infinite value; errors are shares, and times are in milliseconds.

use std::io::{self, Write};

use pagerace_core::object;
use pagerace_lab::VERSION;

use crate::accuracy::Accuracy;

/// The value of `format` in the file.
pub const FORMAT: &str = "pagerace-accuracy";
/// The version of the format that this release writes.
pub const SCHEMA: u32 = 3;

/// Writes one JSON document with a final line break. `rerun` is the command
/// that repeats the measurement.
///
/// # Errors
/// Any error of `out`.
pub fn write_accuracy(accuracy: &Accuracy, rerun: &str, out: &mut dyn Write) -> io::Result<()> {
    let document = object! {
        format: FORMAT,
        schema: SCHEMA,
        version: VERSION,
        rerun: rerun,
        #[serde(flatten)]
        accuracy: accuracy,
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests;
