use serde_json::json;

use super::*;

fn at(second: f64, url: &str, word: &str) -> Value {
    json!({"startedDateTime": 1e12 + second * 1e3, "time": 200,
        "request": {"url": url, "headers": [{"name": "Sec-Fetch-Dest", "value": word}]},
        "response": {"status": 200, "content": {"size": 10}}})
}

fn navigations(load: f64, values: &[Value]) -> Vec<usize> {
    let page = json!({"startedDateTime": 1e12, "pageTimings": {"onLoad": load}});
    let entries: Vec<_> = values.iter().enumerate().collect();
    later_navigations(Some(&page), &entries)
}

#[test]
fn a_document_after_the_load_event_is_another_page() {
    let mut redirect = at(4.0, "https://a.test/cart", "document");
    redirect["response"]["status"] = json!(303);
    let values = [
        at(0.0, "https://a.test/", "document"),
        at(0.5, "https://a.test/reload", "document"),
        at(2.0, "https://ads.test/", "iframe"),
        redirect,
        at(4.3, "https://a.test/order", "document"),
        at(5.0, "https://a.test/x.png", "image"),
    ];
    assert_eq!(navigations(900.0, &values), [3]);
    assert_eq!(
        navigations(-1.0, &values),
        Vec::<usize>::new(),
        "a script may reload until the load event"
    );
}

#[test]
fn without_a_load_event_a_pause_or_the_user_tells() {
    let mut clicked = at(1.5, "https://a.test/2", "document");
    let user = json!({"name": "Sec-Fetch-User", "value": "?1"});
    clicked["request"]["headers"]
        .as_array_mut()
        .unwrap()
        .push(user);
    let mut plain = at(20.0, "http://a.test/3", "");
    plain["request"]["headers"] = json!([{"name": "Accept", "value": "text/html"}]);
    let mut frame = plain.clone();
    frame["_initiator"] = json!({"type": "parser", "url": "http://a.test/"});
    let values = [
        at(0.0, "https://a.test/", "document"),
        clicked,
        frame,
        plain,
    ];
    assert_eq!(navigations(-1.0, &values), [1]);
    let values = [values[0].clone(), values[3].clone()];
    assert_eq!(navigations(-1.0, &values), [1]);
}

#[test]
fn what_timers_ask_for_later_is_no_part_of_the_page() {
    let values =
        [0.0, 0.3, 2.0, 4.0, 30.0, 31.0].map(|second| at(second, "https://a.test/", "empty"));
    let numbered = values.iter().enumerate();
    let mut entries: Vec<Entry> = numbered.map(|(i, v)| Entry::parse(i, v, None)).collect();
    entries[2].first_byte = Some(1e12 + 300_000.0);
    for entry in &mut entries {
        entry.count_from(1e12);
    }
    let page = json!({"startedDateTime": 1e12, "pageTimings": {"onLoad": 900}});
    let page = PageObject::deserialize(&page).unwrap();
    let mut notes = Notes::default();
    end(&mut entries, &page, &mut notes);
    let numbers: Vec<usize> = entries.iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, [0, 1, 3], "the third is a long poll");
    assert_eq!(notes.into_notes()[0].entries, 3);
}
