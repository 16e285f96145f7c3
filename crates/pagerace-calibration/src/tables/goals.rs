//! The goals and the errors reached.

use pagerace_lab::metric::MetricId;
use pagerace_lab::results::distinct;
use pagerace_report::sections::{Section, Table, columns};

use super::errors::brief;
use super::{NONE, pair, share, title};
use crate::accuracy::Accuracy;
use crate::errors::Errors;
use crate::goals::{Reached, blocking};

pub(super) fn goals(accuracy: &Accuracy) -> Section {
    let header = columns(
        "metric | protocols | networks | goal p50 | goal p90 | tuned p50 | tuned p90 | \
         held-out cells | held-out p50 | held-out p90 | reached | live p50 | live p90",
    );
    let rows = accuracy.goals.iter().map(|one| {
        let Reached { goal, tuned, .. } = one;
        let held_out = &one.held_out;
        vec![
            title(one.metric),
            one.protocols.to_owned(),
            if one.lossy { "lossy" } else { "lossless" }.to_owned(),
            share(Some(goal.p50)),
            share(Some(goal.p90)),
            share(tuned.p50),
            share(tuned.p90),
            held_out.count.to_string(),
            share(held_out.p50),
            share(held_out.p90),
            match goal.is_met(held_out) {
                Some(true) => "yes",
                Some(false) => "no",
                None => NONE,
            }
            .to_owned(),
            share(one.held_out.repeat_p50),
            share(one.held_out.repeat_p90),
        ]
    });
    let [tuned, held_out] = [false, true].map(|held_out| blocking(&accuracy.cells, held_out));
    Section::new("Goals")
        .say(
            "Goals for the errors on pages that the model was not tuned on, and the errors \
             measured. A cell is a page, network and contender. Live: the error of one live load \
             as a prediction of the others of its cell, on held-out pages. Medians of several \
             loads scatter less.",
        )
        .say(format!(
            "Total Blocking Time should be within 25 % or 50 ms of the live one: it is in {} of \
                 {} cells of tuned pages, and in {} of {} of held-out ones.",
            tuned.0, tuned.1, held_out.0, held_out.1
        ))
        .table(Table::new(header, 3, rows))
        .table(by_network(accuracy))
}

/// Builds a table with the errors on held-out pages by network, protocol and metric.
fn by_network(accuracy: &Accuracy) -> Table {
    let all = || {
        let goals = accuracy.goals.iter();
        goals.flat_map(|one| {
            one.networks
                .iter()
                .map(move |(name, errors)| (one, name, errors))
        })
    };
    let metrics = distinct(all().map(|(one, ..)| one.metric));
    let places = distinct(all().map(|(one, name, _)| (name, one.protocols)));
    let mut header = columns("network | protocols");
    header.extend(metrics.iter().map(|metric| title(*metric)));
    let rows = places.into_iter().map(|(name, protocols)| {
        let field = |metric: &MetricId| {
            let mut here = all().filter(|(one, ..)| one.metric == *metric);
            let here =
                here.find(|(one, network, _)| (*network, one.protocols) == (name, protocols));
            here.map_or_else(|| NONE.to_owned(), |(.., errors)| beside_live(errors))
        };
        let mut row = vec![name.clone(), protocols.to_owned()];
        row.extend(metrics.iter().map(field));
        row
    });
    Table::new(header, 2, rows).captioned(
        "Held-out pages by network: the error that half of the cells do not exceed / that nine \
         of ten do not exceed, and the bias, in per cent. In brackets: the errors of one live load \
         as a prediction of the others of its cell",
    )
}

/// Formats errors with those of a live load.
fn beside_live(errors: &Errors) -> String {
    match errors.repeat_p50.zip(errors.repeat_p90) {
        None => brief(errors),
        Some((p50, p90)) => format!("{} ({})", brief(errors), pair(Some(p50), Some(p90))),
    }
}
