//! The output files of a race, checked before it and written after it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_lab::export::report::report;
use pagerace_lab::export::sessions::write_sessions;
use pagerace_lab::export::{csv, json};
use pagerace_lab::qlog::{QlogRuns, speaks_h3, write_qlogs};
use pagerace_lab::{Plan, Progress, Results, Runner};

use crate::cli::RaceArgs;
use crate::commands::files::{comparisons_path, rerun, say};
use crate::commands::simulate::load_logged;
use crate::progress::Watch;

/// Destinations of the results.
pub(super) struct Outputs {
    report: Option<PathBuf>,
    json: Option<PathBuf>,
    csv: Option<(PathBuf, PathBuf)>,
    sessions: Option<PathBuf>,
    qlog: Option<(PathBuf, QlogRuns)>,
}

impl Outputs {
    /// Checks before the race that the files can be written.
    pub(super) fn check(args: &RaceArgs, plan: &Plan) -> Result<Self> {
        let csv = args
            .csv
            .as_ref()
            .map(|path| (path.clone(), comparisons_path(path)));
        let outputs = Self {
            report: args.report.clone(),
            json: args.json.clone(),
            csv,
            sessions: args.sessions.clone(),
            qlog: args.qlog.clone().map(|dir| (dir, args.qlog_runs.clone())),
        };
        if let Some((dir, runs)) = &outputs.qlog {
            runs.check(plan.runs)?;
            if !(0..plan.variants()).any(|variant| speaks_h3(plan, variant)) {
                bail!("--qlog: qlog files describe QUIC, but no contender uses h3");
            }
            fs::create_dir_all(dir)
                .with_context(|| format!("{}: cannot be made a directory", dir.display()))?;
            check_writable(&dir.join("check.qlog"))?;
        }
        Ok(outputs)
    }

    /// Returns all files that the arguments name.
    pub(super) fn files_of(args: &RaceArgs) -> Vec<PathBuf> {
        let comparisons = args.csv.as_deref().map(comparisons_path);
        let files = args.report.iter().chain(&args.json).chain(&args.csv);
        let files = files.chain(&comparisons).chain(&args.sessions);
        files.cloned().collect()
    }

    /// Writes all files and prints their names. The report needs some loads again, so it
    /// follows the results, which survive an interrupt.
    pub(super) fn write(
        &self,
        results: &Results,
        jobs: usize,
        runner: &Runner<'_>,
        watch: &Watch,
    ) -> Result<()> {
        if let Some(path) = &self.json {
            write_atomically(path, |out| json::write_json(results, out))?;
            say(path)?;
        }
        if let Some((runs, comparisons)) = &self.csv {
            write_atomically(runs, |out| csv::write_runs(results, out))?;
            say(runs)?;
            write_atomically(comparisons, |out| csv::write_comparisons(results, out))?;
            say(comparisons)?;
        }
        if let Some(path) = &self.report {
            watch.start("drawing", results.plan.variants());
            let input = report(results, &rerun(), jobs, runner, &|progress| {
                watch.tell(progress)
            })?;
            watch.clear();
            let html = pagerace_report::render(&input);
            write_atomically(path, |out| out.write_all(html.as_bytes()))?;
            say(path)?;
        }
        if let Some(path) = &self.sessions {
            watch.start("reporting", results.plan.loads());
            let total = results.plan.loads();
            // An interrupt is ignored here, as the file is only written at the end.
            let mut tell = |done| {
                let _ = watch.tell(Progress { done, total });
            };
            write_atomically(path, |out| {
                write_sessions(&results.plan, runner, out, &mut tell)
            })?;
            watch.clear();
            say(path)?;
        }
        if let Some((dir, runs)) = &self.qlog {
            let choices = runs.choices(results)?;
            let written = write_qlogs(results, &choices, dir, &load_logged)?;
            say_count(written.len(), dir)?;
            if !(0..results.variants.len()).all(|variant| speaks_h3(&results.plan, variant)) {
                say_h3_only()?;
            }
        }
        Ok(())
    }
}

fn say_count(files: usize, dir: &Path) -> std::io::Result<()> {
    use std::io::Write as _;

    let files = match files {
        1 => "1 qlog file".to_owned(),
        n => format!("{n} qlog files"),
    };
    writeln!(anstream::stdout(), "Wrote {files} into {}", dir.display())
}

fn say_h3_only() -> std::io::Result<()> {
    use std::io::Write as _;

    let text = "qlog files describe QUIC; loads over TCP alone have none.";
    writeln!(anstream::stdout(), "{text}")
}
