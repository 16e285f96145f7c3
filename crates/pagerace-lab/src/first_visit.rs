//! How a race between HTTP/3 and an older version of HTTP ends on first visits.
//!
//! By default, a race takes for granted that the browser knows which servers speak HTTP/3.
//! On most first visits it learns this from the `alt-svc` field of the first response (RFC
//! 7838), and sends the first requests over TCP.

use pagerace_core::Protocol;
use pagerace_sim::H3Discovery;

use crate::analysis::{Comparison, WORLDS_MIN, compare};
use crate::error::LabError;
use crate::plan::Plan;
use crate::results::{Results, Variant};
use crate::runner::{OnProgress, Runner, run_all, summary};
use crate::unit::signed_percent;

/// The comparison of HTTP/3 with an older version on first visits.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstVisit {
    /// Index into [`Plan::networks`].
    pub network: usize,
    /// Index into [`Plan::contenders`] of the one that uses HTTP/3.
    pub contender: usize,
    /// Index of the one that does not.
    pub other: usize,
    /// The contender compared with the other, with HTTP/3 known from the start.
    pub known: Comparison,
    /// The same if the first response tells of HTTP/3.
    pub learned: Comparison,
}

/// Returns the contenders to compare on first visits, the one with HTTP/3 first. `None` unless
/// the protocols of one page race, one of them everywhere HTTP/3 and one an older version, and
/// HTTP/3 is known.
fn pair(plan: &Plan) -> Option<(usize, usize)> {
    let ([_], H3Discovery::Known) = (plan.pages.as_slice(), plan.settings.h3_discovery) else {
        return None;
    };
    let uniform = |i: usize| plan.contenders[i].protocols.is_uniform();
    let is = |wanted: Protocol| (0..plan.contenders.len()).find(|&i| uniform(i) == Some(wanted));
    let alike = ["strategy", "reliability", "protocol"];
    let only = plan.varying().has("protocol")
        && plan.varying().iter().all(|one| alike.contains(&one.name));
    let h3 = is(Protocol::H3)?;
    let other = is(Protocol::H2).or_else(|| is(Protocol::H1))?;
    only.then_some((h3, other))
}

/// Returns the number of loads of [`add_first_visit`].
pub fn loads(results: &Results, network: usize) -> usize {
    let runs = |(h3, _)| results.variant(0, network, h3).runs.len();
    let runs = pair(&results.plan).map_or(0, runs);
    // Fewer loads compare nothing, and more would cost more than they tell.
    if runs < WORLDS_MIN {
        0
    } else {
        runs.min(2 * WORLDS_MIN)
    }
}

/// Loads the page over HTTP/3 as a first visit does, in the worlds of the race on this network,
/// and stores the comparison in [`Results::first_visits`].
///
/// # Errors
/// Those of a race.
pub fn add_first_visit(
    results: &mut Results,
    network: usize,
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<(), LabError> {
    let runs = loads(results, network);
    let Some((contender, other)) = pair(&results.plan).filter(|_| runs > 0) else {
        return Ok(());
    };
    let mut plan = results.plan.clone();
    plan.settings.h3_discovery = H3Discovery::AltSvcFirstVisit;
    let variant = plan.variant_index(0, network, contender);
    let load = |run: usize| summary(&plan, runner, variant, run);
    let learned = Variant {
        page: 0,
        network,
        contender,
        runs: run_all(jobs, runs, &load, progress)?,
    };
    let [known, base] = [contender, other].map(|i| results.variant(0, network, i));
    let against = |variant: &Variant| {
        compare(results, &[base, variant], 0, plan.metric)
            .rows
            .swap_remove(1)
    };
    let visit = FirstVisit {
        network,
        contender,
        other,
        known: against(known),
        learned: against(&learned),
    };
    results.first_visits.push(visit);
    Ok(())
}

impl FirstVisit {
    /// Says what either visitor gains: "For whom: against HTTP/2, a browser that already knows of
    /// HTTP/3 sees -22 % (wins); a first visit that learns of it by Alt-Svc, -4.9 % (open)."
    pub fn sentence(&self, plan: &Plan) -> String {
        let told = |row: &Comparison| {
            let share = row
                .relative
                .map_or_else(|| "no value".to_owned(), signed_percent);
            (share, row.mark.name())
        };
        let ((known, known_mark), (learned, learned_mark)) =
            (told(&self.known), told(&self.learned));
        let other = plan.spoken(self.other);
        format!(
            "For whom: against {other}, a browser that already knows of HTTP/3 sees {known} \
             ({known_mark}); a first visit that learns of it by Alt-Svc, {learned} ({learned_mark})."
        )
    }
}
