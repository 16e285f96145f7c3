use pagerace_sim::Visit;

use super::{Contender, ContenderText, Dimensions, Noun, choices, choose, product};

fn read(text: &str) -> Contender {
    text.parse::<ContenderText>()
        .unwrap()
        .or(&Contender::default())
}

fn all(texts: &[&str]) -> Vec<Contender> {
    texts.iter().map(|text| read(text)).collect()
}

fn labels(contenders: &[Contender]) -> Vec<String> {
    let varying = Dimensions::varying(contenders);
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
    for (text, start) in [
        ("  ", "is empty; write a protocol"),
        ("h2 h3", "`h2 h3` names two protocols"),
        (
            "cubic reno",
            "`cubic reno` names two congestion controllers",
        ),
        ("cold warm", "`cold warm` names two visits"),
        ("eps fifo", "`eps fifo` names two strategies"),
        ("a.example=h3", "no rule covers the other requests"),
        ("hybrid:alpha=7", "parameter alpha of strategy hybrid"),
    ] {
        assert!(error(text).to_string().starts_with(start), "{text}");
    }
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
    let noun = |texts: &[&str]| Dimensions::varying(&all(texts)).noun();
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
    let contenders = product(&[
        choices("protocol", &maps, |c, value| c.protocols = value),
        choices("congestion", &controllers, |c, value| c.congestion = value),
        choices("strategy", &strategies, |c, value| c.strategy = value),
    ]);
    // HTTP/1.1 appears once with each controller.
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
    for (text, start) in [
        ("h2", "`h2` matches h2 cubic sequential, h2 reno"),
        ("h3 cubic", "`h3 cubic` matches none of the contenders"),
        ("teleport", "`teleport` is not a protocol"),
        ("", "is empty"),
    ] {
        let error = choose(&race, text).unwrap_err().to_string();
        assert!(error.starts_with(start), "{text}: {error}");
    }
    let strategies = all(&["h1", "h3", "h3 fifo"]);
    assert_eq!(choose(&strategies, "fifo").unwrap(), 2);
    assert_eq!(choose(&strategies, "h1 fifo").unwrap(), 0);
    let mixed = all(&["a.example=h3 *=h2", "b.example=h3 *=h2"]);
    assert_eq!(choose(&mixed, "b.exam").unwrap(), 1, "a part of a label");
}

#[test]
fn interventions_are_words_like_others() {
    let late = read("h2 fonts+css=1s reno */app.js?v=2*=hang static.example=refused");
    assert_eq!(
        late.interventions.to_string(),
        "fonts+css=1s */app.js?v=2*=hang static.example=refused"
    );
    assert_eq!(late.protocols.to_string(), "h2");
    assert_eq!(read(&late.to_string()), late);
    let mixed = read("static.example=h3 *=h2 static.example=hang");
    assert_eq!(mixed.protocols.to_string(), "static.example=h3 *=h2");
    assert_eq!(mixed.interventions.to_string(), "static.example=hang");
    assert_eq!(read("h2 original"), read("h2 none"));
    assert_eq!(read("h2 original"), read("h2"));
    for (text, start) in [
        ("fonts+=1s", "`fonts+`: `` is not a category"),
        ("original fonts=1s", "`original fonts=1s` names two sets"),
        ("fonts=soon", "`fonts=soon`: unknown protocol"),
    ] {
        let error = text.parse::<ContenderText>().unwrap_err().to_string();
        assert!(error.starts_with(start), "{text}: {error}");
    }
}

#[test]
fn labels_show_interventions() {
    assert_eq!(labels(&all(&["h3", "font=1s"])), ["original", "fonts=1s"]);
    assert_eq!(labels(&all(&["ads=refused"])), ["sequential"]);
    assert_eq!(
        labels(&all(&["h1", "h2 fonts=1s"])),
        ["h1 original", "h2 fonts=1s"]
    );
    assert_eq!(
        Dimensions::varying(&all(&["h3", "font=1s"])).noun(),
        Noun::Variant
    );
    let race = all(&["h3", "fonts=140ms", "fonts=1s", "h2 fonts=1s"]);
    assert_eq!(choose(&race, "h3 original").unwrap(), 0);
    assert_eq!(choose(&race, "original").unwrap(), 0);
    assert_eq!(choose(&race, "font=140ms").unwrap(), 1);
    assert_eq!(choose(&race, "h2 fonts=1s").unwrap(), 3);
    let ambiguous = choose(&race, "fonts=1s").unwrap_err().to_string();
    assert!(ambiguous.starts_with("`fonts=1s` matches "), "{ambiguous}");
}

#[test]
fn interventions_multiply_the_contenders() {
    let maps = ["h1", "h2"].map(|p| p.parse().unwrap());
    let strategies = ["sequential", "eps"].map(|s| s.parse().unwrap());
    let what_ifs = ["none", "fonts=1s"].map(|i| i.parse().unwrap());
    let contenders = product(&[
        choices("interventions", &what_ifs, |c, value| {
            c.interventions = value;
        }),
        choices("protocol", &maps, |c, value| c.protocols = value),
        choices("strategy", &strategies, |c, value| c.strategy = value),
    ]);
    assert_eq!(
        labels(&contenders),
        [
            "h1 original",
            "h1 fonts=1s",
            "h2 sequential original",
            "h2 sequential fonts=1s",
            "h2 eps original",
            "h2 eps fonts=1s",
        ]
    );
}
