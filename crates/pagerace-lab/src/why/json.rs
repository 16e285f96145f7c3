//! JSON output for an explanation. The format is described in `docs/output.md`.

use std::io::{self, Write};

use pagerace_sim::{Part, Parts};
use serde::Serialize;

use super::{Split, Why};
use crate::VERSION;
use crate::contender::Contender;
use crate::plan::Plan;

/// The value of `format` in these files.
pub const WHY_FORMAT: &str = "pagerace-explanation";
/// The version of the format.
pub const WHY_SCHEMA: u32 = 2;

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    schema: u32,
    version: &'static str,
    page: &'a str,
    network: &'a str,
    metric: &'static str,
    run: usize,
    seed: u64,
    sentence: String,
    difference_ns: i64,
    parts: Vec<PartDoc>,
    a: Side<'a>,
    b: Side<'a>,
}

#[derive(Serialize)]
struct PartDoc {
    part: &'static str,
    a_ns: u64,
    b_ns: u64,
    difference_ns: i64,
}

#[derive(Serialize)]
struct Side<'a> {
    label: String,
    contender: &'a Contender,
    total_ns: u64,
    path: Vec<StepDoc<'a>>,
}

#[derive(Serialize)]
struct StepDoc<'a> {
    url: &'a str,
    from_ns: u64,
    arrived_ns: u64,
    until_ns: u64,
    parts: Vec<StepPart>,
}

#[derive(Serialize)]
struct StepPart {
    part: &'static str,
    ns: u64,
}

/// Writes the explanation as one JSON document with a final line break. A is
/// the baseline, and B is the contender.
///
/// # Errors
/// Any error of `out`.
pub fn write_why_json(plan: &Plan, why: &Why, out: &mut dyn Write) -> io::Result<()> {
    let parts = Part::ALL.map(|part| PartDoc {
        part: part.name(),
        a_ns: why.base.parts.get(part).as_nanos(),
        b_ns: why.own.parts.get(part).as_nanos(),
        difference_ns: why.difference(part),
    });
    let document = Document {
        format: WHY_FORMAT,
        schema: WHY_SCHEMA,
        version: VERSION,
        page: &plan.pages[why.page].name,
        network: &plan.networks[why.network].name,
        metric: why.metric.name(),
        run: why.run + 1,
        seed: plan.run_seed(why.run),
        sentence: super::sentence(plan, why),
        difference_ns: why.total_difference(),
        parts: parts.into(),
        a: side(plan, why, plan.baseline, &why.base),
        b: side(plan, why, why.contender, &why.own),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn side<'a>(plan: &'a Plan, why: &Why, contender: usize, split: &Split) -> Side<'a> {
    let resources = &plan.pages[why.page].resources;
    let steps = split.path.iter().map(|step| StepDoc {
        url: &resources[step.resource.0 as usize].url,
        from_ns: step.from.as_nanos(),
        arrived_ns: step.arrived.as_nanos(),
        until_ns: step.until.as_nanos(),
        parts: named(&step.parts),
    });
    Side {
        label: plan.label(contender),
        contender: &plan.contenders[contender],
        total_ns: split.total.as_nanos(),
        path: steps.collect(),
    }
}

/// Returns the parts with a nonzero time.
fn named(parts: &Parts) -> Vec<StepPart> {
    let all = Part::ALL.map(|part| StepPart {
        part: part.name(),
        ns: parts.get(part).as_nanos(),
    });
    all.into_iter().filter(|part| part.ns > 0).collect()
}
