use pagerace_page::PaintEvidence::{Fitted, Guessed, Recorded};

use super::{DifferenceKind, ModelErrors, Question, Trust};
use crate::fake;

const HEADER: &str = super::HEADER;

fn table() -> ModelErrors {
    let text = format!(
        "# measured on a day\n{HEADER}\n\
         protocol,lcp,lossless,recorded,crossed,40,,,38,34,12,12,20,19,10,9\n\
         protocol,lcp,lossless,guessed,crossed,40,26,4,38,32,2,1,14,12,10,9\n\
         protocol,lcp,lossy,recorded,paired,40,5,1,38,32,10,10,16,15,10,9\n\
         strategy,lcp,lossless,recorded,crossed,40,9,2,38,32,9,9,12,12,10,9\n\
         delay,lcp,lossless,guessed,paired,40,7,3,38,32,9,9,12,12,10,9\n\
         controller,lcp,lossless,recorded,crossed,4,,,4,4,1,1,1,1,10,9\n\
         protocol,ttfb,lossless,recorded,crossed,40,,,38,32,10,10,16,16,10,9\n"
    );
    ModelErrors::read(&text).unwrap()
}

fn question(kinds: &[DifferenceKind]) -> Question {
    Question {
        kinds: kinds.to_vec(),
        unmeasured: Vec::new(),
        metric: "lcp".parse().unwrap(),
        lossy: false,
        evidence: Recorded,
        inferred: None,
    }
}

/// Returns the basis, and what it stands in for.
fn said(question: &Question) -> (String, String) {
    let trust = table().of(question);
    (trust.basis, trust.instead_of)
}

fn measured(basis: &str) -> (String, String) {
    (basis.to_owned(), String::new())
}

#[test]
fn what_was_measured_counts_as_measured() {
    let one = question(&[DifferenceKind::Protocol]);
    assert_eq!(said(&one), measured("protocols on recorded layouts"));
    let trust = table().of(&one);
    assert_eq!((trust.paired, trust.wider), (false, None));
    assert!(trust.names_winners && trust.names_probable);
    let lossy = Question { lossy: true, ..one };
    assert_eq!(
        said(&lossy),
        measured("protocols on recorded layouts with loss")
    );
    assert!(table().of(&lossy).paired);
    let both = question(&[DifferenceKind::Protocol, DifferenceKind::Strategy]);
    assert_eq!(
        said(&both),
        measured("strategies on recorded layouts"),
        "the widest"
    );
}

#[test]
fn a_class_with_a_bad_record_names_nothing() {
    let guessed = Question {
        evidence: Guessed,
        ..question(&[DifferenceKind::Protocol])
    };
    let trust = table().of(&guessed);
    // One of two sure winners was right, and twelve of fourteen probable ones.
    assert!(!trust.names_winners && trust.names_probable);
}

#[test]
fn what_was_never_measured_uses_its_neighbour_and_says_so() {
    let stands_in = |question: &Question, basis: &str, instead_of: &str| {
        assert_eq!(said(question), (basis.to_owned(), instead_of.to_owned()));
    };
    let fitted = Question {
        evidence: Fitted,
        ..question(&[DifferenceKind::Protocol])
    };
    stands_in(
        &fitted,
        "protocols on guessed paints",
        "protocols on fitted paints",
    );
    // Four pairs are too few to count, so nothing of this kind was measured.
    stands_in(
        &question(&[DifferenceKind::Controller]),
        "protocols on recorded layouts",
        "congestion controllers on recorded layouts",
    );
    let firefox = Question {
        unmeasured: vec!["Firefox"],
        ..question(&[DifferenceKind::Protocol])
    };
    stands_in(&firefox, "protocols on recorded layouts", "Firefox");
}

#[test]
fn more_evidence_is_never_wider() {
    let width = |evidence, kind| {
        let one = Question {
            evidence,
            ..question(&[kind])
        };
        table().of(&one).wider.map_or(0.0, |[sure, _]| sure)
    };
    for kind in [
        DifferenceKind::Protocol,
        DifferenceKind::Strategy,
        DifferenceKind::Delay,
    ] {
        let widths = [Recorded, Fitted, Guessed].map(|evidence| width(evidence, kind));
        assert!(widths.is_sorted(), "{kind:?}: {widths:?}");
    }
}

#[test]
fn the_first_byte_knows_no_paints() {
    let ttfb = Question {
        metric: "ttfb".parse().unwrap(),
        evidence: Guessed,
        ..question(&[DifferenceKind::Protocol])
    };
    assert_eq!(said(&ttfb), measured("protocols on recorded layouts"));
}

#[test]
fn ranges_are_made_as_the_class_says() {
    let differences: Vec<f64> = (0..=100).map(f64::from).collect();
    let bare = Trust::unmeasured();
    assert_eq!(bare.sure(&differences, Some(200.0)), Some((2.5, 97.5)));
    assert_eq!(bare.probable(&differences, None), Some((10.0, 90.0)));
    let wider = Trust {
        wider: Some([0.1, 0.05]),
        ..bare
    };
    assert_eq!(wider.sure(&differences, Some(200.0)), Some((-15.0, 115.0)));
    assert_eq!(
        wider.probable(&differences, Some(200.0)),
        Some((-5.0, 105.0))
    );
    assert_eq!(wider.sure(&differences, None), None, "a share of nothing");
}

#[test]
fn without_measurements_ranges_are_those_of_the_runs() {
    let none = ModelErrors::default().of(&question(&[DifferenceKind::Protocol]));
    assert_eq!(none, Trust::unmeasured());
    for empty in ["", "# nothing yet\n", HEADER] {
        assert_eq!(ModelErrors::read(empty).unwrap(), ModelErrors::default());
    }
}

#[test]
fn the_embedded_table_reads_and_wrong_ones_are_refused() {
    ModelErrors::embedded();
    let refused = |text: &str| ModelErrors::read(text).unwrap_err();
    assert!(refused("kind,metric").starts_with("line 1: `kind,metric` is not"));
    let row = |line: &str| refused(&format!("{HEADER}\n{line}"));
    assert!(
        row("speed,lcp,lossy,recorded,paired,4,1,1,4,4,1,1,1,1,10,9")
            .contains("`speed` is not known")
    );
    assert!(row("protocol,lcp,lossy").starts_with("line 2:"));
}

#[test]
fn a_question_names_what_differs() {
    let plan = fake::plan(
        &["h2", "h3", "h3 reno", "h3 eps", "h3 warm", "h3 html=1s"],
        3,
    );
    let kinds = |pair| Question::of(&plan, 0, 0, pair, plan.metric).kinds;
    assert_eq!(kinds([0, 1]), [DifferenceKind::Protocol]);
    assert_eq!(kinds([1, 2]), [DifferenceKind::Controller]);
    assert_eq!(kinds([1, 3]), [DifferenceKind::Strategy]);
    assert_eq!(kinds([1, 5]), [DifferenceKind::Delay]);
    let warm = Question::of(&plan, 0, 0, [1, 4], plan.metric);
    assert_eq!(
        (warm.kinds, warm.unmeasured),
        (vec![], vec!["earlier visits"])
    );
}
