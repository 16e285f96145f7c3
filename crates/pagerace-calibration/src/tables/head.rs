//! The setting of the measurement, and the command that repeats it.

use std::collections::BTreeSet;

use pagerace_lab::unit::{Unit, percent};
use pagerace_report::sections::{Section, Table};

use super::{NONE, or_none};
use crate::accuracy::{Accuracy, Measured};

const TITLE: &str = "Model against reality";

/// Builds the introduction of the page.
pub(super) fn introduction(accuracy: &Accuracy) -> Section {
    let (pages, held_out) = (accuracy.pages.len(), accuracy.held_out.len());
    let loaded: BTreeSet<_> = accuracy
        .cells
        .iter()
        .map(|c| (&c.page, &c.network, &c.contender))
        .collect();
    Section::new(TITLE).say(format!(
        "How far predicted page loads are from loads in a real browser: {pages} pages, \
                 {} live loads in {} combinations of page, network and contender. The model was \
                 tuned on {} of the pages; the other {held_out} were held out, and say how far \
                 off it is on pages that nobody looked at.",
        accuracy.quality.runs,
        loaded.len(),
        pages - held_out,
    ))
}

/// Builds the list of facts about the measurement.
pub(super) fn facts(accuracy: &Accuracy) -> Section {
    let quality = &accuracy.quality;
    let ms = |value: Option<f64>| or_none(value.map(|v| Unit::Milliseconds.format(v)));
    let mut lines = vec![
        format!("Seed: {}", seed(accuracy)),
        format!(
            "Pages: {}, {} of them held out (not tuned on)",
            accuracy.pages.len(),
            accuracy.held_out.len()
        ),
        format!("Networks: {}", described(&accuracy.networks)),
        format!("Contenders: {}", described(&accuracy.contenders)),
        format!(
            "Live runs: {} accepted, {} of them failed; {} rejected and repeated",
            quality.runs, quality.failed, quality.rejected
        ),
        format!(
            "Lateness of the emulated link: p50 {} (median of the observations), p99 at most {}, \
             any packet at most {}",
            ms(quality.lateness_p50_ms),
            ms(quality.lateness_p99_ms),
            ms(quality.lateness_max_ms)
        ),
        format!(
            "Processor time taken by others during a run: at most {}",
            or_none(quality.cpu_contention.map(percent))
        ),
        format!(
            "Wait of the page's main thread for a processor, as a share of the time in which it \
             could run: {} (median of the observations)",
            or_none(quality.main_thread_waited.map(percent))
        ),
    ];
    if quality.unpredicted > 0 {
        lines.push(format!(
            "Observations without a prediction: {}",
            quality.unpredicted
        ));
    }
    let section = Section {
        text: lines,
        list: true,
        ..Section::new("What was measured")
    };
    if accuracy.settings.is_empty() {
        return section;
    }
    section.table(settings(&accuracy.settings))
}

/// Builds a table with a column for each setting.
fn settings(all: &[Measured]) -> Table {
    let row = |name: &str, value: &dyn Fn(&Measured) -> String| {
        let values = all.iter().map(value).map(|text| match text {
            none if none.is_empty() => NONE.to_owned(),
            text => text,
        });
        [name.to_owned()].into_iter().chain(values).collect()
    };
    let mut rows: Vec<Vec<String>> = vec![
        row("measured", &|one| one.setting.date.clone()),
        row("combinations", &|one| one.observations.to_string()),
        row("Pagerace", &|one| one.setting.pagerace.clone()),
        row("browser", &|one| one.setting.chromium.clone()),
        row("kernel", &|one| one.setting.kernel.clone()),
        row("slow-down of the main thread (--cpu)", &|one| {
            one.setting.cpu.to_string()
        }),
    ];
    let mut names: Vec<&str> = Vec::new();
    for fact in all.iter().flat_map(|one| &one.setting.more) {
        if !names.contains(&fact.name.as_str()) {
            names.push(&fact.name);
        }
    }
    for name in names {
        let value = |one: &Measured| {
            let mut facts = one.setting.more.iter();
            let fact = facts.find(|fact| fact.name == name);
            fact.map(|fact| fact.value.clone()).unwrap_or_default()
        };
        rows.push(row(name, &value));
    }
    let numbers = (1..=all.len()).map(|number| number.to_string());
    let header = ["setting".to_owned()].into_iter().chain(numbers);
    Table::new(header.collect(), 1 + all.len(), rows)
}

/// Returns the seed, which all settings share.
fn seed(accuracy: &Accuracy) -> String {
    let first = accuracy.settings.first();
    or_none(first.map(|one| one.setting.seed.to_string()))
}

/// Builds the section on how to repeat the measurement.
pub(super) fn rerun(accuracy: &Accuracy, rerun: &str) -> Section {
    let mut text = vec![format!(
        "With seed {} the same pages meet the same random losses. Predictions repeat to the last \
         digit with the same version; live times differ by their noise, and with the machine, \
         kernel and browser. It needs Linux, privileges for network namespaces and TUN devices, \
         and Chromium.",
        seed(accuracy)
    )];
    let mut lines = Vec::new();
    if !rerun.is_empty() {
        text.push("This was measured and written by:".to_owned());
        lines.push(rerun.to_owned());
    }
    Section {
        text,
        lines,
        ..Section::new("How to run it again")
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Formats names with descriptions: "slow-4g (1.6 Mbit/s down, ...), cable (...)".
fn described(named: &[(String, String)]) -> String {
    let one = |(name, text): &(String, String)| {
        if text.is_empty() || text == name {
            name.clone()
        } else {
            format!("{name} ({text})")
        }
    };
    list(&named.iter().map(one).collect::<Vec<_>>())
}
