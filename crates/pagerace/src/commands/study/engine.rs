//! The fingerprint of the engine: what a fixed set of loads gives.
//!
//! Results of one engine say nothing about another one. A version names all engines between two
//! releases, so results carry the fingerprint as well.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;

use anyhow::{Error, Result};
use pagerace_har::{ImportOptions, from_bytes};
use pagerace_lab::{Plan, RunSummary};
use pagerace_page::Page;
use pagerace_study::Race;
use pagerace_study::row::metrics;
use pagerace_study::shard::digest;

use super::options::plan_with;
use crate::cli::inputs::fit;
use crate::cli::simulate::load;

/// The pages that are loaded.
const PAGES: [(&str, &[u8]); 2] = [
    (
        "blog",
        include_bytes!("../../../../../examples/pages/blog.har"),
    ),
    (
        "shop",
        include_bytes!("../../../../../examples/pages/shop.har"),
    ),
];
/// The races, as options of `pagerace race`, one a line: every protocol, controller, visit, strategy
/// and kind of network is in one of them.
const RACES: &str = include_str!("engine/races.txt");

/// The fingerprint of this engine: eight hexadecimal digits of the digest of all metrics
/// of the loads. It is computed once.
pub(crate) fn fingerprint() -> &'static str {
    static KNOWN: OnceLock<String> = OnceLock::new();
    KNOWN.get_or_init(|| compute().expect("the pages and options are part of the program"))
}

fn compute() -> Result<String> {
    let mut pages = Vec::new();
    for (name, bytes) in PAGES {
        pages.push(from_bytes(name, bytes, &ImportOptions::default())?);
    }
    fit(pages.iter_mut().collect(), 1, false)?;
    let pages: Vec<Arc<Page>> = pages.into_iter().map(Arc::new).collect();
    // Every race is a thread, so that a command does not wait long.
    let texts: Vec<Result<String>> = thread::scope(|scope| {
        let spawn = |race: &'static str| {
            let pages = pages.clone();
            scope.spawn(move || outcomes(race, pages))
        };
        let all: Vec<_> = RACES.lines().map(spawn).collect();
        let join = |one: thread::ScopedJoinHandle<'_, _>| one.join().expect("no load panics");
        all.into_iter().map(join).collect()
    });
    let texts: Vec<String> = texts.into_iter().collect::<Result<_>>()?;
    let mut digest = digest(texts.concat().as_bytes());
    digest.truncate(8);
    Ok(digest)
}

/// The metrics of a race's loads: of each contender on one of the pages.
fn outcomes(race: &str, pages: Vec<Arc<Page>>) -> Result<String> {
    // Words in quotes are whole.
    let parts = race.split('\'').enumerate();
    let words = parts.flat_map(|(k, part)| match k % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    let options = Race {
        name: String::new(),
        folder: PathBuf::new(),
        scenario: None,
        contenders: Vec::new(),
        arguments: words.map(str::to_owned).collect(),
    };
    let mut text = String::new();
    let count = pages.len();
    let plan: Plan = plan_with(&options, pages)?;
    for contender in 0..plan.contenders.len() {
        let seed = plan.run_seed(contender);
        // Variants are ordered by page, then by network, then by contender.
        let variant = contender % count * plan.contenders.len() + contender;
        let outcome = load(&plan.scenario(variant, contender), seed, false).map_err(Error::msg)?;
        let summary = RunSummary::from(&outcome);
        let values: Vec<Option<f64>> = metrics().map(|one| summary.value(one)).collect();
        writeln!(text, "{values:?}")?;
    }
    Ok(text)
}
