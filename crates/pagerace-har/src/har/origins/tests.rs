use serde_json::{Value, json};

use super::*;

fn entry(url: &str, address: &str, connection: Option<&str>, version: &str) -> Value {
    json!({"serverIPAddress": address, "connection": connection, "request": {"url": url},
        "response": {"status": 200, "httpVersion": version}})
}

fn origins(values: &[Value]) -> Vec<Origin> {
    let entries: Vec<_> = values
        .iter()
        .enumerate()
        .map(|(i, v)| Entry::parse(i, v, None))
        .collect();
    collect(&entries, &vec![Some(20.0); entries.len()], "www.a.test").0
}

fn groups(values: &[Value]) -> Vec<u32> {
    origins(values).iter().map(|o| o.connection_group).collect()
}

#[test]
fn one_connection_number_at_one_address_is_one_group() {
    let values = [
        entry("https://www.a.test/", "192.0.2.1", Some("7"), "h2"),
        entry("https://img.a.test/", "192.0.2.1", Some("7"), "h2"),
        entry("https://ads.test/", "192.0.2.9", Some("7"), "h2"),
        entry("https://api.a.test/", "192.0.2.1", Some("8"), "h2"),
    ];
    assert_eq!(groups(&values), [0, 0, 1, 2]);
}

#[test]
fn http1_and_plain_http_share_nothing() {
    let values = [
        entry("https://www.a.test/", "192.0.2.1", Some("7"), "http/1.1"),
        entry("https://img.a.test/", "192.0.2.1", Some("7"), "http/1.1"),
        entry("http://www.a.test/", "192.0.2.1", Some("7"), "h2"),
    ];
    assert_eq!(groups(&values), [0, 1, 2]);
}

#[test]
fn a_certificate_counts_where_no_connection_is_recorded() {
    let mut first = entry("https://www.a.test/", "192.0.2.1", None, "h3");
    first["_securityDetails"] = json!({"sanList": ["www.a.test", "*.b.test"]});
    let values = [
        first,
        entry("https://img.b.test/", "192.0.2.1", None, "h3"),
        entry("https://x.img.b.test/", "192.0.2.1", None, "h3"),
        entry("https://img2.b.test/", "192.0.2.2", None, "h3"),
    ];
    assert_eq!(groups(&values), [0, 0, 1, 2]);
}

#[test]
fn an_origin_is_described_by_its_entries() {
    let values = [
        entry("https://www.a.test/", "192.0.2.1", None, "h2"),
        entry("https://www.a.test:443/x", "192.0.2.1", None, "h3"),
        entry("https://www.a.test/y", "192.0.2.1", None, "h3"),
        entry("https://b.test:8443/", "192.0.2.1", None, "?"),
    ];
    let origins = origins(&values);
    assert_eq!(origins.len(), 2);
    assert_eq!(origins[0].protocol.as_deref(), Some("h3"));
    assert_eq!(origins[0].recorded_rtt, Some(Duration::from_millis(20)));
    assert!(!origins[0].third_party && origins[1].third_party);
    assert_eq!(
        (origins[1].port, origins[1].protocol.as_deref()),
        (8443, None)
    );
}
