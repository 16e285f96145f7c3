use super::{text, write_table};
use crate::accuracy::{Input, accuracy};
use crate::samples::{metric, observations, predictions};
use crate::tables::Table;

#[test]
fn columns_line_up() {
    let table = Table {
        caption: "Two".to_owned(),
        header: ["metric", "p50"].map(str::to_owned).into(),
        words: 1,
        rows: vec![
            ["lcp", "–"].map(str::to_owned).into(),
            ["onload", "12 %"].map(str::to_owned).into(),
        ],
    };
    let mut out = String::new();
    write_table(&mut out, &table);
    assert_eq!(out, "\nTwo\nmetric   p50\nlcp        –\nonload  12 %\n");
}

#[test]
fn the_terminal_gets_errors_and_winners() {
    let all = accuracy(&Input {
        observations: &observations(),
        predictions: &predictions(),
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[],
        metrics: &[metric("lcp")],
        held_out: &[],
        threshold_ms: 20.0,
    });
    let text = text(&all);
    assert!(text.starts_with("What was measured\n  Measured: 2026-01-31\n"));
    for heading in ["\nRelative error\n", "\nWinners\n", "\nBeside Lighthouse\n"] {
        assert!(text.contains(heading), "{text}");
    }
    assert!(!text.contains("All cells"));
    assert!(text.lines().all(|line| line == line.trim_end()));
}
