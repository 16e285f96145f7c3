use serde_json::{Value, json};

use super::*;

/// Creates the response of a GET request with these fields.
fn response(status: u16, fields: &[(&str, &str)]) -> Value {
    let headers: Vec<Value> = fields
        .iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    json!({
        "startedDateTime": "2024-03-01T12:00:00.000Z", "time": 500,
        "request": {"method": "GET", "url": "https://example.test/a"},
        "response": {"status": status, "headers": headers,
                     "content": {"size": 100}, "_transferSize": 400},
    })
}

fn decide(value: &Value) -> CacheUse {
    in_next_visit(&Entry::parse(0, value, None))
}

fn ok(fields: &[(&str, &str)]) -> CacheUse {
    decide(&response(200, fields))
}

const NOW: (&str, &str) = ("Date", "Fri, 01 Mar 2024 12:00:00 GMT");
const TAG: (&str, &str) = ("ETag", "\"x\"");

#[test]
fn a_lifetime_makes_it_fresh() {
    assert_eq!(ok(&[("Cache-Control", "max-age=60")]), CacheUse::Fresh);
    assert_eq!(
        ok(&[("cache-control", "private, Max-Age=\"60\", immutable")]),
        CacheUse::Fresh
    );
    let later = ("Expires", "Fri, 01 Mar 2024 12:00:01 GMT");
    assert_eq!(ok(&[NOW, later]), CacheUse::Fresh);
    assert_eq!(
        ok(&[later]),
        CacheUse::Fresh,
        "received half a second before"
    );
}

#[test]
fn what_is_stale_is_validated_if_it_can_be() {
    for control in [
        "max-age=0",
        "no-cache",
        "max-age=60, no-cache",
        "max-age=x",
        "max-age=-1",
        "max-age=0, max-age=60",
        "max-age=0, stale-while-revalidate=60",
    ] {
        assert_eq!(ok(&[("Cache-Control", control), TAG]), CacheUse::Validate);
        assert_eq!(
            ok(&[("Cache-Control", control)]),
            CacheUse::None,
            "{control}"
        );
    }
    assert_eq!(ok(&[]), CacheUse::None);
    assert_eq!(ok(&[TAG]), CacheUse::Validate);
    assert_eq!(ok(&[("Pragma", "no-cache"), TAG]), CacheUse::Validate);
    for expires in ["0", "-1", NOW.1] {
        assert_eq!(ok(&[NOW, ("Expires", expires), TAG]), CacheUse::Validate);
    }
}

#[test]
fn max_age_goes_before_expires() {
    let past = ("Expires", "Thu, 01 Jan 1970 00:00:00 GMT");
    let future = ("Expires", "Fri, 01 Mar 2030 12:00:00 GMT");
    assert_eq!(
        ok(&[NOW, past, ("Cache-Control", "max-age=60")]),
        CacheUse::Fresh
    );
    assert_eq!(
        ok(&[NOW, future, ("Cache-Control", "max-age=0")]),
        CacheUse::None
    );
}

#[test]
fn the_age_counts() {
    let aged = |age| ok(&[("Cache-Control", "max-age=60"), ("Age", age), TAG]);
    assert_eq!(aged("59"), CacheUse::Fresh);
    assert_eq!(aged("60"), CacheUse::Validate);
}

#[test]
fn without_a_lifetime_a_tenth_of_the_time_since_the_last_change() {
    let changed = ("Last-Modified", "Fri, 01 Mar 2024 11:00:00 GMT");
    let aged = |age| ok(&[NOW, changed, ("Age", age)]);
    assert_eq!(aged("359"), CacheUse::Fresh);
    assert_eq!(aged("360"), CacheUse::Validate);
    let ahead = ("Last-Modified", "Fri, 01 Mar 2024 13:00:00 GMT");
    assert_eq!(ok(&[NOW, ahead]), CacheUse::Validate);
}

#[test]
fn what_may_not_be_stored_is_not() {
    assert_eq!(
        ok(&[("Cache-Control", "no-store, max-age=60"), TAG]),
        CacheUse::None
    );
    // Two fields, or one field with a line break, form one list.
    assert_eq!(
        ok(&[
            ("Cache-Control", "max-age=60"),
            ("Cache-Control", "no-store")
        ]),
        CacheUse::None
    );
    assert_eq!(
        ok(&[("Cache-Control", "max-age=60\nno-store")]),
        CacheUse::None
    );
    let mut post = response(200, &[("Cache-Control", "max-age=60")]);
    post["request"]["method"] = json!("POST");
    assert_eq!(decide(&post), CacheUse::None);
    let partial = response(206, &[("Cache-Control", "max-age=60"), TAG]);
    assert_eq!(decide(&partial), CacheUse::None);
}

#[test]
fn a_comma_in_quotes_separates_nothing() {
    let control = "no-cache=\"a, no-store, b\", max-age=60";
    assert_eq!(ok(&[("Cache-Control", control)]), CacheUse::Fresh);
}

#[test]
fn redirects_and_errors_need_an_explicit_lifetime_unless_permanent() {
    let with = |status, fields: &[_]| decide(&response(status, fields));
    let lasting = [("Cache-Control", "max-age=60")];
    for status in [302, 307, 404] {
        assert_eq!(with(status, &[TAG]), CacheUse::None, "{status}");
        assert_eq!(with(status, &lasting), CacheUse::Fresh, "{status}");
    }
    for status in [301, 308] {
        assert_eq!(with(status, &[]), CacheUse::Fresh, "{status}");
        assert_eq!(
            with(status, &[("Cache-Control", "no-cache")]),
            CacheUse::None
        );
    }
}

#[test]
fn a_response_that_varies_by_anything_is_validated() {
    let lasting = ("Cache-Control", "max-age=60");
    assert_eq!(ok(&[lasting, ("Vary", "*"), TAG]), CacheUse::Validate);
    assert_eq!(ok(&[lasting, ("Vary", "Accept-Encoding")]), CacheUse::Fresh);
}

#[test]
fn a_recording_of_a_second_visit_tells_by_itself() {
    assert_eq!(decide(&response(304, &[])), CacheUse::Validate);
    assert_eq!(
        decide(&response(304, &[("Cache-Control", "max-age=60")])),
        CacheUse::Fresh
    );
    let mut cached = response(200, &[]);
    cached["_fromCache"] = json!("disk");
    assert_eq!(decide(&cached), CacheUse::Fresh);
    let mut forbidden = response(200, &[("Cache-Control", "no-store")]);
    forbidden["_fromCache"] = json!("memory");
    assert_eq!(decide(&forbidden), CacheUse::None);
}

#[test]
fn a_page_says_it_and_one_stored_before_says_nothing() {
    let entry = response(200, &[("Cache-Control", "max-age=60")]);
    let har = json!({"log": {"entries": [entry]}}).to_string();
    let page = crate::from_bytes("a.har", har.as_bytes(), &crate::ImportOptions::default());
    let page = page.expect("a page");
    assert_eq!(page.resources[0].cache, CacheUse::Fresh);
    let mut stored = serde_json::to_value(&page).expect("a model");
    assert_eq!(stored["resources"][0]["cache"], "fresh");
    let resource = stored["resources"][0].as_object_mut().expect("an object");
    resource.remove("cache");
    let old: pagerace_page::Page = serde_json::from_value(stored).expect("a model");
    assert_eq!(old.resources[0].cache, CacheUse::None);
}
