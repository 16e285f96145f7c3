//! Races and studies for programs in other languages, with the options, defaults and messages
//! of the command line.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use pagerace_lab::Results;
use pagerace_lab::export::json::write_json;
use pagerace_page::Page;
use pagerace_study::{Key, Race, Row};

use crate::cli::groups;
use crate::cli::inputs;
use crate::commands::corpus::{CorpusArgs, Surveyed};
use crate::commands::race::{answer, prepare, results};
use crate::commands::study::plan_with;
use crate::failed;
use crate::progress::Watch;

pub use crate::commands::study::Study;
pub use crate::progress::Hook;
pub use pagerace_lab::Progress;

/// Loads a recording. `page` names a page of a HAR that has several.
///
/// # Errors
/// Names the file, the place in it, and the mistake.
pub fn load(path: &Path, page: Option<&String>) -> Result<Arc<Page>> {
    let mut pages = inputs::pages(slice::from_ref(&path.to_owned()), page, None)?;
    pages
        .pop()
        .ok_or_else(|| anyhow!("{}: holds no page", path.display()))
}

/// Races pages. `arguments` are options of `pagerace race`, and `contenders` its contenders in
/// words, if they are no product of lists. Returns warnings, too.
///
/// # Errors
/// Names the option and the mistake; or the user interrupted.
pub fn race(
    pages: &[Arc<Page>],
    arguments: Vec<String>,
    contenders: Vec<String>,
    jobs: Option<u16>,
    hook: Hook,
) -> Result<(Results, Vec<String>)> {
    let options = Race {
        name: String::new(),
        folder: PathBuf::new(),
        scenario: None,
        contenders,
        arguments,
    };
    let mut named: Vec<Arc<Page>> = Vec::new();
    for page in pages {
        let mut page = Arc::clone(page);
        let name = inputs::free_name(&named.iter().map(|other| other.name.as_str()), &page.name);
        if name != page.name {
            Arc::make_mut(&mut page).name = name;
        }
        named.push(page);
    }
    let mut plan = plan_with(&options, named)?;
    let warnings = prepare(&mut plan)?;
    let results = results(
        &plan,
        groups::jobs(jobs),
        &Watch::hooked(hook),
        &mut |_, _| Ok(()),
    )?;
    Ok((results, warnings))
}

/// Surveys recordings and loads them in pairs. `arguments` are options and files of
/// `pagerace corpus`.
///
/// # Errors
/// Names the option or file and the mistake; or the user interrupted.
pub fn corpus(arguments: Vec<String>, jobs: Option<u16>, hook: Hook) -> Result<Corpus> {
    let jobs = jobs.map(|jobs| format!("--jobs={jobs}"));
    let arguments = jobs.into_iter().chain(arguments).collect();
    let args = CorpusArgs::of_words(arguments)?;
    let surveyed = Surveyed::of(&args, &Watch::hooked(hook), false)?;
    Ok(Corpus { surveyed })
}

/// A corpus with its findings.
pub struct Corpus {
    surveyed: Surveyed,
}

impl Corpus {
    /// Returns the answer that `pagerace corpus` prints, without colours.
    pub fn answer(&self) -> String {
        self.surveyed.answer()
    }

    /// Returns the file that `pagerace corpus --json` writes.
    pub fn json(&self) -> String {
        self.surveyed.json()
    }

    /// Returns one row for each answered request.
    pub fn requests(&self) -> Vec<pagerace_corpus::row::CorpusRow<'_>> {
        self.surveyed.rows()
    }
}

/// Returns the answer that `pagerace race` prints, without colours.
pub fn answer(results: &Results) -> String {
    let mut out = anstream::StripStream::new(Vec::new());
    answer::print(&mut out, results, &[]).expect("memory takes everything");
    String::from_utf8_lossy(&out.into_inner()).into_owned()
}

/// Returns the results file that `pagerace race --json` writes.
pub fn json(results: &Results) -> String {
    let mut out = Vec::new();
    write_json(results, &mut out).expect("memory takes everything");
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns one row for each load of a race. Their cells have no digest.
pub fn rows(results: &Results) -> Vec<Row> {
    let plan = &results.plan;
    let mut rows = Vec::new();
    for (index, variant) in results.variants.iter().enumerate() {
        let (page, network, contender) = plan.variant_parts(index);
        let key = Arc::new(Key {
            page: plan.pages[page].name.clone(),
            network: plan.networks[network].name.clone(),
            ..Key::of_contender(&plan.contenders[contender])
        });
        let runs = variant.runs.iter().enumerate();
        rows.extend(
            runs.map(|(run, load)| {
                Row::new(Arc::clone(&key), run as u32, plan.run_seed(run), load)
            }),
        );
    }
    rows
}

/// Returns true if the user interrupted, and nothing went wrong.
pub fn is_interrupt(error: &anyhow::Error) -> bool {
    failed::is_interrupt(error)
}

/// Returns an error and its causes as one line.
pub fn one_line(error: &anyhow::Error) -> String {
    failed::one_line(error)
}
