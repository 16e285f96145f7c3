//! A plan whose races are resolved, and the cells of each page.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context as _, Error, Result, bail};
use pagerace_corpus::Corpus;
use pagerace_har::{ImportError, page_name};
use pagerace_lab::{Plan, VERSION};
use pagerace_page::Page;
use pagerace_papers::synthetic_page;
use pagerace_study::shard::digest;
use pagerace_study::{Cutter, Key, Row, Shard, Store, Study, store};
use serde_json::json;

use super::options::ResolvedRace;
use super::{digest_of_file, engine};
use crate::cli::inputs::{self, pages};
use crate::commands::race::RaceArgs;
use crate::failed::report;

/// Maximum number of loads of a study.
const LOADS_MAX: u64 = 1_000_000_000;

/// A plan whose races are resolved.
pub(super) struct Resolved {
    pub(super) study: Study,
    /// The names of the plan's pages.
    names: Vec<String>,
    races: Vec<ResolvedRace>,
    /// The digest of each page's file, once it is known.
    files: Vec<OnceLock<String>>,
    /// The page that was imported last.
    imported: Mutex<Option<Imported>>,
    /// True if recordings that cannot be read are left out.
    lenient: bool,
    /// The races and pages, by their places in the plan, that are left out.
    skipped: Mutex<BTreeSet<(usize, usize)>>,
}

/// A page, and the file and the choice that decide it.
struct Imported {
    path: PathBuf,
    contents: String,
    /// The page of the recording, as `--page` names it.
    choice: Option<String>,
    page: Arc<Page>,
}

/// The cells of one race and page.
pub(super) struct Cells {
    /// The race and the page, by their places in the plan.
    pub(super) on: (usize, usize),
    /// The plan. It has the page, if it was asked for.
    pub(super) plan: Plan,
    /// The digest of everything that decides the loads of each cell: networks, and
    /// contenders on each.
    pub(super) digests: Vec<String>,
    /// The digest of the page.
    contents: String,
}

/// Returns the names of a study's pages: their paths below the folder of the plan, and those of files
/// elsewhere as in a race.
fn names(study: &Study, folder: &Path) -> Vec<String> {
    let below = |path: &Path| {
        let own = path.strip_prefix(folder).ok();
        own.filter(|own| own.is_relative()).map(Path::to_owned)
    };
    let name = |path: &Path| match below(path) {
        Some(own) => own.to_string_lossy().into_owned(),
        None => page_name(&path.to_string_lossy()).to_owned(),
    };
    let pages = &study.pages;
    let mut names: Vec<String> = pages.iter().map(|file| name(&file.path)).collect();
    let named = pages.iter().map(|file| file.path.as_path()).zip(&mut names);
    let mut elsewhere: Vec<_> = named.filter(|(path, _)| below(path).is_none()).collect();
    inputs::add_folders(&mut elsewhere);
    names
}

impl Resolved {
    /// Reads a plan. `pages` are given in place of the plan's, and traces are in the folder
    /// `traces` if there is one.
    pub(super) fn read(path: &Path, pages: &[String], traces: Option<&Path>) -> Result<Self> {
        let mut study = Study::read(path, pages)?;
        if let Some(traces) = traces {
            for race in &mut study.races {
                traces.clone_into(&mut race.folder);
            }
        }
        let mut races = Vec::new();
        for race in &study.races {
            let place = || format!("{}: race \"{}\"", path.display(), race.name);
            let mut race = ResolvedRace::read(race).with_context(place)?;
            if !study.pages.is_empty() {
                race.plan.pages.clear();
                race.plan.needs.clear();
            }
            races.push(race);
        }
        let names = names(&study, path.parent().unwrap_or(Path::new("")));
        let resolved = Self {
            names,
            files: study.pages.iter().map(|_| OnceLock::new()).collect(),
            imported: Mutex::new(None),
            lenient: false,
            skipped: Mutex::default(),
            study,
            races,
        };
        let loads = resolved.loads();
        if loads > LOADS_MAX {
            bail!(
                "{}: has {loads} loads, more than {LOADS_MAX}; use fewer runs, or several plans",
                path.display()
            );
        }
        Ok(resolved)
    }

    /// Leaves out recordings that cannot be read, if there are others, from now on. Reports them on
    /// standard error.
    pub(super) fn lenient(mut self) -> Self {
        self.lenient = self.study.pages.len() > 1;
        self
    }

    /// Returns how many recordings were left out, if any were.
    ///
    /// # Errors
    /// All of them were.
    pub(super) fn skipped(&self) -> Result<Option<String>> {
        let skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        let pages: BTreeSet<usize> = skipped.iter().map(|(_, page)| *page).collect();
        let all = self.study.pages.len();
        if !pages.is_empty() && pages.len() == all {
            bail!("none of the {all} files can be read as a recording");
        }
        Ok(inputs::skipped(all, all - pages.len()))
    }

    /// Returns the name and plan of each race.
    pub(super) fn races(&self) -> impl Iterator<Item = (&str, &Plan)> {
        let names = self.study.races.iter().map(|race| race.name.as_str());
        names.zip(self.races.iter().map(|race| &race.plan))
    }

    /// Number of loads, without contenders that depend on the pages.
    pub(super) fn loads(&self) -> u64 {
        let of = |(index, race): (usize, &ResolvedRace)| {
            let cells = (race.plan.networks.len() * race.plan.contenders.len()) as u64;
            let each = cells.saturating_mul(u64::from(race.plan.runs));
            each.saturating_mul(self.pages(index) as u64)
        };
        let each = self.races.iter().enumerate().map(of);
        each.fold(0, u64::saturating_add)
    }

    /// Number of pages of a race.
    pub(super) fn pages(&self, race: usize) -> usize {
        if self.study.pages.is_empty() {
            self.races[race].plan.pages.len()
        } else {
            self.study.pages.len()
        }
    }

    /// Returns the group and the name of a page.
    fn page_name(&self, cells: &Cells) -> (String, String) {
        let (race, page) = cells.on;
        let Some(file) = self.study.pages.get(page) else {
            return (
                String::new(),
                self.races[race].plan.pages[page].name.clone(),
            );
        };
        (file.group.clone(), self.names[page].clone())
    }

    /// Returns the cells of a race and page. The page is loaded if `load`, or if the
    /// contenders depend on it.
    pub(super) fn cells(&self, race: usize, page: usize, load: bool) -> Result<Cells> {
        let place = || format!("race \"{}\"", self.study.races[race].name);
        let resolved = &self.races[race];
        let mut plan = resolved.plan.clone();
        let Some(file) = self.study.pages.get(page) else {
            // The page of a results file.
            plan.pages = vec![Arc::clone(&plan.pages[page])];
            plan.needs = plan.needs.get(page).cloned().into_iter().collect();
            plan.check().with_context(place)?;
            let contents = digest(&serde_json::to_vec(&(&plan.pages, &plan.needs))?);
            return self.digests((race, page), plan, contents);
        };
        let contents = match self.files[page].get() {
            Some(known) if !load => known.clone(),
            _ => {
                let contents = contents(&file.path)?;
                self.files[page].get_or_init(|| contents.clone());
                contents
            }
        };
        if load || resolved.needs_pages() {
            let page = self.import(&file.path, &contents, &resolved.args);
            plan = resolved
                .with(vec![page.with_context(place)?])
                .with_context(place)?;
            plan.check().with_context(place)?;
        }
        self.digests((race, page), plan, contents)
    }

    /// Returns the cells as [`Resolved::cells`] does, or `None` if the recording is left out.
    pub(super) fn readable_cells(
        &self,
        race: usize,
        page: usize,
        load: bool,
    ) -> Result<Option<Cells>> {
        let skipped = || self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        if skipped().contains(&(race, page)) {
            return Ok(None);
        }
        match self.cells(race, page, load) {
            Err(error) if self.lenient && error.is::<ImportError>() => {
                let mut skipped = skipped();
                let told = skipped.iter().any(|(_, other)| *other == page);
                skipped.insert((race, page));
                if !told {
                    report(&error);
                }
                Ok(None)
            }
            cells => cells.map(Some),
        }
    }

    /// Imports a page, unless it was the last one that was.
    fn import(&self, path: &Path, contents: &str, args: &RaceArgs) -> Result<Arc<Page>> {
        let imported = || self.imported.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |last: &&Imported| {
            (&*last.path, &*last.contents, &last.choice) == (path, contents, &args.choice.page)
        };
        if let Some(last) = imported().as_ref().filter(is_it) {
            return Ok(Arc::clone(&last.page));
        }
        let mut pages = pages(&[path.to_owned()], args.choice.page.as_ref(), None)?;
        let page = pages.remove(0);
        *imported() = Some(Imported {
            path: path.to_owned(),
            contents: contents.to_owned(),
            choice: args.choice.page.clone(),
            page: Arc::clone(&page),
        });
        Ok(page)
    }

    fn digests(&self, on: (usize, usize), plan: Plan, contents: String) -> Result<Cells> {
        let args = &self.races[on.0].args;
        let selectors = json!([args.needs.essential_if, args.needs.non_essential_if]);
        let mut inputs = vec![contents.clone(), selectors.to_string()];
        // These change the page and not the plan.
        let far = &args.model.distance.origin_rtt;
        inputs.push(format!("{far:?}"));
        // The contents of lists count, not where they lie.
        for list in &args.needs.ad_list {
            inputs.push(digest_of_file(list)?);
        }
        let mut digests = Vec::new();
        for network in &plan.networks {
            for contender in &plan.contenders {
                let cell = Plan {
                    runs: 0,
                    seed: plan.seed,
                    browser: plan.browser.clone(),
                    settings: plan.settings,
                    interventions: plan.interventions.clone(),
                    ..Plan::new(Vec::new(), vec![network.clone()], vec![contender.clone()])
                };
                let all = (
                    VERSION,
                    engine::fingerprint(),
                    &inputs,
                    args.choice.page.as_ref(),
                    cell,
                );
                digests.push(digest(&serde_json::to_vec(&all)?));
            }
        }
        Ok(Cells {
            on,
            plan,
            digests,
            contents,
        })
    }

    /// Calls `work` with the cells of each race and page, in the order of the plan, without those
    /// that are left out.
    pub(super) fn each(&self, mut work: impl FnMut(&Cells) -> Result<()>) -> Result<()> {
        for race in 0..self.races.len() {
            for page in 0..self.pages(race) {
                if let Some(cells) = self.readable_cells(race, page, false)? {
                    work(&cells)?;
                }
            }
        }
        Ok(())
    }

    /// Calls `take` with each shard, in the order of the plan.
    pub(super) fn shards(&self, take: &mut dyn FnMut(Shard) -> Result<()>) -> Result<()> {
        let mut cutter = Cutter::new(self.loads());
        self.each(|cells| {
            let (race, page) = cells.on;
            cutter.add(race, page, &cells.digests, cells.plan.runs, take)
        })?;
        cutter.last().map_or(Ok(()), take)
    }

    /// Loads each page for all races. Returns the number of loads, and of shards.
    pub(super) fn check_pages(&self) -> Result<(u64, u64)> {
        // By race and page: the digests and the number of runs.
        let mut races: Vec<Vec<(Vec<String>, u32)>> = vec![Vec::new(); self.races.len()];
        let pages = (0..races.len()).map(|race| self.pages(race));
        for page in 0..pages.max().unwrap_or_default() {
            for (race, pages) in races.iter_mut().enumerate() {
                if page < self.pages(race) {
                    let cells = self.cells(race, page, true)?;
                    pages.push((cells.digests, cells.plan.runs));
                }
            }
        }
        let (mut loads, mut shards) = (0, 0);
        let mut count = |shard: Shard| {
            loads += shard.loads();
            shards += 1;
            Ok::<(), Error>(())
        };
        let mut cutter = Cutter::new(self.loads());
        for (race, pages) in races.iter().enumerate() {
            for (page, (digests, runs)) in pages.iter().enumerate() {
                cutter.add(race, page, digests, *runs, &mut count)?;
            }
        }
        cutter.last().map_or(Ok(()), &mut count)?;
        Ok((loads, shards))
    }

    /// Returns the columns of the cell at `index`.
    pub(super) fn key(&self, cells: &Cells, index: usize) -> Key {
        let plan = &cells.plan;
        let network = &plan.networks[index / plan.contenders.len()];
        let contender = &plan.contenders[index % plan.contenders.len()];
        let (group, name) = self.page_name(cells);
        Key {
            race: self.study.races[cells.on.0].name.clone(),
            group,
            page: name,
            network: network.name.clone(),
            cell: cells.digests[index].clone(),
            ..Key::of_contender(contender)
        }
    }

    /// Returns the loads of a race and page that are done, with the names of this plan.
    pub(super) fn rows(&self, store: &Store, cells: &Cells) -> Result<Vec<Row>> {
        let keys = 0..cells.digests.len();
        let keys: Vec<Arc<Key>> = keys.map(|index| Arc::new(self.key(cells, index))).collect();
        let mut rows = store.rows(&cells.digests, cells.plan.runs)?;
        let mut place = 0;
        // The rows come in the order of the cells.
        for row in &mut rows {
            while keys[place].cell != row.key.cell {
                place += 1;
            }
            row.key = Arc::clone(&keys[place]);
        }
        Ok(rows)
    }

    /// Returns the facts about a page that the results hold, as JSON.
    pub(super) fn stored_facts(&self, store: &Store, cells: &Cells) -> Result<Option<String>> {
        let Some(mut facts) = store.page(&cells.digests, &cells.contents)? else {
            return Ok(None);
        };
        // The plan may have renamed the page.
        let (group, name) = self.page_name(cells);
        facts["group"] = group.into();
        facts["page"] = name.into();
        Ok(Some(facts.to_string()))
    }

    /// Returns facts about a page that was loaded, as JSON.
    pub(super) fn page_facts(&self, cells: &Cells) -> String {
        let (group, name) = self.page_name(cells);
        let mut facts = store::facts_of(&group, &name, &cells.plan.pages[0]);
        facts["contents"] = cells.contents.clone().into();
        facts["providers"] = self.providers(cells).into();
        facts.to_string()
    }

    /// Returns the number of content delivery networks that answer requests of a page; `None` if
    /// it is no recording.
    fn providers(&self, cells: &Cells) -> Option<usize> {
        let (race, page) = cells.on;
        let file = self.study.pages.get(page)?;
        let options = self.races[race].args.choice.options();
        let survey = pagerace_har::survey(&file.path, &options).ok()?;
        let corpus = Corpus::new(vec![survey]);
        Some(corpus.pages[0].providers().len())
    }
}

/// Returns the contents of a page as a digest: of the bytes of its file, or of a synthetic page.
fn contents(path: &Path) -> Result<String> {
    let synthetic = if path.exists() {
        None
    } else {
        synthetic_page(&path.to_string_lossy()).map_err(Error::msg)?
    };
    match synthetic {
        Some(sequence) => Ok(digest(&serde_json::to_vec(&sequence)?)),
        None => digest_of_file(path),
    }
}

#[cfg(test)]
mod tests;
