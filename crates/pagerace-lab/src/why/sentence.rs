//! The main reason of a difference as a sentence.

use pagerace_sim::Part;

use super::{Why, title};
use crate::metric::{MetricId, Wording};
use crate::plan::Plan;
use crate::unit::{Unit, percent};

/// Share of the larger time up to which two runs count as equally fast.
const EQUAL: f64 = 0.001;

/// Parts below this share of the main part are not mentioned.
const WORTH_TELLING: f64 = 0.25;

/// Formats the explanation: "In run 7, h1 shows the largest element 210 ms
/// (12 %) later than h3: more time for connection set-up (180 ms) and server
/// (60 ms), but less for browser work (45 ms)."
pub fn sentence(plan: &Plan, why: &Why) -> String {
    let (own, base) = (plan.label(why.contender), plan.label(plan.baseline));
    let run = why.run + 1;
    let metric: MetricId = plan.metric;
    let total = why.total_difference();
    let larger = why.own.total.max(why.base.total).as_nanos() as f64;
    if total.unsigned_abs() as f64 <= EQUAL * larger {
        return match metric.metric().wording {
            Wording::Moment(does) => {
                format!("In run {run}, {own} {does} as soon as {base}.")
            }
            Wording::Amount(what) => {
                format!("In run {run}, {what} is the same with {own} as with {base}.")
            }
        };
    }
    let share = percent(total.unsigned_abs() as f64 / why.base.total.as_nanos().max(1) as f64);
    let by = format!("{} ({share})", ms(total));
    let lead = match metric.metric().wording {
        Wording::Moment(does) => {
            let when = if total > 0 { "later" } else { "sooner" };
            format!("In run {run}, {own} {does} {by} {when} than {base}")
        }
        Wording::Amount(what) => {
            let how = if total > 0 { "higher" } else { "lower" };
            format!("In run {run}, {what} is {by} {how} with {own} than with {base}")
        }
    };
    format!("{lead}: {}.", reason(plan, why))
}

/// Formats the cause alone: "in a typical run, h3 spends less time for connection set-up
/// (180 ms), but more for browser work (20 ms)."
pub fn cause(plan: &Plan, why: &Why) -> String {
    let label = plan.spoken(why.contender);
    if why.total_difference() == 0 {
        return format!("in a typical run, {label} does not differ.");
    }
    format!("in a typical run, {label} spends {}.", reason(plan, why))
}

/// Formats the parts that differ most: "more time for connection set-up (180 ms) and server
/// (60 ms), but less for browser work (45 ms)".
fn reason(plan: &Plan, why: &Why) -> String {
    let total = why.total_difference();
    let (with, against) = (sorted(why, total.signum()), sorted(why, -total.signum()));
    let most = with.first().map_or(0, |(_, size)| *size);
    let network = &plan.networks[why.network];
    let tell = |parts: &[(Part, i64)]| {
        let worth = |(_, size): &&(Part, i64)| *size as f64 >= WORTH_TELLING * most as f64;
        let told = parts.iter().filter(worth).take(2);
        told.map(|(part, size)| format!("{} ({})", title(*part, network), ms(*size)))
            .collect::<Vec<_>>()
            .join(" and ")
    };
    let (more, opposite) = if total > 0 {
        ("more time for", "less for")
    } else {
        ("less time for", "more for")
    };
    let (with, other) = (tell(&with), tell(&against));
    if other.is_empty() {
        format!("{more} {with}")
    } else {
        format!("{more} {with}, but {opposite} {other}")
    }
}

/// Returns the parts whose difference has this sign, with its size, largest first.
fn sorted(why: &Why, sign: i64) -> Vec<(Part, i64)> {
    let sizes = Part::ALL.map(|part| (part, why.difference(part) * sign));
    let mut parts: Vec<(Part, i64)> = sizes.into_iter().filter(|(_, size)| *size > 0).collect();
    parts.sort_by_key(|(part, size)| (std::cmp::Reverse(*size), *part));
    parts
}

/// Formats the absolute value of nanoseconds in milliseconds.
fn ms(nanos: i64) -> String {
    Unit::Milliseconds.format(nanos.unsigned_abs() as f64 / 1e6)
}
