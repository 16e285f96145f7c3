use super::split_all;

fn items(values: &[&str]) -> Vec<String> {
    let values: Vec<String> = values.iter().map(|&v| v.to_owned()).collect();
    split_all("network", &values).unwrap()
}

fn error(value: &str) -> String {
    split_all("network", &[value.to_owned()])
        .unwrap_err()
        .to_string()
}

#[test]
fn commas_separate_and_options_add_up() {
    assert_eq!(items(&["a,b", "c"]), ["a", "b", "c"]);
    assert_eq!(
        items(&["fast-4g, rate 2mbit rtt 100ms"]),
        ["fast-4g", "rate 2mbit rtt 100ms"]
    );
    assert_eq!(items(&[]), Vec::<String>::new());
}

#[test]
fn quotes_and_brackets_hold_items_together() {
    assert_eq!(items(&["a,\"b, c\",d"]), ["a", "b, c", "d"]);
    assert_eq!(items(&["'it, is',x"]), ["it, is", "x"]);
    assert_eq!(
        items(&["f(1,2),g[3,(4,5)],h"]),
        ["f(1,2)", "g[3,(4,5)]", "h"]
    );
}

#[test]
fn what_is_wrong_is_said() {
    assert!(error("a,,b").contains("empty item"));
    assert!(error("").contains("is empty; leave it out"));
    assert!(error("a,\"b").contains("lacks a closing \""));
    assert!(error("f(1,2").contains("lacks a closing )"));
}
