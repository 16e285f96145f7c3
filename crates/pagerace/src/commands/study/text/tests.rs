//! References of texts.

use pagerace_lab::MetricId;
use pagerace_study::Study;
use pagerace_study::claim::{Claim, ClaimVerdict, Decision, parse};
use pagerace_study::frame::Filter;
use pagerace_study::matrix::Matrix;
use pagerace_study::measure::Measured;
use pagerace_study::store::Details;

use super::{Answers, Facts, Filled, like, sentence};

fn claim(id: &str, text: &str) -> Claim {
    Claim {
        name: format!("The claim {id}"),
        id: id.to_owned(),
        sentence: parse(text).unwrap(),
        published: None,
        headline: false,
        expected: false,
        pooled: false,
        filter: Filter::new(),
    }
}

fn decision(network: &str, number: f64, verdict: ClaimVerdict) -> Decision {
    let measured = Measured {
        race: "race".to_owned(),
        network: Some(network.to_owned()),
        pages: 3,
        number: Some(number),
        interval: Some((number, number)),
    };
    Decision { measured, verdict }
}

/// Fills a text in with a share on two networks, a time, and a matrix.
fn fill(text: &str) -> Result<Filled, String> {
    let sides = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    let value =
        "median over pages of ('{row} @ {column}' - 'h2 @ {column}')/'h2 @ {column}' of lcp";
    let rows = (sides(["h1", "h3"]), sides(["slow 3g", "fast 3g"]));
    let matrix = Matrix::new(String::new(), value, rows, None, Filter::new()).unwrap();
    let study = Study {
        title: String::new(),
        pages: Vec::new(),
        races: Vec::new(),
        details: Details::default(),
        about: String::new(),
        text: String::new(),
        matrices: vec![Matrix {
            id: "lcp".to_owned(),
            ..matrix
        }],
        plots: Vec::new(),
        tables: Vec::new(),
        losses: Vec::new(),
        claims: vec![
            claim("gain", "median over pages of (h2 - h3)/h2 of lcp > 1%"),
            claim("time", "median over pages of h3 of lcp > 1"),
        ],
    };
    let holds = ClaimVerdict::Holds;
    let answers = Answers {
        matrices: vec![vec![
            vec![Some(0.25), Some(0.5)],
            vec![Some(-0.1), Some(-0.2)],
        ]],
        claims: vec![
            vec![
                decision("slow 3g", 0.1, holds),
                decision("fast 3g", -0.02, ClaimVerdict::CannotBeTold),
            ],
            vec![decision("slow 3g", 1234.0, holds)],
        ],
    };
    let metric: MetricId = study.claims[0].sentence.measure.metric;
    assert_eq!(metric.metric().name, "lcp");
    Facts::of(&study, &answers)?.fill(text)
}

fn filled(text: &str) -> String {
    let Filled { text, broken } = fill(text).unwrap();
    assert_eq!(broken, [""; 0]);
    text
}

#[test]
fn references_become_numbers() {
    for (reference, shown) in [
        ("{time}", "1234 ms"),
        ("{=18.18 s}", "18.18 s"),
        ("{gain}", "-2.0 to +10 %"),
        ("{rise of gain @ slow*}", "10 %"),
        ("{fall of gain @ fast 3g}", "2.0 %"),
        ("{lcp[h1, *]}", "+25 to +50 %"),
        ("{rise of lcp[h1, slow 3g]}", "25 %"),
        ("{fall of lcp[h3,\nfast 3g|slow 3g]}", "10 to 20 %"),
        ("{factor of lcp[h1, *]}", "1.2 to 1.5"),
        ("a {time: holds}b", "a b"),
        ("a {gain: cannot be told}{gain: not shown}b", "a b"),
    ] {
        assert_eq!(filled(reference), shown, "{reference}");
    }
}

#[test]
fn sentences_that_are_no_longer_true_are_told() {
    let text = "One sentence. Here HTTP/3 is sooner\n{gain: holds} always. Another.";
    let Filled { broken, .. } = fill(text).unwrap();
    let told = "\"Here HTTP/3 is sooner {gain: holds} always\": it rests on `gain: holds`, but the \
                claim \"The claim gain\" cannot be told from this sample on 1 of 2 networks";
    assert_eq!(broken, [told]);
    for (reference, why) in [
        ("{rise of gain}", "{rise of gain} is no rise, but -2.0 %"),
        (
            "{fall of lcp[*, *]}",
            "{fall of lcp[*, *]} is no fall, but +50 %",
        ),
        (
            "{time: cannot be told}",
            "it rests on `time: cannot be told`",
        ),
    ] {
        let broken = fill(reference).unwrap().broken;
        assert!(broken[0].contains(why), "{broken:?}");
    }
}

#[test]
fn references_to_nothing_are_mistakes() {
    for (reference, why) in [
        (
            "{gone}",
            "no claim or matrix has the id `gone`; there are gain, time, lcp",
        ),
        ("{gone: holds}", "no claim or matrix has the id `gone`"),
        ("{gain: wins}", "`wins` is no verdict on gain; use holds"),
        ("{gain @ moon}", "the claim gain has no network `moon`"),
        ("{lcp[h1]}", "write lcp[h1] as lcp[ROWS, COLUMNS]"),
        (
            "{lcp[h2, *]}",
            "the matrix lcp has no row `h2` with a column `*`",
        ),
        ("a {gain", "the brace before `gain` does not end"),
    ] {
        let error = fill(reference).unwrap_err();
        assert!(error.starts_with(why), "{reference}: {error}");
    }
}

#[test]
fn patterns_and_sentences() {
    assert!(like("*loss 5%*", "rate 1mbit loss 5% queue") && like("*", "") && like("a*c", "abc"));
    assert!(!like("*loss 5%", "loss 5% queue") && !like("a", "ab") && !like("a*b*", "acd"));
    let text = "# Head\n\nFirst one. Second\none: X. Third.";
    assert_eq!(sentence(text, text.find('X').unwrap()), "Second one: X");
    assert_eq!(sentence(text, text.find("irst").unwrap()), "First one");
}
