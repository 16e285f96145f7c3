//! The goals and the errors reached.

use pagerace_report::sections::{Section, Table, columns};

use super::{NONE, share, title};
use crate::accuracy::Accuracy;
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
}
