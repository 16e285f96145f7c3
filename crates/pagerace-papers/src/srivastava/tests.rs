use pagerace_delivery::reliability::ReliabilitySpec;

use super::*;

#[test]
fn all_variants_read_back() {
    let variants: Vec<String> = interventions().iter().map(ToString::to_string).collect();
    assert_eq!(variants, INTERVENTIONS.map(|(_, text)| text));
}

#[test]
fn all_scenarios_are_policies() {
    let sets = [(THESIS, RELIABILITY)];
    let read = ReliabilitySpec::parse_list("thesis,late", &sets).unwrap();
    let read: Vec<String> = read.iter().map(ToString::to_string).collect();
    assert_eq!(read, [RELIABILITY, &["late"]].concat());
}

#[test]
fn pages_have_names() {
    assert_eq!(page("srivastava-news-2").unwrap(), Some(news(2, 1)));
    assert_eq!(page("news").unwrap(), None);
    for name in ["srivastava-news-0", "srivastava-news-7", "srivastava-news-"] {
        let told = page(name).unwrap_err();
        let names = "there are srivastava-news-1 to srivastava-news-6";
        assert_eq!(told, format!("{name}: {names}"));
    }
}
