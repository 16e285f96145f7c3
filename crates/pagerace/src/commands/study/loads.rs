//! The loads of a plan in memory.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use pagerace_lab::MetricId;
use pagerace_study::Store;
use pagerace_study::claim::Measure;
use pagerace_study::frame::Frame;
use serde_json::Value;

use super::resolve::Resolved;
use super::{Part, ResultArgs, markdown, progress_of, run, warn_of_missing};
use crate::cli::groups::WorkArgs;

/// The loads of a report.
pub(super) struct Loads {
    pub(super) frame: Frame,
    /// Number of loads, and of those that failed. Loads that races share count once.
    pub(super) count: usize,
    pub(super) failed: usize,
    /// Number of loads that the results lack.
    missing: usize,
}

impl Loads {
    /// Reads the loads of a plan.
    pub(super) fn read(resolved: &Resolved, folder: &Path, metrics: &[MetricId]) -> Result<Self> {
        let store = Store::read(folder, resolved.study.details)?;
        let mut frame = Frame::new(metrics);
        let (mut found, mut all) = (0, 0);
        let mut loads = BTreeMap::new();
        let study = &resolved.study;
        let measures = study
            .matrices
            .iter()
            .flat_map(|one| one.measures.iter().flatten());
        let claims = study.claims.iter().map(|claim| &claim.sentence.measure);
        let wants_facts = measures.chain(claims).any(Measure::is_slope);
        resolved.each(|cells| {
            if wants_facts && let Some(facts) = resolved.stored_facts(&store, cells)? {
                frame.add_page(&serde_json::from_str(&facts)?);
            }
            let rows = resolved.rows(&store, cells)?;
            found += rows.len();
            for row in &rows {
                loads.insert((row.key.cell.clone(), row.run), row.failure.is_some());
            }
            all += cells.digests.len() * cells.plan.runs as usize;
            frame.add(&rows);
            Ok(())
        })?;
        if found == 0 {
            bail!(
                "{}: holds no loads of the plan; `pagerace study run` runs them",
                folder.display()
            );
        }
        Ok(Self {
            frame,
            count: loads.len(),
            failed: loads.into_values().filter(|failed| *failed).count(),
            missing: all - found,
        })
    }

    /// Reads the loads of a plan, none of which may be missing.
    pub(super) fn complete(
        resolved: &Resolved,
        folder: &Path,
        metrics: &[MetricId],
    ) -> Result<Self> {
        let loads = Self::read(resolved, folder, metrics)?;
        if loads.missing == 0 {
            return Ok(loads);
        }
        let store = Store::read(folder, resolved.study.details)?;
        let races = progress_of(resolved, &store)?;
        let missing = resolved.races().zip(&races);
        let missing = missing.filter(|(_, (done, all))| done < all);
        let missing = missing
            .map(|((race, _), (done, all))| format!("race \"{race}\" has {done} of {all} loads"));
        bail!(
            "{}: lacks {} loads of the plan: {}; `pagerace study run` runs them, and `pagerace \
             study table` makes tables of those that are there",
            folder.display(),
            loads.missing,
            missing.collect::<Vec<String>>().join(", ")
        );
    }
}

/// The loads of a plan for other commands.
pub(in crate::commands) struct PlanLoads {
    pub(in crate::commands) frame: Frame,
    /// Facts about each page.
    pub(in crate::commands) pages: Vec<Value>,
    /// A description of the loads, line by line.
    pub(in crate::commands) circumstances: String,
}

/// Returns the loads of a plan. Without `work`, those that the results lack stay missing.
pub(in crate::commands) fn of_plan(
    results: &ResultArgs,
    work: Option<&WorkArgs>,
    metrics: &[MetricId],
) -> Result<PlanLoads> {
    let resolved = results.read()?;
    let folder = results.folder();
    if let Some(work) = work {
        let watch = work.watch("loads");
        run::complete(&resolved, &folder, Part::WHOLE, work.threads.jobs, watch)?;
    }
    let loads = Loads::read(&resolved, &folder, metrics)?;
    warn_of_missing(loads.missing);
    let store = Store::read(&folder, resolved.study.details)?;
    let mut pages = Vec::new();
    resolved.each(|cells| {
        let facts = resolved.stored_facts(&store, cells)?;
        let facts = facts
            .map(|facts| serde_json::from_str(&facts))
            .transpose()?;
        pages.extend(facts);
        Ok(())
    })?;
    let mut circumstances = String::new();
    markdown::circumstances(&mut circumstances, &resolved, &loads)?;
    Ok(PlanLoads {
        frame: loads.frame,
        pages,
        circumstances,
    })
}
