//! The `pagerace` command line: reads files, races, prints and writes. [`embed`] offers races
//! and studies to other programs.
//!
//! Exit codes: 0 success, 2 error in the input, 3 all loads failed, 130 interrupted.

mod cli;
mod commands;
#[cfg(feature = "study")]
pub mod embed;
mod lists;
mod progress;
mod table;
mod text;

use std::io;
use std::process::ExitCode;

use pagerace_lab::LabError;

use cli::{Cli, Command};

/// Runs the command of the process's arguments, and returns its exit code.
pub fn main() -> ExitCode {
    let cli = Cli::read();
    let result = match &cli.command {
        Command::Race(args) => commands::race::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Bulk(args) => commands::bulk::run(args),
        #[cfg(feature = "live")]
        Command::Record(args) => commands::record::run(args),
        #[cfg(feature = "live")]
        Command::Live(args) => commands::live::run(args),
        #[cfg(feature = "live")]
        Command::Calibrate(args) => commands::calibrate::run(args),
        #[cfg(feature = "live")]
        Command::Serve(args) => commands::serve::run(args),
        #[cfg(feature = "live")]
        Command::Probe(args) => commands::probe::run(args),
        Command::Page(args) => commands::page::run(args),
        Command::Objects(args) => commands::objects::run(args),
        #[cfg(feature = "study")]
        Command::Study(command) => commands::study::run(command),
        #[cfg(feature = "study")]
        Command::Corpus(args) => commands::corpus::run(args),
        #[cfg(feature = "scan")]
        Command::Scan(args) => commands::scan::run(args),
        #[cfg(feature = "study")]
        Command::Recommend(args) => commands::recommend::run(args),
        Command::List(args) => commands::list::run(args),
    };
    let Err(error) = result else {
        return ExitCode::SUCCESS;
    };
    // A reader that closes the pipe early (`| head`) is not an error.
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed) {
        return ExitCode::SUCCESS;
    }
    report(&error);
    #[cfg(feature = "study")]
    if error.is::<commands::study::Unexpected>() {
        return ExitCode::from(1);
    }
    ExitCode::from(if interrupted(&error) {
        130
    } else if error.is::<commands::failed::AllFailed>() {
        3
    } else {
        2
    })
}

/// Returns true if the user interrupted, and nothing went wrong.
fn interrupted(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(LabError::Interrupted { .. }))
        || error.is::<commands::failed::Interrupted>()
}

/// Prints an error as one line on standard error.
fn report(error: &anyhow::Error) {
    use std::io::Write as _;

    let red = anstyle::AnsiColor::Red.on_default().bold();
    // If standard error is closed, nobody can be told.
    let _ = writeln!(anstream::stderr(), "{red}error{red:#}: {}", one_line(error));
}

/// Joins an error and its causes, except causes that the text already contains.
fn one_line(error: &anyhow::Error) -> String {
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
