use serde_json::json;

use super::*;

fn har() -> Value {
    json!({"log": {
        "pages": [
            {"id": "empty", "title": "New Tab"},
            {"id": "p1", "title": "Start", "startedDateTime": "1970-01-01T00:00:01Z",
             "pageTimings": {"onLoad": 5, "onContentLoad": -1}, "_domContentLoadedEventStart": 4},
            {"id": "p2", "title": "Shop"},
        ],
        "entries": [{"pageref": "p1"}, {"pageref": "p2"}, {"pageref": "lost"}, {"pageref": "p1"}],
    }})
}

fn numbers(wanted: Option<&str>) -> Vec<usize> {
    let options = ImportOptions {
        page: wanted.map(str::to_owned),
    };
    let har = har();
    choose("f", &har, &options)
        .unwrap()
        .entries
        .iter()
        .map(|(n, _)| *n)
        .collect()
}

#[test]
fn the_default_is_the_first_page_that_has_entries() {
    assert_eq!(numbers(None), [0, 3]);
}

#[test]
fn a_page_is_chosen_by_id_title_or_number() {
    assert_eq!(numbers(Some("p2")), [1]);
    assert_eq!(numbers(Some("Shop")), [1]);
    assert_eq!(numbers(Some("3")), [1]);
    assert_eq!(numbers(Some("lost")), [2], "a reference without a page");
}

#[test]
fn a_wrong_choice_lists_what_there_is() {
    let options = ImportOptions {
        page: Some("9".into()),
    };
    let error = choose("f.har", &har(), &options).err().unwrap().to_string();
    assert_eq!(
        error,
        "f.har: has no page \"9\"; choose one of: 1 empty \"New Tab\" (0 entries), \
         2 p1 \"Start\" (2 entries), 3 p2 \"Shop\" (1 entries), 4 lost (1 entries)"
    );
}

#[test]
fn what_is_no_har_names_the_field() {
    let message = |v: Value| {
        choose("f", &v, &ImportOptions::default())
            .err()
            .unwrap()
            .to_string()
    };
    assert!(
        message(json!([1]))
            .starts_with("f: the root: expected an object with log, found an array of 1")
    );
    assert!(
        message(json!({"lighthouseVersion": "12"}))
            .contains("found an object with lighthouseVersion")
    );
    assert!(message(json!({"log": {"entries": {}}})).contains("log.entries: expected an array"));
    assert!(message(json!({"log": {"entries": []}})).contains("at least one entry"));
}

#[test]
fn times_of_the_page() {
    let har = har();
    let chosen = choose("f", &har, &ImportOptions::default()).unwrap();
    assert_eq!(chosen.page.start(), Some(1000.0));
    assert_eq!(chosen.page.loaded(), Some(5.0));
    assert_eq!(chosen.page.content_loaded(), Some(4.0));
}
