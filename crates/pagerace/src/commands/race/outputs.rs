//! The output files of a race, checked before it and written after it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_lab::export::report::report;
use pagerace_lab::export::sessions::write_sessions;
use pagerace_lab::film::median_film;
use pagerace_lab::qlog::{speaks_h3, write_qlogs};
use pagerace_lab::{Plan, Progress, Results};

use super::RaceArgs;
use crate::cli::files::{rerun, say, write_text};
use crate::cli::simulate::{load, load_logged};
use crate::progress::Watch;
use crate::text::counted;

/// Checks, before long work, that the qlog files can be written.
pub(super) fn check_qlog(args: &RaceArgs, plan: &Plan) -> Result<()> {
    let Some(dir) = &args.qlog else {
        return Ok(());
    };
    args.qlog_runs.check(plan.most_runs())?;
    if !(0..plan.variants()).any(|variant| speaks_h3(plan, variant)) {
        bail!("--qlog: qlog files describe QUIC, but no contender uses h3");
    }
    fs::create_dir_all(dir)
        .with_context(|| format!("{}: cannot be made a directory", dir.display()))?;
    Ok(check_writable(&dir.join("check.qlog"))?)
}

/// Returns all files that the arguments name.
pub(super) fn files_of(args: &RaceArgs) -> Vec<PathBuf> {
    let files = args.outputs.files().into_iter();
    let films = args.film.film.iter().cloned();
    files.chain(args.sessions.clone()).chain(films).collect()
}

/// Writes all files and prints their names. The report needs some loads again, so it
/// follows the results, which survive an interrupt.
pub(super) fn write_all(
    args: &RaceArgs,
    results: &Results,
    jobs: usize,
    watch: &Watch,
) -> Result<()> {
    args.outputs.write_values(results)?;
    if let Some(path) = &args.outputs.findings.report {
        watch.start("drawing", results.plan.variants());
        let input = report(results, &rerun(), jobs, &load, &|progress| {
            watch.tell(progress)
        })?;
        watch.clear();
        write_text(path, &pagerace_report::render(&input))?;
    }
    if !args.film.film.is_empty() {
        watch.start("filming", results.plan.variants());
        let film = median_film(results, jobs, &load, &|progress| watch.tell(progress))?;
        watch.clear();
        args.film.write(&film)?;
    }
    if let Some(path) = &args.sessions {
        watch.start("reporting", results.plan.loads());
        let total = results.loads();
        // An interrupt is ignored here, as the file is only written at the end.
        let mut tell = |done| {
            let _ = watch.tell(Progress { done, total });
        };
        write_atomically(path, |out| {
            let runs = |variant: usize| results.variants[variant].runs.len();
            write_sessions(&results.plan, &runs, &load, out, &mut tell)
        })?;
        watch.clear();
        say(path)?;
    }
    if let Some(dir) = &args.qlog {
        let choices = args.qlog_runs.choices(results)?;
        let written = write_qlogs(results, &choices, dir, &load_logged)?;
        say_count(written.len(), dir)?;
        if !(0..results.variants.len()).all(|variant| speaks_h3(&results.plan, variant)) {
            let text = "qlog files describe QUIC; loads over TCP alone have none.";
            writeln!(anstream::stdout(), "{text}")?;
        }
    }
    Ok(())
}

fn say_count(files: usize, dir: &Path) -> io::Result<()> {
    let files = counted(files as u64, "qlog file");
    writeln!(anstream::stdout(), "Wrote {files} into {}", dir.display())
}
