//! Selection and writing of qlog files.
//!
//! `pagerace-qlog` creates and names the files of a load; this module selects
//! the loads and writes the files. Only HTTP/3 has qlog files, so variants that
//! load their page over TCP alone are left out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pagerace_core::Protocol;
use pagerace_qlog::{QlogTitle, qlogs};
use pagerace_sim::{LoggedPacket, Outcome, Scenario};

use crate::contender::Noun;
use crate::detail::{Choice, median_runs};
use crate::error::LabError;
use crate::export::file::write_atomically;
use crate::plan::Plan;
use crate::results::Results;

/// The runs of each variant to write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QlogRuns {
    /// The median run by the plan's metric.
    #[default]
    Median,
    /// All runs.
    All,
    /// The given runs, counted from one.
    These(BTreeSet<usize>),
}

/// Loads a page once and returns every packet that was sealed or opened.
/// Returns an error if the scenario cannot be run.
pub(crate) type LoggingRunner<'a> =
    dyn Fn(&Scenario, u64) -> Result<(Outcome, Vec<LoggedPacket>), String> + 'a;

impl FromStr for QlogRuns {
    type Err = LabError;

    /// Parses `median`, `all`, or numbers from 1 separated by commas.
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
    /// Returns the selected runs of all variants that use HTTP/3.
    ///
    /// # Errors
    /// [`LabError::Plan`] if a number exceeds the plan's runs.
    pub fn choices(&self, results: &Results) -> Result<Vec<Choice>, LabError> {
        let all = || results.variants.iter().enumerate();
        let fewest = all().map(|(_, variant)| variant.runs.len()).min();
        self.check(fewest.unwrap_or(0))?;
        let mut choices: Vec<Choice> = match self {
            Self::Median => median_runs(results),
            Self::All => all()
                .flat_map(|(variant, of)| {
                    (0..of.runs.len()).map(move |run| Choice { variant, run })
                })
                .collect(),
            Self::These(numbers) => all()
                .flat_map(|(variant, _)| {
                    let runs = numbers.iter().map(|number| number - 1);
                    runs.map(move |run| Choice { variant, run })
                })
                .collect(),
        };
        choices.retain(|choice| speaks_h3(&results.plan, choice.variant));
        Ok(choices)
    }

    /// Returns an error if a number exceeds `runs`, so that this is known before the race.
    ///
    /// # Errors
    /// [`LabError::Plan`] with the number.
    pub fn check(&self, runs: usize) -> Result<(), LabError> {
        let Self::These(numbers) = self else {
            return Ok(());
        };
        match numbers.iter().find(|number| **number > runs) {
            Some(number) => Err(LabError::Plan(format!(
                "qlog runs: there is no run {number}; the race has {runs}"
            ))),
            None => Ok(()),
        }
    }
}

/// Returns true if any connection of the variant at `index` uses HTTP/3.
pub fn speaks_h3(plan: &Plan, index: usize) -> bool {
    let (page, _, contender) = plan.variant_parts(index);
    let protocols = plan.contenders[contender].protocols_of(&plan.pages[page]);
    protocols.contains(&Protocol::H3)
}

/// Repeats the choices and writes their files into `directory`, which must
/// exist. Returns the paths.
///
/// # Errors
/// [`LabError::Write`] if a file cannot be written, [`LabError::Scenario`] if a
/// choice cannot be run. Files written before the error remain, and are complete.
pub fn write_qlogs(
    results: &Results,
    choices: &[Choice],
    directory: &Path,
    runner: &LoggingRunner<'_>,
) -> Result<Vec<PathBuf>, LabError> {
    let mut paths = Vec::new();
    for choice in choices {
        let title = title(results, *choice);
        let scenario = results.plan.scenario(choice.variant, choice.run);
        let (_, packets) = runner(&scenario, title.seed).map_err(LabError::Scenario)?;
        for file in qlogs(&title, &packets) {
            let path = directory.join(file.name(&title));
            write_atomically(&path, |out| out.write_all(file.text.as_bytes()))?;
            paths.push(path);
        }
    }
    Ok(paths)
}

fn title(results: &Results, choice: Choice) -> QlogTitle {
    let plan = &results.plan;
    let (page, network, contender) = plan.variant_parts(choice.variant);
    let delivery = match plan.noun() {
        Noun::Strategy => plan.contenders[contender].strategy.to_string(),
        Noun::Variant => plan.label(contender),
    };
    QlogTitle {
        page: plan.pages[page].name.clone(),
        network: plan.networks[network].name.clone(),
        strategy: delivery,
        run: choice.run as u64 + 1,
        seed: plan.run_seed(choice.run),
    }
}

#[cfg(test)]
mod tests;
