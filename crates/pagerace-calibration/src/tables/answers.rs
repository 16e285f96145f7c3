//! How often a race names a winner, how often it is right, and what its ranges hold.

use pagerace_core::Words as _;
use pagerace_lab::model_error::Class;
use pagerace_lab::unit::percent;
use pagerace_report::sections::{Section, Table, columns};

use super::{NONE, title};
use crate::accuracy::Accuracy;
use crate::spread::PARTS;

/// Builds the tables of named winners, of the spread of live loads, and of probabilities.
pub(super) fn answers(accuracy: &Accuracy) -> Section {
    let section = Section::new("Answers").say(
        "How often a race over plausible worlds names a winner, and how often that winner won \
         live (by the sign of the difference of the live medians, whether or not it is \
         significant). Held: live differences within the range of 95 and of 80 %. Sure: the range \
         of 95 % excludes zero; probable: that of 80 % does, sure ones included. Same: pairs that \
         are said not to differ, and those of them that differ by at most 10 % live. The last columns \
         say how the range is made: of all differences between the runs of both sides, or of \
         paired runs; and by how much the central 90 % are widened, as a share of the baseline's \
         median. Widenings come from all other pages, on held-out pages from tuned ones.",
    );
    let sets = [
        ("Held-out pages", &accuracy.classes_held_out),
        ("All pages", &accuracy.classes),
    ];
    let section = sets
        .into_iter()
        .filter(|(_, classes)| !classes.is_empty())
        .fold(section, |section, (caption, classes)| {
            section.table(table(classes).captioned(caption))
        });
    let section = match accuracy.live_spread.as_slice() {
        [] => section,
        _ => section.table(spread(accuracy).captioned(
            "Single live loads among the simulated runs, without random loss: the share within \
             the central 50, 80 and 90 %, and the per cent in each tenth",
        )),
    };
    match accuracy.reliability.as_slice() {
        [] => section,
        _ => section.table(reliability(accuracy).captioned(
            "\"Sooner in x of 100 pairs of loads\", on recorded layouts without random loss: how \
             often it was so live",
        )),
    }
}

fn table(classes: &[Class]) -> Table {
    let rows = classes.iter().map(|class| {
        let of = |count: u32, all: u32| match all {
            0 => NONE.to_owned(),
            _ => percent(f64::from(count) / f64::from(all)),
        };
        let named = |level: usize| {
            let (named, right) = (class.named[level], class.right[level]);
            match named {
                0 => NONE.to_owned(),
                _ => format!("{} ({right} of {named})", of(named, class.pairs)),
            }
        };
        let wider = class.wider.map_or_else(
            || "not widened".to_owned(),
            |[sure, probable]| format!("{} / {}", percent(sure), percent(probable)),
        );
        vec![
            class.kind.word().to_owned(),
            title(class.metric),
            if class.lossy { "lossy" } else { "lossless" }.to_owned(),
            class.evidence.to_string(),
            class.pairs.to_string(),
            of(class.held[0], class.pairs),
            of(class.held[1], class.pairs),
            named(0),
            named(1),
            match class.same {
                [0, _] => NONE.to_owned(),
                [same, right] => format!("{right} of {same}"),
            },
            if class.paired { "paired" } else { "all" }.to_owned(),
            wider,
        ]
    });
    let header = columns(
        "differ in | metric | networks | paints | pairs | held 95 | held 80 | sure (right) | \
         probable (right) | same (within 10 %) | differences | wider by",
    );
    Table::new(header, 4, rows)
}

fn spread(accuracy: &Accuracy) -> Table {
    let rows = accuracy.live_spread.iter().map(|one| {
        let tenths = one.parts.map(|part| format!("{:.0}", part * 100.0));
        let mut row = vec![title(one.metric), one.combinations.to_string()];
        row.extend(one.held.map(percent));
        row.push(tenths.join(" "));
        row
    });
    let header = columns("metric | combinations | 50 % | 80 % | 90 % | tenths");
    debug_assert_eq!(PARTS, 10, "the header says tenths");
    Table::new(header, 1, rows)
}

fn reliability(accuracy: &Accuracy) -> Table {
    let rows = accuracy.reliability.iter().map(|one| {
        vec![
            format!("{} to {}", percent(one.from), percent(one.to)),
            one.pairs.to_string(),
            percent(one.said),
            percent(one.came_true),
        ]
    });
    Table::new(columns("said | pairs | mean | came true"), 1, rows)
}
