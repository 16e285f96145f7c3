use serde_json::{Value, json};

use super::*;

fn entry(host: &str, connect: f64, ssl: f64, wait: f64) -> Value {
    json!({"startedDateTime": "1970-01-01T00:00:00Z", "time": connect.max(0.0) + wait,
        "request": {"url": format!("https://{host}/")}, "response": {"status": 200},
        "timings": {"connect": connect, "ssl": ssl, "wait": wait}})
}

fn parse(values: &[Value]) -> Vec<Entry<'_>> {
    values
        .iter()
        .enumerate()
        .map(|(i, v)| Entry::parse(i, v, None))
        .collect()
}

#[test]
fn tcp_is_the_handshake_without_tls_and_the_shortest_counts() {
    let values = [entry("a", 60.0, 35.0, 100.0), entry("a", 50.0, 30.0, 30.0)];
    let entries = parse(&values);
    let rtts = round_trips(&entries, true);
    assert_eq!(rtts, [Some(20.0), Some(20.0)]);
    assert_eq!(
        think_times(&entries, &rtts, &mut Notes::default()),
        [80.0, 10.0]
    );
}

#[test]
fn the_rest_of_a_handshake_is_no_round_trip() {
    let values = [
        entry("a", 79.0, 50.0, 30.0),
        entry("a", 86.0, 79.0, 30.0),
        entry("near", 10.0, 9.0, 30.0),
    ];
    assert_eq!(
        round_trips(&parse(&values), true),
        [Some(29.0), Some(29.0), Some(1.0)],
        "unless there is no other"
    );
}

#[test]
fn an_exchange_has_the_whole_set_up() {
    let whole = |connect, ssl| {
        let values = [entry("a", connect, ssl, 30.0)];
        let exchange = exchange(&parse(&values)[0]).unwrap();
        exchange.connect.map(Duration::as_millis_f64)
    };
    assert_eq!(whole(79.0, 50.0), Some(79.0));
    assert_eq!(whole(79.0, -1.0), Some(79.0));
    assert_eq!(whole(-1.0, -1.0), None, "an open connection");
    assert_eq!(whole(86.0, 79.0), None, "the rest of a set-up");
}

#[test]
fn no_round_trip_is_longer_than_a_wait() {
    let values = [
        entry("near", 79.0, 49.0, 31.0),
        entry("queued", 890.0, 755.0, 64.0),
        entry("queued", -1.0, -1.0, 63.0),
        entry("cached", 80.0, 40.0, 0.2),
    ];
    let rtts = round_trips(&parse(&values), true);
    assert_eq!(rtts, [Some(30.0), Some(63.0), Some(63.0), Some(40.0)]);
}

#[test]
fn the_tls_handshake_tells_the_round_trip_if_only_the_rest_of_tcp_is_recorded() {
    let values = [entry("ahead", 60.1, 60.0, 80.0)];
    assert_eq!(round_trips(&parse(&values), false), [Some(30.0)]);
    let values = [
        entry("ahead", 60.1, 60.0, 80.0),
        entry("ahead", 70.0, 40.0, 80.0),
    ];
    assert_eq!(round_trips(&parse(&values), false), [Some(30.0); 2]);
}

#[test]
fn handshakes_that_repeated_a_packet_are_no_round_trips() {
    let values = [
        entry("a", 1_006.0, -1.0, 30.0),
        entry("b", 999.0, -1.0, 30.0),
    ];
    assert_eq!(round_trips(&parse(&values), true), [None, Some(999.0)]);
}

#[test]
fn quic_is_the_whole_handshake() {
    let mut v = entry("a", 42.0, 42.0, 50.0);
    v["response"]["httpVersion"] = json!("h3");
    let values = [v];
    assert_eq!(round_trips(&parse(&values), true), [Some(42.0)]);
}

#[test]
fn firefox_counts_tls_beside_connect() {
    let mut v = entry("a", 20.0, 15.0, 100.0);
    v["time"] = json!(135.0);
    let values = [v];
    assert_eq!(round_trips(&parse(&values), true), [Some(20.0)]);
}

#[test]
fn hosts_of_one_address_share_the_evidence() {
    let mut a = entry("a", 30.0, -1.0, 40.0);
    let mut b = entry("b", -1.0, -1.0, 40.0);
    a["serverIPAddress"] = json!("192.0.2.1");
    b["serverIPAddress"] = json!("192.0.2.1");
    let values = [a, b];
    assert_eq!(round_trips(&parse(&values), true), [Some(30.0), Some(30.0)]);
}

#[test]
fn the_median_stands_in_but_not_beyond_the_shortest_wait() {
    let values = [
        entry("a", 30.0, -1.0, 40.0),
        entry("b", -1.0, -1.0, 12.0),
        entry("b", -1.0, -1.0, 20.0),
    ];
    let entries = parse(&values);
    let rtts = round_trips(&entries, true);
    assert_eq!(rtts[1], None);
    let mut notes = Notes::default();
    assert_eq!(think_times(&entries, &rtts, &mut notes), [10.0, 0.0, 8.0]);
    assert_eq!(notes.into_notes()[0].entries, 2);
}

#[test]
fn think_times_are_never_negative() {
    let values = [entry("a", 80.0, -1.0, 40.0)];
    let entries = parse(&values);
    assert_eq!(
        think_times(
            &entries,
            &round_trips(&entries, true),
            &mut Notes::default()
        ),
        [0.0]
    );
}
