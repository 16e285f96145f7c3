use pagerace_core::Words as _;
use pagerace_lab::model_error::ModelErrors;

use super::*;
use crate::differences::{Simulated, Spread};

/// A pair whose simulated differences reach from `low` to `high`, and its live difference, as
/// shares of a baseline of 1000 ms.
fn pair(page: &str, evidence: PaintEvidence, low: f64, high: f64, live: f64) -> Difference {
    let spread = Spread {
        middle: f64::midpoint(low, high),
        central95: (low, high),
        central90: (low + 0.01, high - 0.01),
        central80: (low + 0.02, high - 0.02),
    };
    Difference {
        page: page.to_owned(),
        network: "cable".to_owned(),
        lossy: false,
        held_out: page == "held",
        metric: "lcp".parse().unwrap(),
        kind: DifferenceKind::Protocol,
        contenders: ["h2", "h3"].map(str::to_owned),
        evidence,
        baseline: 1000.0,
        observed: live * 1000.0,
        predicted: spread.middle * 1000.0,
        p: None,
        simulated: Simulated {
            crossed: spread,
            paired: spread,
            sooner: 0.5,
        },
    }
}

#[test]
fn bare_ranges_name_and_hold() {
    use PaintEvidence::Recorded;
    let all = [
        pair("a", Recorded, -0.2, -0.1, -0.15),
        pair("b", Recorded, -0.2, -0.1, 0.1),
        pair("c", Recorded, -0.1, 0.01, -0.05),
        pair("d", Recorded, -0.1, 0.1, -0.05),
    ];
    let classes = classes(&all);
    let [class] = classes.as_slice() else {
        panic!("one class: {classes:?}")
    };
    assert_eq!((class.paired, class.wider), (false, None));
    assert_eq!((class.pairs, class.held), (4, [3, 3]));
    assert_eq!((class.named, class.right), ([2, 3], [1, 2]));
}

#[test]
fn guessed_ranges_are_widened_by_other_pages() {
    use PaintEvidence::Guessed;
    // All live differences lie 0.1 beyond the central 90 %.
    let pages: Vec<String> = (0..30).map(|i| format!("p{i}")).collect();
    let all: Vec<Difference> = pages
        .iter()
        .map(|page| pair(page, Guessed, -0.5, -0.2, -0.59))
        .collect();
    let classes = classes(&all);
    let [sure, probable] = classes[0].wider.expect("widened");
    assert!(
        (sure - 0.1).abs() < 1e-9 && (probable - 0.1).abs() < 1e-9,
        "{sure}"
    );
    assert_eq!(classes[0].held, [30, 30]);
    assert_eq!(classes[0].right, classes[0].named);
    let held_out = held_out_classes(&[all, vec![pair("held", Guessed, -0.5, -0.2, 0.0)]].concat());
    assert_eq!((held_out[0].pairs, held_out[0].right), (1, [0, 0]));
}

#[test]
fn the_table_is_read_by_verdicts() {
    let of = |evidence| (0..10).map(move |i| pair(&format!("p{i}"), evidence, -0.2, -0.1, -0.15));
    let all: Vec<Difference> = of(PaintEvidence::Recorded)
        .chain(of(PaintEvidence::Guessed))
        .collect();
    let classes = classes(&all);
    let text = csv(&classes, &["measured on a day".to_owned()]);
    assert!(text.starts_with("# measured on a day\nkind,"), "{text}");
    assert!(text.contains(DifferenceKind::Protocol.word()), "{text}");
    assert!(ModelErrors::read(&text).is_ok(), "{text}");
}
