use pagerace_page::PaintEvidence::{Guessed, Recorded};

use super::{DifferenceKind, ModelErrors, Question};
use crate::fake;

const HEADER: &str = super::HEADER;

fn table() -> ModelErrors {
    let text = format!(
        "# measured on a day\n{HEADER}\n\
         protocol,lcp,lossless,recorded,40,30,29,3,6,0.5\n\
         protocol,lcp,lossy,recorded,40,30,29,3,20,0.5\n\
         strategy,lcp,lossless,recorded,40,30,29,3,9,0.5\n\
         controller,lcp,lossless,recorded,4,3,3,1,1,0\n\
         protocol,ttfb,lossless,recorded,40,30,30,1,2,0\n"
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
    }
}

fn said(question: &Question) -> String {
    table().of(question).unwrap().text()
}

#[test]
fn what_was_measured_counts_as_measured() {
    let one = question(&[DifferenceKind::Protocol]);
    assert_eq!(said(&one), "±6 % for protocols on recorded layouts");
    let lossy = Question { lossy: true, ..one };
    assert_eq!(
        said(&lossy),
        "±20 % for protocols on recorded layouts with loss"
    );
    let both = question(&[DifferenceKind::Protocol, DifferenceKind::Strategy]);
    assert_eq!(
        said(&both),
        "±9 % for protocols and strategies on recorded layouts"
    );
}

#[test]
fn what_was_never_measured_gets_twice_its_neighbours() {
    let guessed = Question {
        evidence: Guessed,
        ..question(&[DifferenceKind::Protocol])
    };
    assert_eq!(
        said(&guessed),
        "±12 % assumed for protocols on guessed paints, too few measurements"
    );
    // Four pairs are too few to count, so nothing of this kind was measured.
    assert_eq!(
        said(&question(&[DifferenceKind::Controller])),
        "±18 % assumed for congestion controllers on recorded layouts, too few measurements"
    );
    let firefox = Question {
        unmeasured: vec!["Firefox"],
        ..question(&[DifferenceKind::Protocol])
    };
    assert_eq!(
        said(&firefox),
        "±18 % assumed for Firefox on recorded layouts, never measured"
    );
}

#[test]
fn the_first_byte_knows_no_paints() {
    let ttfb = Question {
        metric: "ttfb".parse().unwrap(),
        evidence: Guessed,
        ..question(&[DifferenceKind::Protocol])
    };
    assert_eq!(said(&ttfb), "±2 % for protocols on recorded layouts");
}

#[test]
fn without_measurements_there_is_no_error() {
    assert_eq!(
        ModelErrors::default().of(&question(&[DifferenceKind::Protocol])),
        None
    );
    let other = Question {
        metric: "tti".parse().unwrap(),
        ..question(&[DifferenceKind::Protocol])
    };
    assert_eq!(table().of(&other), None);
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
    assert!(row("speed,lcp,lossy,recorded,4,3,3,1,1,0").contains("`speed` is not known"));
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
