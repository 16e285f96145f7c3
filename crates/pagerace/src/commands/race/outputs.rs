//! The files that a race writes, checked before it and written after it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_lab::export::report::report;
use pagerace_lab::export::{csv, json};
use pagerace_lab::qlog::{QlogRuns, write_qlogs};
use pagerace_lab::{Plan, Results, Runner};

use crate::cli::RaceArgs;
use crate::progress::Watch;

/// Where results go.
pub(super) struct Outputs {
    report: Option<PathBuf>,
    json: Option<PathBuf>,
    csv: Option<(PathBuf, PathBuf)>,
    qlog: Option<(PathBuf, QlogRuns)>,
}

impl Outputs {
    /// Refuses what could not be written, before the long work.
    pub(super) fn check(args: &RaceArgs, plan: &Plan) -> Result<Self> {
        let csv = args
            .csv
            .as_ref()
            .map(|path| (path.clone(), comparisons_path(path)));
        let outputs = Self {
            report: args.report.clone(),
            json: args.json.clone(),
            csv,
            qlog: args.qlog.clone().map(|dir| (dir, args.qlog_runs.clone())),
        };
        let files = outputs.files();
        for (i, file) in files.iter().enumerate() {
            check_writable(file)?;
            if files[..i].contains(file) {
                bail!("{}: two outputs cannot go to one file", file.display());
            }
            if let Some(har) = args.hars.iter().find(|har| same_file(har, file)) {
                bail!(
                    "{}: would overwrite the recording {}",
                    file.display(),
                    har.display()
                );
            }
        }
        if let Some((dir, runs)) = &outputs.qlog {
            runs.check(plan.runs)?;
            fs::create_dir_all(dir)
                .with_context(|| format!("{}: cannot be made a directory", dir.display()))?;
            check_writable(&dir.join("check.qlog"))?;
        }
        Ok(outputs)
    }

    fn files(&self) -> Vec<&Path> {
        let csv = self
            .csv
            .iter()
            .flat_map(|(runs, comparisons)| [runs, comparisons]);
        self.report
            .iter()
            .chain(&self.json)
            .chain(csv)
            .map(PathBuf::as_path)
            .collect()
    }

    /// Writes everything and says so. The report comes last but for qlogs: it
    /// needs some loads again, and an interrupt then leaves the other files.
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
        if let Some((dir, runs)) = &self.qlog {
            let choices = runs.choices(results)?;
            let written = write_qlogs(results, &choices, dir, &super::load_logged)?;
            say_count(written.len(), dir)?;
        }
        Ok(())
    }
}

fn say(path: &Path) -> std::io::Result<()> {
    use std::io::Write as _;

    writeln!(anstream::stdout(), "Wrote {}", path.display())
}

fn say_count(files: usize, dir: &Path) -> std::io::Result<()> {
    use std::io::Write as _;

    let files = match files {
        1 => "1 qlog file".to_owned(),
        n => format!("{n} qlog files"),
    };
    writeln!(anstream::stdout(), "Wrote {files} into {}", dir.display())
}

/// `out.csv` has its comparisons in `out-comparisons.csv`.
fn comparisons_path(path: &Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path
        .extension()
        .map_or("csv".into(), |e| e.to_string_lossy());
    path.with_file_name(format!("{stem}-comparisons.{extension}"))
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        // What does not exist yet is no input.
        _ => false,
    }
}

/// The command line, as a shell would read it back.
fn rerun() -> String {
    let quote = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,%+@".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words = std::env::args_os()
        .skip(1)
        .map(|word| quote(word.to_string_lossy().into_owned()));
    std::iter::once("pagerace".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}
