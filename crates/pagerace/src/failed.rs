//! How commands fail: what they print, and with which exit code they end.

use std::io;
use std::process::ExitCode;

use anyhow::{Error, Result};
use pagerace_lab::{LabError, Results};
use thiserror::Error;

/// An error with an exit code of its own.
#[derive(Debug, Error)]
#[error("{text}")]
pub(crate) struct Failed {
    code: u8,
    text: String,
}

impl Failed {
    /// Claims that a plan expects to hold do not.
    #[cfg(feature = "study")]
    pub(crate) fn claims(failed: usize, of: usize) -> Self {
        let verb = if failed == 1 { "does" } else { "do" };
        let text = format!("{failed} of {of} expected claims {verb} not hold");
        Self { code: 1, text }
    }

    /// Sentences of a plan's text that its results do not bear out.
    #[cfg(feature = "study")]
    pub(crate) fn sentences(text: String) -> Self {
        Self { code: 1, text }
    }

    /// Every load failed, so there is nothing to compare.
    pub(crate) fn all(loads: usize, what: &str, why: &[&str]) -> Self {
        let text = format!("all {loads} {what} failed: {}", reasons(why));
        Self { code: 3, text }
    }
}

/// The user interrupted. The text says how far the work was and which results are kept.
#[derive(Debug, Error)]
#[error("interrupted{0}")]
pub(crate) struct Interrupted(pub(crate) String);

/// Returns an error if no load finished.
pub(crate) fn all_failed(results: &Results) -> Result<()> {
    let runs = results.variants.iter().map(|variant| variant.runs.len());
    let loads = runs.sum();
    if results.failed() < loads {
        return Ok(());
    }
    Err(Failed::all(loads, "loads", &results.reasons()).into())
}

/// Joins the first few reasons of failures.
pub(crate) fn reasons(all: &[&str]) -> String {
    const SHOWN_MAX: usize = 3;
    let mut text = all[..all.len().min(SHOWN_MAX)].join("; ");
    if all.len() > SHOWN_MAX {
        text = format!("{text}; and {} more reasons", all.len() - SHOWN_MAX);
    }
    text
}

/// Prints why a command failed, and returns its exit code.
pub(crate) fn exit(error: &Error) -> ExitCode {
    // A reader that closes the pipe early (`| head`) is not an error.
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return ExitCode::SUCCESS;
    }
    report(error);
    ExitCode::from(match error.downcast_ref::<Failed>() {
        Some(failed) => failed.code,
        None if is_interrupt(error) => 130,
        None => 2,
    })
}

/// Returns true if the user interrupted, and nothing went wrong.
pub(crate) fn is_interrupt(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(LabError::Interrupted { .. })) || error.is::<Interrupted>()
}

/// Prints an error as one line on standard error.
pub(crate) fn report(error: &Error) {
    use std::io::Write as _;

    let red = anstyle::AnsiColor::Red.on_default().bold();
    // If standard error is closed, nobody can be told.
    let _ = writeln!(anstream::stderr(), "{red}error{red:#}: {}", one_line(error));
}

/// Joins an error and its causes, except causes that the text already contains.
pub(crate) fn one_line(error: &Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::one_line;

    #[test]
    fn causes_are_told_once() {
        let told = anyhow!("no such file").context("a.har: cannot be read: no such file");
        assert_eq!(one_line(&told), "a.har: cannot be read: no such file");
        let untold = anyhow!("no such name").context("--strategy");
        assert_eq!(one_line(&untold), "--strategy: no such name");
    }
}
