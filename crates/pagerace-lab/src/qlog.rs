//! Which runs are written as qlog files.
//!
//! The simulator makes the text of a run's files; this module decides which
//! runs, under which names, and writes them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pagerace_sim::Scenario;

use crate::detail::{Choice, median_runs};
use crate::error::LabError;
use crate::export::file::write_atomically;
use crate::results::Results;

/// Which runs of each variant are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QlogRuns {
    /// The median run by the plan's metric.
    #[default]
    Median,
    /// All.
    All,
    /// These, counted from one as users do.
    These(BTreeSet<usize>),
}

/// One qlog file of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QlogFile {
    /// What tells it from the load's other files, such as `server-1`; empty if
    /// there is one file.
    pub part: String,
    /// File name extension without the dot, such as `qlog` or `sqlog`.
    pub extension: &'static str,
    /// Its content.
    pub text: String,
}

/// Loads a page once and returns the qlog of its connections, or why the
/// scenario cannot be run.
pub type QlogRunner<'a> = dyn Fn(&Scenario, u64) -> Result<Vec<QlogFile>, String> + 'a;

impl FromStr for QlogRuns {
    type Err = LabError;

    /// `median`, `all`, or numbers from 1 separated by commas.
    fn from_str(text: &str) -> Result<Self, LabError> {
        match text {
            "median" => return Ok(Self::Median),
            "all" => return Ok(Self::All),
            _ => {}
        }
        let numbers: Option<BTreeSet<usize>> = text
            .split(',')
            .map(|part| part.trim().parse().ok().filter(|number| *number > 0))
            .collect();
        numbers.map(Self::These).ok_or_else(|| {
            LabError::Plan(format!(
                "qlog runs: \"{text}\" is neither median, nor all, nor numbers from 1 such as 1,2"
            ))
        })
    }
}

impl QlogRuns {
    /// The chosen runs of all variants.
    ///
    /// # Errors
    /// [`LabError::Plan`] if a number is beyond the plan's runs.
    pub fn choices(&self, results: &Results) -> Result<Vec<Choice>, LabError> {
        let runs = results.plan.runs as usize;
        let each = |wanted: Vec<usize>| {
            (0..results.variants.len())
                .flat_map(|variant| wanted.iter().map(move |&run| Choice { variant, run }).collect::<Vec<_>>())
                .collect()
        };
        match self {
            Self::Median => Ok(median_runs(results)),
            Self::All => Ok(each((0..runs).collect())),
            Self::These(numbers) => {
                self.check(results.plan.runs)?;
                Ok(each(numbers.iter().map(|number| number - 1).collect()))
            }
        }
    }

    /// Refuses numbers beyond `runs`, before a race is run.
    ///
    /// # Errors
    /// [`LabError::Plan`] names the number.
    pub fn check(&self, runs: u32) -> Result<(), LabError> {
        let Self::These(numbers) = self else { return Ok(()) };
        match numbers.iter().find(|number| **number > runs as usize) {
            Some(number) => Err(LabError::Plan(format!(
                "qlog runs: there is no run {number}; the race has {runs}"
            ))),
            None => Ok(()),
        }
    }
}

/// Runs the choices once more and writes their files into `directory`, which
/// must exist. Returns the paths.
///
/// # Errors
/// [`LabError::Write`] if a file cannot be written, [`LabError::Scenario`] if
/// one cannot be run; files before it remain, each of them whole.
pub fn write_qlogs(
    results: &Results,
    choices: &[Choice],
    directory: &Path,
    runner: &QlogRunner<'_>,
) -> Result<Vec<PathBuf>, LabError> {
    let plan = &results.plan;
    let mut paths = Vec::new();
    for choice in choices {
        let files = runner(&plan.scenario(choice.variant), plan.run_seed(choice.run))
            .map_err(LabError::Scenario)?;
        for file in files {
            let path = directory.join(file_name(results, *choice, &file));
            write_atomically(&path, |out| out.write_all(file.text.as_bytes()))?;
            paths.push(path);
        }
    }
    Ok(paths)
}

/// `page_network_strategy_run01_part.qlog`, with only harmless characters.
fn file_name(results: &Results, choice: Choice, file: &QlogFile) -> String {
    let plan = &results.plan;
    let (page, network, strategy) = plan.variant_parts(choice.variant);
    let mut parts = vec![
        plan.pages[page].name.clone(),
        plan.networks[network].name.clone(),
        plan.strategies[strategy].to_string(),
        format!("run{:02}", choice.run + 1),
    ];
    if !file.part.is_empty() {
        parts.push(file.part.clone());
    }
    let harmless = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '=');
    let clean: Vec<String> = parts
        .iter()
        .map(|part| part.chars().map(|c| if harmless(c) { c } else { '-' }).collect())
        .collect();
    format!("{}.{}", clean.join("_").trim_start_matches('.'), file.extension)
}

#[cfg(test)]
mod tests;
