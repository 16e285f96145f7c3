use super::svg;
use crate::fixture::frame;
use crate::table::TableSpec;

fn spec(baseline: &str) -> TableSpec {
    TableSpec {
        name: "Versions & pages".to_owned(),
        metric: "lcp".parse().unwrap(),
        baseline: Some(baseline.to_owned()),
        ..TableSpec::default()
    }
}

#[test]
fn each_network_has_a_panel_in_the_order_of_the_plan() {
    let order = ["slow", "fast"].map(str::to_owned);
    let drawn = svg(&spec("h2"), &frame(), &order).unwrap();
    let at = |text: &str| drawn.find(text).unwrap();
    assert!(at(">slow</text>") < at(">fast</text>"), "{drawn}");
    assert!(drawn.contains("<title>Versions &amp; pages</title>"));
    // One curve in the legend, and one in each of two panels.
    assert_eq!(drawn.matches("#0072b2").count(), 3, "{drawn}");
    // The axis reaches from a half less to a half more.
    assert!(
        drawn.contains(">−50 %</text>") && drawn.contains(">+50 %</text>"),
        "{drawn}"
    );
    assert_eq!(drawn, svg(&spec("h2"), &frame(), &order).unwrap());
}

#[test]
fn an_unknown_baseline_is_named() {
    let error = svg(&spec("h1"), &frame(), &[]).unwrap_err();
    assert!(error.contains("`h1`, the baseline"), "{error}");
}
