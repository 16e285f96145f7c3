use pagerace_core::Words;

use super::{TableKind, TableSpec, Value};
use crate::fixture::frame;

fn table(kind: TableKind) -> super::FilledTable {
    let spec = TableSpec {
        kind,
        metric: "lcp".parse().unwrap(),
        ..TableSpec::default()
    };
    spec.fill(&frame()).unwrap()
}

fn texts(row: &[Value]) -> Vec<&str> {
    let mut texts = Vec::new();
    for value in row {
        if let Value::Text(text) = value {
            texts.push(text.as_str());
        }
    }
    texts
}

#[test]
fn all_rows_have_all_columns() {
    for (kind, word, _) in TableKind::WORDS {
        let table = table(*kind);
        assert!(!table.rows.is_empty(), "{word}");
        for row in &table.rows {
            assert_eq!(row.len(), table.header.len(), "{word}");
            assert_eq!(texts(row).len(), table.left, "{word}");
        }
    }
}

#[test]
fn a_summary_counts_pages() {
    let table = table(TableKind::Summary);
    let slow = &table.rows[1];
    assert_eq!(texts(slow), ["slow", "h3"]);
    assert_eq!(slow[2], Value::Count(3));
    let Value::Change(Some(change)) = slow[5] else {
        panic!("{slow:?}");
    };
    assert!((change + 0.1).abs() < 1e-12);
    assert_eq!(
        slow[10..14],
        [2, 1, 2, 1].map(Value::Count),
        "gains and losses"
    );
}

#[test]
fn a_distribution_ends_at_one() {
    let table = table(TableKind::Cdf);
    let shares: Vec<&Value> = table.rows[3..].iter().map(|row| &row[3]).collect();
    assert_eq!(*shares[2], Value::Share(Some(1.0)));
    assert_eq!(*shares[0], Value::Share(Some(1.0 / 3.0)));
}

#[test]
fn quantiles_have_the_baseline_too() {
    let table = table(TableKind::Quantiles);
    let names: Vec<Vec<&str>> = table.rows.iter().map(|row| texts(row)).collect();
    let wanted = [
        ["fast", "h2"],
        ["fast", "h3"],
        ["slow", "h2"],
        ["slow", "h3"],
    ];
    assert_eq!(names, wanted);
}

#[test]
fn equal_metrics_correlate() {
    let table = table(TableKind::Spearman);
    assert_eq!(table.rows.len(), 6);
    // Every metric has the same values in these loads.
    assert_eq!(table.rows[0][5], Value::Number(Some(1.0)));
}
