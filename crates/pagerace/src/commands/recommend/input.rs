//! Loads from a plan, a folder of results or an exported file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use pagerace_lab::MetricId;
use pagerace_study::columns::read_metadata;
use pagerace_study::compare::needed;
use pagerace_study::frame::Frame;
use pagerace_study::recommend::PageFacts;
use pagerace_study::recommend::population::PageName;
use pagerace_study::store;
use serde_json::Value;

use super::RecommendArgs;
use crate::commands::study::{MODEL_ERROR, PLAN, PLAN_FILE, PlanLoads, ResultArgs, of_plan};

/// The first bytes of a Parquet file.
const PARQUET: [u8; 4] = *b"PAR1";

/// Loads, and the facts about them.
pub(super) struct Input {
    pub(super) frame: Frame,
    pub(super) pages: BTreeMap<PageName, PageFacts>,
    /// A description of the loads, as far as it is known, and the limits of statistics, line by
    /// line.
    pub(super) circumstances: String,
}

/// Returns the text of the plan, if it is known: of a folder of results it is not.
pub(super) fn plan(args: &RecommendArgs) -> Result<Option<String>> {
    let path = path(args);
    if path.is_dir() {
        return Ok(None);
    }
    Ok(if is_parquet(&path)? {
        read_metadata(File::open(&path)?, PLAN).ok()
    } else {
        let place = || format!("{}: is neither a plan nor a file of loads", path.display());
        Some(fs::read_to_string(&path).with_context(place)?)
    })
}

/// Returns the file of the plan or of loads, or the folder of results.
pub(super) fn path(args: &RecommendArgs) -> PathBuf {
    let plan = args.input.join(PLAN_FILE);
    if plan.exists() {
        plan
    } else {
        args.input.clone()
    }
}

impl Input {
    pub(super) fn read(args: &RecommendArgs) -> Result<Self> {
        let metrics = needed(args.metric);
        let path = &path(args);
        if path.is_dir() || is_parquet(path)? {
            return Self::of_rows(args, &metrics);
        }
        let results = ResultArgs::new(path.clone(), args.files.clone(), args.folder.clone());
        let work = (!args.no_run).then_some(&args.work);
        let PlanLoads {
            frame,
            pages,
            circumstances,
        } = of_plan(&results, work, &metrics)?;
        Ok(Self {
            frame,
            pages: facts(&pages),
            circumstances,
        })
    }

    /// Reads a folder of results or an exported file.
    fn of_rows(args: &RecommendArgs, metrics: &[MetricId]) -> Result<Self> {
        args.check_no_plan()?;
        let path = &args.input;
        let frame = Frame::read(path, metrics)?;
        // A folder may hold loads of several plans and versions.
        let value = |key: &str| {
            let file = File::open(path).ok().filter(|_| path.is_file())?;
            read_metadata(file, key).ok()
        };
        let version = value(store::VERSION_KEY);
        let version = version.map_or_else(String::new, |version| {
            format!("Pagerace {version} ran the loads. The column seed has their seeds.\n")
        });
        Ok(Self {
            frame,
            pages: facts(&store::page_facts(path)?),
            circumstances: format!("{version}{MODEL_ERROR}\n"),
        })
    }
}

/// Returns true if a file holds rows.
fn is_parquet(path: &Path) -> Result<bool> {
    let mut head = Vec::new();
    let file = File::open(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let length = PARQUET.len() as u64;
    file.take(length).read_to_end(&mut head)?;
    Ok(head == PARQUET)
}

fn facts(pages: &[Value]) -> BTreeMap<PageName, PageFacts> {
    pages.iter().filter_map(PageFacts::of_json).collect()
}
