//! The record of changes as sections of sentences and tables.

use std::collections::BTreeMap;

use pagerace_lab::advice::{Effect, Worth};
use pagerace_lab::metric::MetricId;
use pagerace_lab::stats::{mann_whitney, median};
use pagerace_lab::unit::percent;
use pagerace_report::sections::{Section, Table, columns};

use super::{Outcome, SIGNIFICANT, Tally, Trial, promises};
use crate::observation::Observations;
use crate::tables::{Extent, NONE, share};

/// The circumstances of the trials.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The observations.
    pub observations: &'a Observations,
    /// Simulated loads of each variant.
    pub simulated: u32,
    /// The command that repeats the comparison; may be empty.
    pub rerun: &'a str,
}

/// Returns all sections in order.
pub fn sections(trials: &[Trial], setup: &Setup<'_>, extent: Extent) -> Vec<Section> {
    let mut all = vec![introduction(trials, setup), summary(trials), kinds(trials)];
    if extent == Extent::Page {
        all.push(places(trials));
    }
    all.push(best(trials));
    all.push(unfulfilled(trials));
    all.extend(promises::section(trials, &setup.observations.lighthouse));
    if extent == Extent::Page {
        all.push(each(trials));
        all.push(circumstances(setup.observations, setup.rerun));
    }
    all
}

fn introduction(trials: &[Trial], setup: &Setup<'_>) -> Section {
    let pages = distinct(trials.iter().map(|one| one.page.as_str()));
    let held_out = trials.iter().filter(|one| one.held_out);
    let held_out = distinct(held_out.map(|one| one.page.as_str()));
    let combinations = distinct(trials.iter().map(|one| {
        (
            one.page.as_str(),
            one.network.as_str(),
            one.protocol.as_str(),
            one.changes.to_string(),
        )
    }));
    let runs: usize = setup
        .observations
        .observations
        .iter()
        .map(|one| one.runs.len())
        .sum();
    Section::new("Advice against reality")
        .say(format!(
            "How often changes of a page do what is predicted: {} combinations of {} pages, change, \
             network and version of HTTP, loaded {runs} times in a real browser. The servers \
             send the changed page; loads with and without changes take turns. {} of the pages were \
             not looked at before the model of changes was final.",
            combinations.len(),
            pages.len(),
            held_out.len(),
        ))
        .say(format!(
            "The loads tell the sign of a difference if a rank test says so (p at most \
             {SIGNIFICANT}) and the medians differ by 2 % or more. A prediction is as large as \
             the measured difference within 20 % of it or 30 ms. A claim is a predicted difference \
             of 3 % or more that has one sign in nine of ten worlds: what pagerace advise calls a \
             gain or harm. It came true if the loads tell the same sign, did not if they tell the \
             other, and otherwise stays undecided. Every prediction is the median of {} loads in \
             plausible worlds.",
            setup.simulated
        ))
}

/// The tallies' columns.
const TALLY: &str = "trials | told | sign right | as large | distance p50 | claims | came true | \
                     undecided | did not | measured / predicted";

fn tallied(name: Vec<String>, tally: &Tally) -> Vec<String> {
    let of = |count: usize, all: usize| (all > 0).then(|| count as f64 / all as f64);
    let ms = tally.distance_ms.map(|ms| format!("{ms:.0} ms"));
    let ratio = tally.ratio.map(|ratio| format!("{ratio:.2}"));
    let none = || NONE.to_owned();
    let numbers = [
        tally.trials.to_string(),
        tally.told.to_string(),
        share(of(tally.sign_right, tally.told)),
        share(of(tally.near, tally.trials)),
        ms.unwrap_or_else(none),
        tally.claims().to_string(),
        tally.claims_true.to_string(),
        tally.claims_untold.to_string(),
        tally.claims_false.to_string(),
        ratio.unwrap_or_else(none),
    ];
    name.into_iter().chain(numbers).collect()
}

fn summary(trials: &[Trial]) -> Section {
    let sets = [
        ("all pages", None),
        ("tuned", Some(false)),
        ("held out", Some(true)),
    ];
    let mut rows = Vec::new();
    for (name, held_out) in sets {
        for metric in metrics(trials) {
            let own = trials.iter();
            let own = own.filter(|one| {
                one.metric == metric && held_out.is_none_or(|wanted| one.held_out == wanted)
            });
            if own.clone().next().is_some() {
                let names = vec![name.to_owned(), metric.metric().title.to_owned()];
                rows.push(tallied(names, &Tally::of(&own)));
            }
        }
    }
    let header = columns(&format!("pages | metric | {TALLY}"));
    Section::new("In short")
        .say(
            "Goals: the sign of 95 % of what the loads tell; in the median, a difference as large \
             as the measured one.",
        )
        .table(Table::new(header, 2, rows))
}

fn kinds(trials: &[Trial]) -> Section {
    by(
        trials,
        "By kind of change",
        "Combinations count as the first of their kinds.",
        "kind | pages",
        |one| one.kind().to_owned(),
    )
}

fn places(trials: &[Trial]) -> Section {
    by(
        trials,
        "By network and version of HTTP",
        "Each page is loaded on one network over a version of HTTP.",
        "network | pages",
        |one| format!("{}, {}", one.network, one.protocol),
    )
}

/// Builds tables over all metrics with a row for each group.
fn by(
    trials: &[Trial],
    title: &str,
    text: &str,
    names: &str,
    group: impl Fn(&Trial) -> String,
) -> Section {
    let mut section = Section::new(title).say(text);
    for metric in metrics(trials) {
        let mut groups: BTreeMap<String, Vec<&Trial>> = BTreeMap::new();
        for trial in trials.iter().filter(|one| one.metric == metric) {
            groups.entry(group(trial)).or_default().push(trial);
        }
        let rows = groups.into_iter().map(|(name, own)| {
            let pages = distinct(own.iter().map(|one| one.page.as_str())).len();
            let tally = Tally::of(&own.iter().copied());
            tallied(vec![name, pages.to_string()], &tally)
        });
        let header = columns(&format!("{names} | {TALLY}"));
        let table = Table::new(header, 1, rows.collect::<Vec<_>>());
        section = section.table(table.captioned(metric.metric().title));
    }
    section
}

/// Tells how often the change that is predicted to gain most does.
fn best(trials: &[Trial]) -> Section {
    let mut rows = Vec::new();
    for metric in metrics(trials) {
        let mut cells: BTreeMap<(&str, &str, &str), Vec<&Trial>> = BTreeMap::new();
        for trial in trials.iter().filter(|one| one.metric == metric) {
            let cell = (
                trial.page.as_str(),
                trial.network.as_str(),
                trial.protocol.as_str(),
            );
            cells.entry(cell).or_default().push(trial);
        }
        let difference = |one: &Trial| one.predicted.map_or(f64::NAN, |effect| effect.difference);
        let (mut all, mut same, mut alike, mut lost) = (0, 0, 0, Vec::new());
        for own in cells.into_values() {
            let gains = own.iter().filter(|one| {
                one.predicted
                    .is_some_and(|effect| effect.worth() == Worth::Gains)
            });
            let predicted = gains.min_by(|a, b| difference(a).total_cmp(&difference(b)));
            let measured = own.iter().min_by(|a, b| a.measured.total_cmp(&b.measured));
            let (Some(predicted), Some(measured)) = (predicted, measured) else {
                continue;
            };
            all += 1;
            let test = mann_whitney(&predicted.after, &measured.after);
            if predicted.changes == measured.changes {
                same += 1;
            } else if test.is_none_or(|test| test.p > SIGNIFICANT) {
                alike += 1;
            }
            lost.push(predicted.measured - measured.measured);
        }
        let lost = median(&lost).map_or_else(|| NONE.to_owned(), |ms| format!("{ms:.0} ms"));
        rows.push(vec![
            metric.metric().title.to_owned(),
            all.to_string(),
            same.to_string(),
            alike.to_string(),
            (all - same - alike).to_string(),
            lost,
        ]);
    }
    let header = columns("metric | pages and networks | is the best | alike | is not | later p50");
    Section::new("The best change")
        .say(
            "Where a gain is claimed: whether the change that is predicted to gain most is the one \
             that gained most, or the loads cannot tell both apart; and by how much later the metric \
             is with it than with the best.",
        )
        .table(Table::new(header, 1, rows))
}

fn unfulfilled(trials: &[Trial]) -> Section {
    let failed = |wanted: Outcome| {
        let all = trials.iter();
        all.filter(move |one| one.outcome() == Some(wanted))
    };
    let rows = failed(Outcome::False)
        .chain(failed(Outcome::Untold))
        .map(row);
    Section::new("What was claimed and did not come true")
        .say(
            "Claims whose measured difference has the other sign, then those that the loads do not \
              decide.",
        )
        .table(Table::new(columns(ROW), 5, rows.collect::<Vec<_>>()))
}

fn each(trials: &[Trial]) -> Section {
    let mut section = Section::new("Every change").say(
        "Predicted differences with the range that holds eight of ten worlds, and measured ones \
         with the probability that they are chance.",
    );
    for metric in metrics(trials) {
        let own = trials.iter().filter(|one| one.metric == metric);
        let mut own: Vec<&Trial> = own.collect();
        own.sort_by_key(|one| (one.held_out, one.page.as_str(), one.protocol.as_str()));
        let table = Table::new(
            columns(ROW),
            5,
            own.into_iter().map(row).collect::<Vec<_>>(),
        );
        section = section.table(table.captioned(metric.metric().title));
    }
    section
}

const ROW: &str = "page | network | HTTP | change | metric | before | predicted | range | measured \
                   | p | claim";

fn row(trial: &Trial) -> Vec<String> {
    let signed = |ms: f64| format!("{ms:+.0}");
    let of =
        |text: &dyn Fn(Effect) -> String| trial.predicted.map_or_else(|| NONE.to_owned(), text);
    let claim = match trial.outcome() {
        None => NONE,
        Some(Outcome::True) => "came true",
        Some(Outcome::Untold) => "undecided",
        Some(Outcome::False) => "did not",
    };
    let page = if trial.held_out {
        trial.page.clone()
    } else {
        format!("{} (tuned)", trial.page)
    };
    vec![
        page,
        trial.network.clone(),
        trial.protocol.clone(),
        trial.changes.to_string(),
        trial.metric.metric().name.to_owned(),
        median(&trial.before).map_or_else(|| NONE.to_owned(), |ms| format!("{ms:.0} ms")),
        of(&|one| signed(one.difference)),
        of(&|one| format!("{} to {}", signed(one.range.0), signed(one.range.1))),
        signed(trial.measured),
        format!("{:.2}", trial.p),
        claim.to_owned(),
    ]
}

/// Returns the section on the settings of the loads, with the command that repeats them.
pub(crate) fn circumstances(observations: &Observations, rerun: &str) -> Section {
    let settings = observations.settings.iter().map(|one| {
        let more = one
            .more
            .iter()
            .map(|fact| format!("{}: {}", fact.name, fact.value));
        let head = format!(
            "{} with Pagerace {}, Chromium {}, {}, seed {}",
            one.date, one.pagerace, one.chromium, one.kernel, one.seed
        );
        std::iter::once(head)
            .chain(more)
            .collect::<Vec<_>>()
            .join("; ")
    });
    let contended = observations.observations.iter();
    let contended = contended
        .filter_map(|one| one.cpu_contention)
        .reduce(f64::max);
    let contended = contended.map(|most| {
        format!(
            "Processor time taken by others during a load: at most {}",
            percent(most)
        )
    });
    let command = (!rerun.is_empty()).then(|| rerun.to_owned());
    Section {
        text: settings.chain(contended).collect(),
        list: true,
        lines: command.into_iter().collect(),
        ..Section::new("What was measured")
    }
}

pub(super) fn metrics(trials: &[Trial]) -> Vec<MetricId> {
    distinct(trials.iter().map(|one| one.metric))
}

fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}
