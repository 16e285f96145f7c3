use serde_json::json;

use super::*;

#[test]
fn numbers_may_be_text_but_must_be_plausible() {
    let v = json!({"a": "106041", "b": -1, "c": 1e300, "d": [1], "e": 12.6, "f": "NaN"});
    assert_eq!(size(&v, "a"), Some(106_041));
    assert_eq!(size(&v, "b"), None);
    assert_eq!(size(&v, "c"), None);
    assert_eq!(size(&v, "d"), None);
    assert_eq!(size(&v, "e"), Some(13));
    assert_eq!(number(&v, "f"), None);
    assert_eq!(millis(&v, "b"), None);
    assert_eq!(millis(&v, "e"), Some(12.6));
    assert_eq!(position(&v, "c"), None);
}

#[test]
fn flags_come_in_several_types() {
    let v = json!({"a": true, "b": 1, "c": "1", "d": 0, "e": null, "f": "True"});
    assert!(flag(&v, "a") && flag(&v, "b") && flag(&v, "c") && flag(&v, "f"));
    assert!(!flag(&v, "d") && !flag(&v, "e") && !flag(&v, "g"));
}

#[test]
fn fields_of_another_type_are_not_there() {
    let v = json!({"a": 7, "b": " x ", "c": {"d": 1}});
    assert_eq!(text(&v, "a"), None);
    assert_eq!(filled(&v, "b"), Some("x"));
    assert!(list(&v, "c").is_empty());
    assert_eq!(kind(v.get("c")), "an object with d");
    assert_eq!(kind(v.get("z")), "nothing");
}

#[test]
fn long_text_is_cut_between_characters() {
    assert_eq!(shorten("äöü", 2), "äö…");
    assert_eq!(shorten("äöü", 3), "äöü");
}
