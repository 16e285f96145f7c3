//! A study for programs in other languages.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use pagerace_study::frame::Frame;
use pagerace_study::table::{FilledTable, TableSpec};
use pagerace_study::{Row, Shard, Store};

use super::resolve::Resolved;
use super::{Part, evaluate, export_to, plan_file, progress_of, run};
use crate::progress::{Hook, Watch};

/// A plan whose pages exist and whose options, tables and claims are valid, and the folder of
/// its results.
pub struct Study {
    resolved: Resolved,
    plan: PathBuf,
    folder: PathBuf,
}

impl Study {
    /// Reads a plan, or the plan in a folder. `pages` are given in place of the plan's, as with
    /// `--pages`. The results are in `output`; by default in the folder `results` beside it.
    ///
    /// # Errors
    /// Names the file, the place in it, and the mistake.
    pub fn open(plan: PathBuf, pages: &[String], output: Option<PathBuf>) -> Result<Self> {
        let plan = plan_file(plan);
        let resolved = Resolved::read(&plan, pages, None)?;
        evaluate::check(&resolved, &plan)?;
        Ok(Self {
            resolved,
            folder: output.unwrap_or_else(|| plan.with_file_name("results")),
            plan,
        })
    }

    /// Returns the title of the plan; empty if it has none.
    pub fn title(&self) -> &str {
        &self.resolved.study.title
    }

    /// Returns the folder of the results.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs the loads that the results lack, and returns their number.
    ///
    /// # Errors
    /// A load or a file failed, or the user interrupted. Complete shards are kept.
    pub fn run(&self, jobs: Option<u16>, hook: Hook) -> Result<usize> {
        let watch = Watch::hooked(hook);
        let ran = run::complete(&self.resolved, &self.folder, Part::WHOLE, jobs, watch)?;
        Ok(ran.0)
    }

    /// Returns the number of loads that are done, and of all.
    ///
    /// # Errors
    /// A file of the results is damaged.
    pub fn progress(&self) -> Result<(u64, u64)> {
        let races = match self.store()? {
            Some(store) => progress_of(&self.resolved, &store)?,
            None => return Ok((0, self.resolved.loads())),
        };
        let sum = |(done, all), race: &(u64, u64)| (done + race.0, all + race.1);
        Ok(races.iter().fold((0, 0), sum))
    }

    /// Returns the shards that the results lack.
    ///
    /// # Errors
    /// A file of the results is damaged, or a page cannot be read.
    pub fn missing(&self) -> Result<Vec<Shard>> {
        let store = Store::open(&self.folder, self.resolved.study.details)?;
        let mut shards = Vec::new();
        run::missing(&self.resolved, &store, Part::WHOLE, &mut |shard| {
            shards.push(shard);
            Ok(())
        })?;
        Ok(shards)
    }

    /// Runs a shard on this thread and writes its files.
    ///
    /// # Errors
    /// As [`Study::run`].
    pub fn run_shard(&self, shard: Shard, hook: Hook) -> Result<()> {
        let store = Store::create(&self.folder, self.resolved.study.details)?;
        run::shards(
            &self.resolved,
            &store,
            &[shard],
            Some(1),
            Watch::hooked(hook),
        )
    }

    /// Returns the rows of all loads that are done, in the order of the plan.
    ///
    /// # Errors
    /// A file of the results is damaged.
    pub fn rows(&self) -> Result<Vec<Row>> {
        let mut all = Vec::new();
        if let Some(store) = self.store()? {
            self.resolved.each(|cells| {
                all.extend(self.resolved.rows(&store, cells)?);
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Writes the loads as one Parquet file.
    ///
    /// # Errors
    /// A file of the results is damaged, or `to` cannot be written.
    pub fn export(&self, to: &Path) -> Result<()> {
        export_to(&self.resolved, &self.plan, &self.folder, to).map(drop)
    }

    /// Makes a table of the loads.
    ///
    /// # Errors
    /// The loads have no such columns or values, or there are none.
    pub fn table(&self, spec: &TableSpec) -> Result<FilledTable> {
        let mut frame = Frame::new(&spec.metrics());
        let rows = self.rows()?;
        if rows.is_empty() {
            bail!(
                "{}: holds no loads of the plan; run it first",
                self.folder.display()
            );
        }
        frame.add(&rows);
        spec.fill(&frame).map_err(Error::msg)
    }

    /// Returns the folder of the results, if it exists.
    fn store(&self) -> Result<Option<Store>> {
        if !self.folder.exists() {
            return Ok(None);
        }
        Ok(Some(Store::read(
            &self.folder,
            self.resolved.study.details,
        )?))
    }
}
