//! Optional rows: one for each request of a load, and one for each part of an explanation.
//!
//! Such a row names its load by the columns `cell` and `run`, which the loads have, too.

use std::sync::Arc;

use pagerace_core::{Duration, Instant};
use pagerace_page::{Page, Resource};
use pagerace_sim::{Explainable, Outcome, Part, Parts, ResourceTiming};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};
use parquet::record::Field;

use crate::columns::{Columns, Of, Record, guarded};
use crate::losses::LossyRequest;

/// A load, as other rows name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadName {
    /// The cell.
    pub cell: Arc<str>,
    /// The number of the run, from 0.
    pub run: u32,
}

/// A request of a load.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestRow {
    /// The load.
    pub load: LoadName,
    /// The page, which has the resource.
    pub page: Arc<Page>,
    /// The index of the resource in the page.
    pub resource: usize,
    /// The times and bytes.
    pub timing: ResourceTiming,
    /// The state in which the page has the object; `None` if its delivery did not end.
    pub state: Option<&'static str>,
    /// The times at which packets left that the network lost with bytes of the response.
    pub lost: Vec<Instant>,
    /// These times in ms, separated by spaces.
    lost_ms: String,
}

/// The time that a part of an explanation takes in a load.
#[derive(Clone, Debug, PartialEq)]
pub struct PartRow {
    /// The load.
    pub load: LoadName,
    /// The metric that is explained.
    pub metric: Explainable,
    /// The part.
    pub part: Part,
    /// The time.
    pub time: Duration,
}

impl RequestRow {
    /// Returns the requests of a load over the network, in the order of the page. Lost packets
    /// are those of the outcome's trace; without one, none is known.
    pub fn of(load: &LoadName, page: &Arc<Page>, outcome: &Outcome) -> Vec<Self> {
        let timings = outcome.resources.iter().enumerate();
        let mut lost = vec![Vec::new(); page.resources.len()];
        for drop in outcome.trace.iter().flat_map(|trace| &trace.drops) {
            for resource in &drop.resources {
                lost[resource.index()].push(drop.at);
            }
        }
        let row = |(resource, timing): (usize, &Option<ResourceTiming>)| {
            let delivery = outcome.objects.get(resource).and_then(Option::as_ref);
            let lost = std::mem::take(&mut lost[resource]);
            let times = lost.iter().map(|at| start(*at).as_millis_f64().to_string());
            Some(Self {
                load: load.clone(),
                page: Arc::clone(page),
                resource,
                timing: (*timing)?,
                state: delivery.map(|object| object.state.name()),
                lost_ms: times.collect::<Vec<String>>().join(" "),
                lost,
            })
        };
        timings.filter_map(row).collect()
    }

    fn resource(&self) -> &Resource {
        &self.page.resources[self.resource]
    }
}

impl PartRow {
    /// Returns the parts of a load, in the order of tables.
    pub fn of(load: &LoadName, metric: Explainable, parts: &Parts) -> Vec<Self> {
        let row = |part| Self {
            load: load.clone(),
            metric,
            part,
            time: parts.get(part),
        };
        Part::ALL.map(row).into()
    }
}

impl Record for RequestRow {
    const TABLE: &'static str = "requests";

    fn columns(rows: &[Self]) -> Columns<'_> {
        let of = Of(rows);
        vec![
            of.texts("cell", |row| Some(&row.load.cell)),
            of.integers("run", |row| u64::from(row.load.run)),
            of.integers("request", |row| row.resource as u64),
            of.texts("url", |row| Some(&row.resource().url)),
            of.texts("mime_type", |row| Some(&row.resource().mime_type)),
            of.texts("category", |row| Some(row.resource().category.name())),
            of.texts("protocol", |row| Some(row.timing.protocol.name())),
            of.numbers("connection", |row| row.timing.connection.map(f64::from)),
            of.integers("reused", |row| u64::from(row.timing.reused)),
            of.times("discovered_ms", |row| start(row.timing.discovered)),
            of.times("queued_ms", |row| row.timing.queued),
            of.times("blocked_ms", |row| row.timing.blocked),
            of.times("dns_ms", |row| row.timing.dns),
            of.times("connect_ms", |row| row.timing.connect),
            of.times("wait_ms", |row| row.timing.wait),
            of.times("receive_ms", |row| row.timing.receive),
            of.times("end_ms", |row| start(row.timing.response_end())),
            of.integers("body_bytes", |row| row.resource().body_bytes),
            of.integers("hol_blocked_bytes", |row| row.timing.hol_blocked_bytes),
            of.integers("hol_other_bytes", |row| row.timing.hol_other_bytes),
            of.texts("state", |row| row.state),
            of.integers("lost_packets", |row| row.lost.len() as u64),
            of.texts("lost_ms", |row| Some(&row.lost_ms)),
        ]
    }
}

impl Record for PartRow {
    const TABLE: &'static str = "parts";

    fn columns(rows: &[Self]) -> Columns<'_> {
        let of = Of(rows);
        vec![
            of.texts("cell", |row| Some(&row.load.cell)),
            of.integers("run", |row| u64::from(row.load.run)),
            of.texts("metric", |row| Some(row.metric.name())),
            of.texts("part", |row| Some(row.part.name())),
            of.times("time_ms", |row| row.time),
        ]
    }
}

/// Calls `see` with each request of a file, and the packets that it lost.
///
/// # Errors
/// The file is no Parquet file, or lacks a column.
pub(crate) fn read_losses(
    file: impl ChunkReader + 'static,
    mut see: impl FnMut(LossyRequest),
) -> Result<()> {
    guarded(|| {
        let reader = SerializedFileReader::new(file)?;
        for record in reader.get_row_iter(None)? {
            let (mut cell, mut run, mut category, mut lost) = (None, None, None, None);
            for (name, field) in record?.get_column_iter() {
                match (name.as_str(), field) {
                    ("cell", Field::Str(text)) => cell = Some(text.clone()),
                    ("run", Field::Long(number)) => run = u32::try_from(*number).ok(),
                    ("category", Field::Str(text)) => category = Some(text.clone()),
                    ("lost_ms", Field::Str(text)) => lost = Some(text.clone()),
                    _ => {}
                }
            }
            let request = || {
                let times = lost?;
                let times = times.split_whitespace().map(|time| time.parse().ok());
                Some(LossyRequest {
                    cell: cell?,
                    run: run?,
                    category: category?,
                    lost_ms: times.collect::<Option<_>>()?,
                })
            };
            let lacks = || ParquetError::General("has no column lost_ms".to_owned());
            see(request().ok_or_else(lacks)?);
        }
        Ok(())
    })
}

/// Returns the time since the navigation.
fn start(at: Instant) -> Duration {
    at.since(Instant::ZERO)
}
