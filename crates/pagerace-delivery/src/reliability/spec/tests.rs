use super::*;

const SETS: &[(&str, &[&str])] = &[("toy", &["full", "datagram:fonts"])];

fn list(text: &str) -> Vec<String> {
    let specs = ReliabilitySpec::parse_list(text, SETS).unwrap_or_else(|e| panic!("{text}: {e}"));
    specs.iter().map(ToString::to_string).collect()
}

fn refused(text: &str) -> String {
    match ReliabilitySpec::parse_list(text, SETS) {
        Err(error) => error.to_string(),
        Ok(specs) => panic!("{text} was read as {specs:?}"),
    }
}

#[test]
fn commas_separate_policies_and_their_arguments() {
    assert_eq!(
        list("full,datagram:fonts,ads,adaptive"),
        ["full", "datagram:fonts+ads", "adaptive"]
    );
    assert_eq!(
        list("late, deadline:500,repair,fonts+css, fec:10%"),
        ["late", "deadline:500ms,repair,fonts+css", "fec:0.1"]
    );
    assert_eq!(
        list("adaptive,adaptive:2.5s,adaptive:fonts"),
        ["adaptive", "adaptive:2500ms", "adaptive:fonts"]
    );
    assert_eq!(
        list("datagram:https://cdn.example/*,ads,full"),
        ["datagram:https://cdn.example/*+ads", "full"]
    );
    assert_eq!(list("datagram:non-essential"), ["datagram:non-essential"]);
    assert_eq!(list("fec:0.25,all"), ["fec:0.25,all"]);
}

#[test]
fn what_is_displayed_reads_back() {
    for text in [
        "full",
        "late",
        "late:fonts",
        "datagram:third-party-js+ads",
        "deadline:12.5ms",
        "deadline:500ms,repair,ads",
        "fec:0.1,repair",
        "adaptive:1000ms,images",
    ] {
        let spec: ReliabilitySpec = text.parse().expect(text);
        assert_eq!(spec.to_string(), text);
        let json = serde_json::to_string(&spec).expect("a string");
        assert_eq!(
            serde_json::from_str::<ReliabilitySpec>(&json).expect("it reads back"),
            spec
        );
    }
}

#[test]
fn the_name_of_a_set_stands_for_its_policies() {
    let both = ["full", "datagram:fonts", "late"];
    assert_eq!(list("toy,late"), both);
    assert_eq!(list("datagram:ads,toy")[1..], both[..2]);
}

#[test]
fn what_means_nothing_is_told() {
    for (text, told) in [
        ("", "empty"),
        ("full,", "empty"),
        ("ful", "did you mean full?"),
        ("full,full", "twice"),
        ("toy,full", "twice"),
        ("toy,ads", "unknown reliability policy `ads`"),
        ("full:fonts", "takes no `fonts`"),
        ("datagram", "needs a selection"),
        ("datagram:", "something is missing"),
        ("datagram:fonts,,ads", "something is missing"),
        ("datagram:fo nts", "not a category"),
        ("deadline", "needs a time"),
        ("deadline:fonts", "not a time"),
        ("deadline:0", "not a time"),
        ("deadline:-5ms", "not a time"),
        ("deadline:2h", "not a time"),
        ("deadline:infs", "not a time"),
        ("fec:0", "not a share"),
        ("fec:1.5", "not a share"),
        ("fec:nan", "not a share"),
        (
            "late:fonts,datagam:ads",
            "unknown reliability policy `datagam`",
        ),
    ] {
        let message = refused(text);
        assert!(message.contains(told), "{text}: {message}");
    }
}

#[test]
fn only_some_need_datagrams() {
    let needs = |text: &str| {
        text.parse::<ReliabilitySpec>()
            .expect(text)
            .needs_datagrams()
    };
    assert!(!needs("full") && !needs("late"));
    assert!(
        needs("datagram:fonts") && needs("deadline:1s") && needs("fec:0.1") && needs("adaptive")
    );
    assert!(ReliabilitySpec::default().is_full());
}
