//! Runs the shards of a study that are missing.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::{Result, bail};
use pagerace_core::parallel;
use pagerace_lab::export::file::check_writable;
use pagerace_lab::{Progress, RunSummary};
use pagerace_study::detail::{LoadName, PartRow, RequestRow};
use pagerace_study::shard::Place;
use pagerace_study::store::ShardRows;
use pagerace_study::{Cutter, Row, Shard, Store, Twins};

use super::resolve::{Cells, Resolved};
use super::{Part, RunArgs};
use crate::cli::groups::jobs;
use crate::cli::simulate::{explain, load};
use crate::failed::Interrupted;
use crate::progress::Watch;

/// Number of shards for each thread that are planned at a time. The memory of a run does
/// not grow with the study.
const AHEAD: usize = 64;

/// A run in progress.
struct Run<'a> {
    resolved: &'a Resolved,
    store: &'a Store,
    watch: Watch,
    jobs: usize,
    /// Number of loads that are done, and of all.
    done: AtomicUsize,
    total: usize,
    /// Number of shards that were written.
    written: AtomicUsize,
    /// True after the first error.
    failed: AtomicBool,
}

pub(super) fn run(args: &RunArgs) -> Result<()> {
    let resolved = args.results.read()?;
    super::evaluate::check(&resolved, &args.results.plan.plan)?;
    let folder = &args.results.folder();
    let (done, shards) = complete(
        &resolved,
        folder,
        args.shard,
        args.work.threads.jobs,
        args.work.watch("loads"),
    )?;
    writeln!(
        anstream::stdout(),
        "Ran {done} loads; {shards} shards in {}",
        folder.display()
    )?;
    if let Some(text) = resolved.skipped()? {
        writeln!(anstream::stdout(), "{text}")?;
    }
    Ok(())
}

/// Runs the loads of this part that the folder lacks. Returns their number, and that of all
/// shards in the folder.
pub(super) fn complete(
    resolved: &Resolved,
    folder: &Path,
    part: Part,
    threads: Option<u16>,
    watch: Watch,
) -> Result<(usize, usize)> {
    let store = Store::open(folder, resolved.study.details)?;
    check_writable(&folder.join("shard.parquet"))?;
    let mut total = 0;
    missing(resolved, &store, part, &mut |shard| {
        total += shard.loads() as usize;
        Ok(())
    })?;
    let run = Run::new(resolved, &store, total, threads, watch);
    let mut ahead = Vec::new();
    missing(resolved, &store, part, &mut |shard| {
        ahead.push(shard);
        if ahead.len() >= AHEAD * run.jobs {
            run.shards(&std::mem::take(&mut ahead))?;
        }
        Ok(())
    })?;
    run.shards(&ahead)?;
    run.watch.clear();
    resolved.skipped()?;
    let shards = store.files() + run.written.into_inner();
    Ok((run.done.into_inner(), shards))
}

/// Runs these shards.
pub(super) fn shards(
    resolved: &Resolved,
    store: &Store,
    shards: &[Shard],
    threads: Option<u16>,
    watch: Watch,
) -> Result<()> {
    let total = shards.iter().map(|shard| shard.loads() as usize).sum();
    Run::new(resolved, store, total, threads, watch).shards(shards)
}

/// Calls `take` with the loads of this part that are missing, in shards, in the order of
/// the plan. Loads that several races have are missing once.
pub(super) fn missing(
    resolved: &Resolved,
    store: &Store,
    part: Part,
    take: &mut dyn FnMut(Shard) -> Result<()>,
) -> Result<()> {
    let mut count = 0;
    let mut rests = Cutter::new(resolved.loads());
    let mut twins = Twins::default();
    resolved.shards(&mut |shard| {
        let mine = count % part.of == part.index - 1;
        count += 1;
        let shard = twins.without(shard);
        match store.missing(&shard).filter(|_| mine) {
            Some(rest) => rests.collect(rest, take),
            None => Ok(()),
        }
    })?;
    rests.last().map_or(Ok(()), take)
}

impl<'a> Run<'a> {
    fn new(
        resolved: &'a Resolved,
        store: &'a Store,
        total: usize,
        threads: Option<u16>,
        watch: Watch,
    ) -> Self {
        watch.start("running", total);
        Self {
            resolved,
            store,
            watch,
            jobs: jobs(threads),
            done: AtomicUsize::new(0),
            total,
            written: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
        }
    }

    /// Runs these shards. The first error stops the others.
    fn shards(&self, shards: &[Shard]) -> Result<()> {
        let one = |(): &mut (), index: usize| {
            let result = self.shard(&shards[index]);
            if result.is_err() {
                self.failed.store(true, Ordering::Relaxed);
            }
            if let Ok(Some(path)) = &result {
                let (done, total) = (self.done.load(Ordering::Relaxed), self.total);
                self.watch
                    .log(&format!("{}: {done} of {total} loads", path.display()));
            }
            result.map(drop)
        };
        // All threads see the stop, so that no result is missing.
        let results = parallel::map(
            self.jobs,
            shards.len(),
            &one,
            &|_| ControlFlow::Continue(()),
        );
        for result in results.into_iter().flatten() {
            result?;
        }
        if self.watch.go_on().is_break() {
            let (done, total) = (self.done.load(Ordering::Relaxed), self.total);
            let rest = "complete shards are kept, and the same command goes on";
            let text = format!(" after {done} of {total} loads; {rest}");
            return Err(Interrupted(text).into());
        }
        Ok(())
    }

    /// Counts a load, and returns whether to go on.
    fn tell(&self) -> ControlFlow<()> {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let total = self.total;
        self.watch.tell(Progress { done, total })?;
        self.go_on()
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.failed.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        self.watch.go_on()
    }

    /// Runs the loads of a shard and writes its files. Returns `None` if it was stopped, or
    /// if another process has written them.
    fn shard(&self, shard: &Shard) -> Result<Option<PathBuf>> {
        if self.go_on().is_break() {
            return Ok(None);
        }
        if self.store.has(shard) {
            self.done
                .fetch_add(shard.loads() as usize, Ordering::Relaxed);
            return Ok(None);
        }
        let mut rows = ShardRows::default();
        let mut pages = Vec::new();
        let mut on: Option<Cells> = None;
        let mut ran = Shard::default();
        for (place, piece) in &shard.pieces {
            let (race, page) = (place.race, place.page);
            // The cells of a page follow each other.
            let cells = match on.take() {
                Some(cells) if cells.on == (race, page) => cells,
                _ => {
                    let Some(cells) = self.resolved.readable_cells(race, page, true)? else {
                        continue;
                    };
                    pages.push(self.resolved.page_facts(&cells));
                    cells
                }
            };
            if cells.digests.get(place.cell) != Some(&piece.cell) {
                let page = &cells.plan.pages[0].name;
                bail!("{page}: its recording changed during the study; run the study again");
            }
            for run in piece.runs.clone() {
                self.load(*place, &cells, run, &mut rows)?;
                if self.tell().is_break() {
                    return Ok(None);
                }
            }
            on = Some(cells);
            ran.pieces.push((*place, piece.clone()));
        }
        if ran.pieces.is_empty() {
            return Ok(None);
        }
        let path = self.store.write(&ran, &rows, &pages)?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(Some(path))
    }

    /// Runs a load and adds its rows.
    fn load(&self, place: Place, cells: &Cells, run: u32, rows: &mut ShardRows) -> Result<()> {
        let key = match rows.loads.last() {
            Some(last) if last.key.cell == cells.digests[place.cell] => Arc::clone(&last.key),
            _ => Arc::new(self.resolved.key(cells, place.cell)),
        };
        let (plan, details) = (&cells.plan, self.resolved.study.details);
        let run_index = run as usize;
        let (scenario, seed) = (
            plan.scenario(place.cell, run_index),
            plan.run_seed(run_index),
        );
        let failed = |reason| anyhow::anyhow!("{}: {reason}", key.page);
        let name = LoadName {
            cell: key.cell.as_str().into(),
            run,
        };
        let explained = if let Some(metric) = details.parts {
            let explained = explain(&scenario, seed, metric).map_err(failed)?;
            explained.map(|explained| {
                rows.parts
                    .extend(PartRow::of(&name, metric, &explained.parts));
                explained.outcome
            })
        } else {
            None
        };
        // The trace tells which requests lose packets.
        let outcome = match explained {
            Some(outcome) if outcome.trace.is_some() || !details.requests => outcome,
            _ => load(&scenario, seed, details.requests).map_err(failed)?,
        };
        if details.requests {
            rows.requests
                .extend(RequestRow::of(&name, &plan.pages[0], &outcome));
        }
        let summary = RunSummary::from(&outcome);
        rows.loads.push(Row::new(key, run, seed, &summary));
        Ok(())
    }
}
