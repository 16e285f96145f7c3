use super::{escaped, markdown};
use crate::accuracy::{Input, accuracy};
use crate::samples::{metric, observations, predictions};

fn document() -> String {
    let all = accuracy(&Input {
        observations: &observations(),
        predictions: &predictions(),
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[],
        metrics: &[metric("lcp")],
        held_out: &["shop".to_owned()],
        threshold_ms: 20.0,
    });
    markdown(&all, "pagerace calibrate pages/*.page")
}

#[test]
fn a_heading_with_date_versions_seed_and_lateness() {
    let text = document();
    assert!(text.starts_with("# Model against reality\n\nHow far "));
    for line in [
        "\n## What was measured\n\n- Seed: 7\n",
        "| measured | 2026-01-31 |\n| combinations | 6 |\n",
        "| browser | Chromium 156.0 |\n| kernel | Linux 6.18 |\n",
        "p50 0.1 ms (median of the observations), p99 at most 0.2 ms, any packet at most 0.4 ms",
        "- Pages: 2, 1 of them held out (not tuned on)\n",
        "measured and written by:\n\n```\npagerace calibrate pages/*.page\n```\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn tables_have_a_line_per_row() {
    let text = document();
    let row = "| all pages | 3 | 30 / 56, +30 |";
    assert!(text.contains(row), "{text}");
    assert!(text.contains("\n|---|---:|---:|\n"));
    let lines = text.lines().filter(|line| line.starts_with('|'));
    assert!(lines.clone().count() > 20);
    assert!(lines.into_iter().all(|line| line.ends_with('|')));
    assert_eq!(text, document(), "the same input gives the same bytes");
}

#[test]
fn names_cannot_break_a_table() {
    assert_eq!(escaped("a|b*c"), "a\\|b\\*c");
    assert_eq!(escaped("<img>\nx"), "\\<img> x");
    assert_eq!(escaped("plain-text.css"), "plain-text.css");
}
