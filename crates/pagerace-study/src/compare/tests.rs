use super::{Question, compare};
use crate::fixture::{frame, loads};

fn question(column: Option<&str>, baseline: Option<&str>) -> Result<Question, String> {
    Question::new(&frame(), "lcp".parse().unwrap(), column, baseline)
}

#[test]
fn changes_are_medians_of_pairs() {
    let frame = frame();
    let question = question(None, None).unwrap();
    assert_eq!(
        (question.column.name, question.baseline.as_str()),
        ("protocol", "h2")
    );
    let all = compare(&frame, &question);
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].place, [("network", "slow".to_owned())]);
    let changes: Vec<f64> = all[1].pages.iter().filter_map(|page| page.change).collect();
    for (change, wanted) in changes.iter().zip([-0.1, -0.2, 0.2]) {
        assert!((change - wanted).abs() < 1e-12, "{changes:?}");
    }
    let page = &all[1].pages[1];
    assert_eq!((page.page.as_str(), page.baseline), ("b", Some(106.0)));
    // Seven pairs of one sign: 2 / 2^7.
    assert_eq!(page.signed_rank_p, Some(2.0 / 128.0));
    // All of one sample lie below the other: 2 / (14 over 7).
    assert!((page.mann_whitney_p.unwrap() - 2.0 / 3432.0).abs() < 1e-12);
    let (low, high) = page.interval.unwrap();
    assert!(low < page.difference.unwrap() && page.difference.unwrap() < high);
}

#[test]
fn contenders_are_compared_as_a_whole() {
    let mut frame = frame();
    let mut other = loads("a", "slow", "h3", &[50.0; 7], 0.0);
    for row in &mut other {
        let key = std::sync::Arc::make_mut(&mut row.key);
        key.properties[1] = "bbr".to_owned();
    }
    frame.add(&other);
    frame.name_contenders();
    let question = |baseline| {
        let metric = "lcp".parse().unwrap();
        Question::new(&frame, metric, Some("contender"), Some(baseline))
    };
    let question_of = question("h2").unwrap();
    assert_eq!(question_of.baseline, "h2 ");
    let slow: Vec<(String, usize)> = compare(&frame, &question_of)
        .into_iter()
        .filter(|one| one.place == [("network", "slow".to_owned())])
        .map(|one| (one.value, one.pages.len()))
        .collect();
    assert_eq!(slow, [("h3 ".to_owned(), 3), ("h3 bbr".to_owned(), 1)]);
    assert_eq!(question("h3 bbr").unwrap().baseline, "h3 bbr");
    assert!(question("h3").unwrap_err().contains("more than one"));
}

#[test]
fn what_is_broken_is_no_gain() {
    let mut frame = frame();
    frame.add(&loads("d", "slow", "h2", &[100.0; 7], 0.0));
    frame.add(&loads("d", "slow", "h3", &[50.0; 7], 1.0));
    frame.add(&loads("e", "slow", "h2", &[100.0; 7], 0.0));
    frame.add(&loads("e", "slow", "h3", &[150.0; 7], 1.0));
    let all = compare(&frame, &question(None, None).unwrap());
    let changes: Vec<Option<f64>> = all[1].pages.iter().map(|page| page.change).collect();
    assert_eq!(changes[3..], [None, Some(0.5)]);
}

#[test]
fn mistakes_are_named() {
    let error = |column, baseline| question(column, baseline).unwrap_err();
    assert!(error(Some("colour"), None).starts_with("`colour` is no column of names"));
    assert!(error(Some("page"), None).starts_with("`page` cannot be compared"));
    assert!(error(Some("strategy"), None).starts_with("all loads have the strategy round-robin"));
    assert!(error(None, Some("h1")).contains("has the protocol `h1`, the baseline"));
}
