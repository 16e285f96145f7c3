use super::{Comparison, Statistic, Wanted, parse, parse_measure, with_network};

fn value(text: &str) -> Option<f64> {
    let sentence = parse(&format!("median over pages of {text} of lcp > 0")).unwrap();
    let of = |name: &str| match name {
        "h2" => Some(8.0),
        "h3" | "round-robin" | "h3 cubic" => Some(6.0),
        _ => None,
    };
    sentence.measure.expression.value(&of)
}

#[test]
fn arithmetic_has_the_usual_order() {
    assert_eq!(value("(h2 - h3)/h2"), Some(0.25));
    assert_eq!(value("h2 - h3 - 1"), Some(1.0));
    assert_eq!(value("h2 - h3 * 2"), Some(-4.0));
    assert_eq!(value("h2 / h3 / 2"), Some(8.0 / 6.0 / 2.0));
    assert_eq!(value("h2 - 'h3 cubic'"), Some(2.0));
    assert_eq!(value("round-robin + 1.5"), Some(7.5));
    assert_eq!(value("h2 - h1"), None);
    assert_eq!(value("(h2 - 8)/(h3 - 6)"), None);
}

#[test]
fn sentences_have_parts() {
    let read = parse("share of pages with (h2-h3)/h2 of speed_index_ms > 5% >= 0.5");
    assert!(read.is_ok(), "a name may have a hyphen: {read:?}");
    let read = parse("share of pages with (h2 - h3)/h2 of speed_index_ms > 5% >= 0.5").unwrap();
    assert_eq!(
        read.measure.statistic,
        Statistic::Share(Comparison::More, 0.05)
    );
    assert_eq!(read.wanted, Wanted::Limit(Comparison::AtLeast, 0.5));
    assert_eq!(read.measure.metric.metric().name, "speed-index");
    assert_eq!(read.measure.expression.names(), ["h2", "h3"]);
    let read = parse("quantile 0.9 over pages of h3 of byte-index < -1e3").unwrap();
    assert_eq!(read.measure.statistic, Statistic::Quantile(0.9));
    assert_eq!(read.wanted, Wanted::Limit(Comparison::Less, -1e3));
    let read = parse("mean over loads of h3 of lcp between 5% and 10%").unwrap();
    assert_eq!(read.wanted, Wanted::Between(0.05, 0.1));
    assert!(read.measure.over_loads && read.measure.with.is_none());
    let text = "share of pages with spearman of h3 - h2 of lcp with 'h1 cubic' of fcp > 0 > 0.5";
    let read = parse(text).unwrap().measure;
    assert_eq!(read.names(), ["h1 cubic", "h2", "h3"]);
    assert_eq!(
        read.metrics()
            .map(|one| one.metric().name)
            .collect::<Vec<_>>(),
        ["lcp", "fcp"]
    );
    assert!(read.is_share() && !read.is_correlation());
}

#[test]
fn mistakes_are_named() {
    let refused = [
        ("", "found the end, expected median"),
        (
            "mode over pages of h2 of lcp > 0",
            "found `mode`, expected median",
        ),
        ("median of h2 of lcp > 0", "found `of`, expected `over`"),
        (
            "median over pages of h2 of lcp between 2 and 1",
            "between 2 and 1 is no number",
        ),
        (
            "median over pages of spearman of 'h2 @ a' of lcp with network > 0",
            "a correlation with the network has names without one",
        ),
        (
            "median over pages of 3 of lcp > 0",
            "the arithmetic names no contender",
        ),
        (
            "median over pages of (h2 of lcp > 0",
            "found `of`, expected )",
        ),
        (
            "median over pages of h2 of colour > 0",
            "`colour` is no metric; use ttfb_ms",
        ),
        ("median over pages of h2 of cls > 0", "`cls` is no metric"),
        (
            "median over pages of h2 of lcp",
            "found the end, expected <",
        ),
        (
            "median over pages of h2 of lcp > much",
            "found `much`, expected a number",
        ),
        (
            "median over pages of h2 of lcp > 0 1",
            "found `1`, expected the end",
        ),
        (
            "quantile 9 over pages of h2 of lcp > 0",
            "a quantile lies between",
        ),
        (
            "median over pages of 'h2 of lcp > 0",
            "the quote before h2 of lcp",
        ),
        (
            "median over pages of h2? of lcp > 0",
            "found `?`, which no claim has",
        ),
    ];
    for (text, start) in refused {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with(start), "{text}: {error}");
    }
    let deep = format!("median over pages of {}", "(".repeat(900));
    assert!(parse(&deep).unwrap_err().contains("parentheses"));
    assert!(parse(&"(".repeat(9_000)).unwrap_err().contains("bytes"));
}

#[test]
fn names_say_their_networks_or_none_does() {
    let text = "median over pages of 'h2 cubic @ rate 2mbit' - 'h2 cubic @ cable' of lcp > 0";
    let names = ["h2 cubic @ cable", "h2 cubic @ rate 2mbit"];
    assert_eq!(parse(text).unwrap().measure.expression.names(), names);
    let parts = ("h2 cubic", Some("rate 2mbit"));
    assert_eq!(with_network(names[1]), parts);
    let error = parse("median over pages of 'h2 @ cable' - h3 of lcp > 0").unwrap_err();
    assert!(
        error.starts_with("`h2 @ cable` says its network and `h3`"),
        "{error}"
    );
}

#[test]
fn shares_may_be_net_and_numbers_without_sign() {
    let read = parse_measure("net share of pages with (h2 - h3)/h2 of lcp > 5%").unwrap();
    assert_eq!(read.statistic, Statistic::NetShare(0.05));
    assert!(read.is_share());
    let error = parse("net share of pages with h2 - h3 of lcp < 5% > 0").unwrap_err();
    assert_eq!(error, "a net share is one of numbers > a limit");
    assert_eq!(value("abs(h3 - h2) / h2"), Some(0.25));
    assert!(parse_measure("median over pages of abs h2 of lcp").is_err());
    let plain = parse_measure("mean over pages of h2 - h3 of lcp").unwrap();
    assert!(!plain.is_share());
    assert!(parse_measure("mean over pages of h2 of lcp > 0").is_err());
}
