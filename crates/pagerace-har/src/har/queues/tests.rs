use serde_json::{Value, json};

use super::*;

/// A request that the recorder dates from the beginning of the queue.
fn request(n: usize, version: &str, wait: f64) -> Value {
    json!({
        "startedDateTime": 1e12 + n as f64 / 8.0, "time": wait + 4.0,
        "request": {"url": format!("http://a.test/{n}.png")},
        "response": {"status": 200, "httpVersion": version, "content": {"size": 900}},
        "timings": {"wait": wait, "receive": 4},
    })
}

/// Returns the waits without queues.
fn waits(values: &[Value]) -> Vec<f64> {
    let parse = |(i, value)| Entry::parse(i, value, None);
    let mut entries: Vec<Entry> = values.iter().enumerate().map(parse).collect();
    take_out(&mut entries, &mut Notes::default());
    entries.iter().map(|entry| entry.wait.unwrap()).collect()
}

#[test]
fn requests_beyond_six_wait_for_a_connection() {
    let round = |n: usize| 200.0 * (n / 6 + 1) as f64;
    let values: Vec<Value> = (0..18).map(|n| request(n, "HTTP/1.1", round(n))).collect();
    for wait in waits(&values) {
        assert!((wait - 200.0).abs() < 6.0, "{wait}");
    }
}

#[test]
fn a_slow_server_is_no_queue() {
    let slow = |version| (0..6).map(move |n| request(n, version, 900.0));
    let values: Vec<Value> = slow("HTTP/1.1").collect();
    assert_eq!(waits(&values), [900.0; 6], "six connections are enough");
    let values: Vec<Value> = slow("h2").chain(slow("h2")).collect();
    assert_eq!(waits(&values), [900.0; 12], "one connection carries all");
}
