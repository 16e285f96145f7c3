use pagerace_sim::Visit;

use super::{Contender, ContenderError, ContenderText, Noun, Varying, choose, product};

fn read(text: &str) -> Contender {
    text.parse::<ContenderText>()
        .unwrap()
        .or(&Contender::default())
}

fn all(texts: &[&str]) -> Vec<Contender> {
    texts.iter().map(|text| read(text)).collect()
}

fn labels(contenders: &[Contender]) -> Vec<String> {
    let varying = Varying::among(contenders);
    contenders.iter().map(|c| c.label(varying)).collect()
}

#[test]
fn words_come_in_any_order() {
    let expected = read("h2 reno warm round-robin");
    assert_eq!(expected, read("round-robin  warm reno h2"));
    assert_eq!(expected.visit, Visit::Warm);
    assert_eq!(expected.to_string(), "h2 reno warm round-robin");
    let mixed = read("reno static.example=h3 *=h2 weighted-incremental:alpha=0.25");
    assert_eq!(mixed.protocols.to_string(), "static.example=h3 *=h2");
    assert_eq!(mixed.strategy.label(), "weighted-incremental:alpha=0.25");
    for contender in [expected, mixed] {
        assert_eq!(read(&contender.to_string()), contender, "{contender}");
    }
}

#[test]
fn texts_that_mean_nothing_are_refused() {
    let error = |text: &str| text.parse::<ContenderText>().unwrap_err();
    assert!(matches!(error("  "), ContenderError::Empty));
    assert!(matches!(error("h2 h3"), ContenderError::Twice { .. }));
    assert!(matches!(error("cubic reno"), ContenderError::Twice { .. }));
    assert!(matches!(error("cold warm"), ContenderError::Twice { .. }));
    assert!(matches!(error("eps fifo"), ContenderError::Twice { .. }));
    assert!(matches!(
        error("a.example=h3"),
        ContenderError::Protocols(_)
    ));
    assert!(matches!(
        error("hybrid:alpha=7"),
        ContenderError::Strategy(_)
    ));
    let typo = error("h2 qubic").to_string();
    assert!(
        typo.contains("`qubic`") && typo.ends_with("did you mean cubic?"),
        "{typo}"
    );
}

#[test]
fn labels_show_what_varies() {
    assert_eq!(labels(&all(&["sequential", "eps"])), ["sequential", "eps"]);
    assert_eq!(labels(&all(&["h2", "h3"])), ["h2", "h3"]);
    assert_eq!(labels(&all(&["h2 reno", "h2"])), ["reno", "cubic"]);
    assert_eq!(labels(&all(&["cold", "warm"])), ["cold", "warm"]);
    assert_eq!(labels(&all(&["eps"])), ["eps"]);
    assert_eq!(labels(&all(&["h1"])), ["h1"], "its strategy says nothing");
    assert_eq!(
        labels(&all(&["h1", "h3 reno eps", "a=h3 *=h2"])),
        ["h1 cubic", "h3 reno eps", "a=h3 *=h2 cubic sequential"]
    );
}

#[test]
fn nouns() {
    let noun = |texts: &[&str]| Varying::among(&all(texts)).noun();
    assert_eq!(noun(&["sequential", "eps"]), Noun::Strategy);
    assert_eq!(noun(&["eps"]), Noun::Strategy);
    assert_eq!(noun(&["eps cold", "eps warm"]), Noun::Variant);
    assert_eq!(Noun::Variant.count(2), "2 variants");
    assert_eq!(Noun::Strategy.count(1), "1 strategy");
}

#[test]
fn the_product_has_no_twins() {
    let maps = ["h1", "h2"].map(|p| p.parse().unwrap());
    let controllers = ["cubic", "reno"].map(str::to_owned);
    let strategies = ["sequential", "eps", "fifo"].map(|s| s.parse().unwrap());
    let contenders = product(&maps, &controllers, &[Visit::Cold], &strategies);
    // HTTP/1.1 once with each controller.
    assert_eq!(contenders.len(), 2 + 6);
    assert_eq!(
        labels(&contenders)[..4],
        ["h1 cubic", "h1 reno", "h2 cubic sequential", "h2 cubic eps"]
    );
}

#[test]
fn any_telling_part_chooses() {
    let race = all(&["h1", "h2 cubic", "h2 reno", "h3 reno eps"]);
    let index = |text: &str| choose(&race, text).unwrap();
    assert_eq!(index("h1"), 0);
    assert_eq!(index("h2 cubic sequential"), 1);
    assert_eq!(index("reno h2"), 2);
    assert_eq!(index("h3"), 3);
    assert_eq!(index(" cold "), 0, "all are: the first");
    let error = |text: &str| choose(&race, text).unwrap_err();
    assert!(matches!(error("h2"), ContenderError::Ambiguous { .. }));
    assert!(matches!(error("h3 cubic"), ContenderError::NotThere { .. }));
    assert!(matches!(error("teleport"), ContenderError::Unknown { .. }));
    assert!(matches!(error(""), ContenderError::Empty));
    let strategies = all(&["h1", "h3", "h3 fifo"]);
    assert_eq!(choose(&strategies, "fifo").unwrap(), 2);
    assert_eq!(choose(&strategies, "h1 fifo").unwrap(), 0);
    let mixed = all(&["a.example=h3 *=h2", "b.example=h3 *=h2"]);
    assert_eq!(choose(&mixed, "b.exam").unwrap(), 1, "a part of a label");
}
