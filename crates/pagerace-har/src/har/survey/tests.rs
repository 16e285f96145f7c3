use serde_json::json;

use super::*;

fn of(entries: &Value) -> Vec<SurveyedRequest> {
    let har = json!({"log": {"entries": entries}}).to_string();
    let survey = survey_from_bytes("a.har", har.as_bytes(), &ImportOptions::default());
    survey.expect("a valid HAR").requests
}

fn entry(url: &str, status: u16, connect: f64) -> Value {
    json!({
        "startedDateTime": "1970-01-01T00:00:00Z",
        "request": {"url": url},
        "response": {
            "status": status,
            "httpVersion": "h2",
            "headers": [{"name": "Server", "value": "gws"}, {"name": ":status", "value": "200"}],
        },
        "timings": {"connect": connect, "wait": 30, "receive": 2},
        "serverIPAddress": "[2001:db8::1]",
    })
}

#[test]
fn requests_have_what_identifies_the_server() {
    let mut second = entry("https://a.example/b", 200, -1.0);
    second["_cdn_provider"] = json!("Google");
    let all = of(&json!([entry("https://a.example/", 200, 50.0), second]));
    assert_eq!(all.len(), 2);
    let first = &all[0];
    assert_eq!(first.host, "a.example");
    assert_eq!(first.protocol, Some("h2"));
    assert_eq!(first.address.as_deref(), Some("2001:db8::1"));
    assert_eq!(first.fields, [("server".to_owned(), "gws".to_owned())]);
    assert_eq!((first.wait, first.receive), (Some(30.0), Some(2.0)));
    assert_eq!((first.reused(), all[1].reused()), (Some(false), Some(true)));
    assert_eq!(all[1].cdn.as_deref(), Some("Google"));
    assert_eq!(all[1].resource, Some(ResourceId(1)));
}

#[test]
fn requests_that_no_server_answered_are_left_out() {
    let mut cached = entry("https://a.example/c", 200, -1.0);
    cached["response"]["fromDiskCache"] = json!(true);
    let all = of(&json!([
        entry("https://a.example/", 200, 50.0),
        entry("https://a.example/b", 0, -1.0),
        entry("data:text/plain,a", 200, -1.0),
        cached,
    ]));
    assert_eq!(all.len(), 1);
}

#[test]
fn without_connection_times_reuse_is_unknown() {
    let all = of(&json!([entry("https://a.example/", 200, -1.0)]));
    assert_eq!(all[0].connect, None);
    assert_eq!(all[0].reused(), None);
}

#[test]
fn set_up_includes_tls_where_it_is_recorded_beside() {
    let mut firefox = entry("https://a.example/", 200, 17.0);
    firefox["timings"]["ssl"] = json!(26);
    // The timings add up with both.
    firefox["time"] = json!(17 + 26 + 30 + 2);
    let mut chrome = entry("https://a.example/", 200, 43.0);
    chrome["timings"]["ssl"] = json!(26);
    chrome["time"] = json!(43 + 30 + 2);
    let all = of(&json!([firefox, chrome]));
    assert_eq!((all[0].connect, all[1].connect), (Some(43.0), Some(43.0)));
}
