//! JSON output for an explanation. The format is described in `docs/output.md`.

use std::io::{self, Write};

use pagerace_core::object;
use pagerace_sim::Part;
use serde::Serialize;

use super::{Split, Why};
use crate::VERSION;
use crate::plan::Plan;

/// The value of `format` in these files.
pub const WHY_FORMAT: &str = "pagerace-explanation";
/// The version of the format.
pub const WHY_SCHEMA: u32 = 2;

/// Writes the explanation as one JSON document with a final line break. A is
/// the baseline, and B is the contender.
///
/// # Errors
/// Any error of `out`.
pub fn write_why_json(plan: &Plan, why: &Why, out: &mut dyn Write) -> io::Result<()> {
    let document = object! {
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
        parts: Part::ALL.map(|part| object! {
            part: part.name(),
            a_ns: why.base.parts.get(part).as_nanos(),
            b_ns: why.own.parts.get(part).as_nanos(),
            difference_ns: why.difference(part),
        }),
        world: plan.world(why.network, why.run),
        a: side(plan, why.page, plan.baseline, &why.base),
        b: side(plan, why.page, why.contender, &why.own),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

/// Returns a load with its critical path.
pub(crate) fn side<'a>(
    plan: &'a Plan,
    page: usize,
    contender: usize,
    split: &Split,
) -> impl Serialize + use<'a> {
    let resources = &plan.pages[page].resources;
    let steps = split.path.iter().map(|step| {
        let parts = Part::ALL.map(|part| (part, step.parts.get(part).as_nanos()));
        let longer = parts.into_iter().filter(|(_, ns)| *ns > 0);
        object! {
            url: &resources[step.resource.0 as usize].url,
            from_ns: step.from.as_nanos(),
            arrived_ns: step.arrived.as_nanos(),
            until_ns: step.until.as_nanos(),
            parts: longer.map(|(part, ns)| object! { part: part.name(), ns: ns })
                .collect::<Vec<_>>(),
        }
    });
    object! {
        label: plan.label(contender),
        contender: &plan.contenders[contender],
        total_ns: split.total.as_nanos(),
        path: steps.collect::<Vec<_>>(),
    }
}
