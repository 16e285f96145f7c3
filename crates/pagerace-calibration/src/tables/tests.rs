use pagerace_lab::results::Fact;
use pagerace_report::sections::Section;

use super::{Extent, NONE, sections};
use crate::accuracy::{Accuracy, Input, accuracy};
use crate::observation::{Observations, Setting};
use crate::samples::{metric, observations, predictions};

fn compared(observations: &Observations) -> Accuracy {
    accuracy(&Input {
        observations,
        predictions: &predictions(),
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[],
        metrics: &[metric("lcp"), metric("tbt")],
        held_out: &["shop".to_owned()],
        threshold_ms: 20.0,
    })
}

fn section<'a>(sections: &'a [Section], title: &str) -> &'a Section {
    sections.iter().find(|s| s.title == title).unwrap()
}

#[test]
fn values_have_units_and_what_is_unknown_is_a_dash() {
    let [all, brief] = [Extent::Page, Extent::Terminal]
        .map(|extent| sections(&compared(&observations()), "", extent));
    let overview = &section(&all, "Relative error").tables;
    assert_eq!(overview[0].caption, "Held-out pages");
    assert_eq!(
        overview[0].rows[0],
        ["all pages", "3", "30 / 56, +30", NONE]
    );
    let table = &section(&brief, "Relative error").tables[0];
    assert_eq!(table.caption, "All pages");
    assert_eq!(
        table.rows[0][..3],
        ["Largest Contentful Paint", "6", "10 %"]
    );
    assert_eq!(
        table.rows[1],
        [
            "Total Blocking Time",
            "0",
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            NONE,
            "6"
        ]
    );
    let networks = &section(&all, "Goals").tables[1].rows;
    assert_eq!(networks[0], ["cable", "h2, h3", "33 / 57, +33 (1.5 / 1.5)"]);
    assert_eq!(networks[1], ["cable", "h1", "30 / 30, +30 (1.5 / 1.5)"]);
    let tuned = &section(&brief, "Relative error").tables[1];
    assert_eq!(tuned.caption, "Tuned pages");
}

#[test]
fn every_row_fills_its_table_and_a_terminal_shows_less() {
    let accuracy = compared(&observations());
    let rows = [Extent::Terminal, Extent::Page].map(|extent| {
        let sections = sections(&accuracy, "", extent);
        let tables = sections.iter().flat_map(|s| &s.tables);
        for table in tables.clone() {
            assert!(table.rows.iter().all(|row| row.len() == table.header.len()));
            assert!(table.words <= table.header.len());
        }
        tables.map(|table| table.rows.len()).sum::<usize>()
    });
    assert!(0 < rows[0] && rows[0] < rows[1], "{rows:?}");
}

#[test]
fn the_head_names_each_setting() {
    let mut all = observations();
    all.settings.push(Setting {
        cpu: 1.15,
        ..Setting::default()
    });
    all.observations[0].setting = 1;
    all.settings[0].more = vec![Fact::new("processors", "2")];
    let table = &sections(&compared(&all), "", Extent::Terminal)[0].tables[0];
    assert_eq!(table.header, ["setting", "1", "2"]);
    assert_eq!(
        table.rows,
        [
            ["measured", "2026-01-31", NONE],
            ["combinations", "5", "1"],
            ["Pagerace", "0.1.0", NONE],
            ["browser", "Chromium 156.0", NONE],
            ["kernel", "Linux 6.18", NONE],
            ["slow-down of the main thread (--cpu)", "1", "1.15"],
            ["processors", "2", NONE],
        ]
    );
}

#[test]
fn the_head_makes_nothing_up() {
    let none = compared(&Observations::new(Setting::default(), Vec::new()));
    let head = &sections(&none, "", Extent::Terminal)[0];
    assert!(head.text.contains(&"Seed: –".to_owned()), "{:?}", head.text);
    assert!(
        head.text
            .iter()
            .any(|l| l.starts_with("Lateness") && l.contains("p50 – "))
    );
}

#[test]
fn the_terminal_gets_goals_and_errors() {
    let all = sections(&compared(&observations()), "", Extent::Terminal);
    let titles: Vec<&str> = all.iter().map(|one| one.title.as_str()).collect();
    let head = ["What was measured", "Goals", "Relative error"];
    assert_eq!(titles[..3], head);
    assert_eq!(titles[3..], ["Answers", "Beside Lighthouse"]);
}
