//! The `pagerace` command line: reads files, races, prints and writes. [`embed`] offers races
//! and studies to other programs.
//!
//! Exit codes: 0 success, 1 an expected claim or a sentence of a study does not hold, 2 error in
//! the input, 3 all loads failed, 130 interrupted.

mod cli;
mod commands;
#[cfg(feature = "study")]
pub mod embed;
mod failed;
mod lists;
mod progress;
mod table;
mod text;

use std::process::ExitCode;

/// Runs the command of the process's arguments, and returns its exit code.
pub fn main() -> ExitCode {
    match commands::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed::exit(&error),
    }
}
