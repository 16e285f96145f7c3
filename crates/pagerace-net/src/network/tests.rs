use super::*;

#[test]
fn a_network_is_described_in_one_line() {
    for (text, wanted) in [
        (
            "fast-4g",
            "9 Mbit/s down, 1.5 Mbit/s up, 60 ms round trip, no loss, a queue of 50 packets",
        ),
        (
            "rate 2mbit rtt 100ms loss 2% burst 5 loss-up 0.05% queue 1bdp",
            "2 Mbit/s down, 2 Mbit/s up, 100 ms round trip, 2% loss in bursts of 5 packets on \
             average down, 0.05% loss up, a queue of 25000 bytes (1 BDP)",
        ),
        (
            "rate 8mbit up 2mbit for 1s then 0bit for 1s then 1mbit rtt 50ms..250ms over 10s \
             jitter 10ms jitter-up 5ms normal reorder queue codel",
            "8 Mbit/s down, 2 Mbit/s for 1s, then nothing for 1s, then 1 Mbit/s up, a round trip \
             of 50 ms to 250 ms over 10s, then 250 ms, jitter of up to 10 ms either way down, \
             jitter with a standard deviation of 5 ms, reordering up, no loss, a CoDel queue \
             (target 5 ms, interval 100 ms) of at most 1000 packets",
        ),
        (
            "rate 2mbit delay 10ms for 5s then 100ms delay-up 10ms queue fq-codel queue-up 9p",
            "2 Mbit/s down, 2 Mbit/s up, one way 10 ms for 5s, then 100 ms down, 10 ms up, no \
             loss, FQ-CoDel queues (target 5 ms, interval 100 ms) of at most 10240 packets \
             together down, a queue of 9 packets up",
        ),
    ] {
        assert_eq!(Network::parse(text).unwrap().describe(), wanted);
    }
}

#[test]
fn impossible_networks_are_refused_when_deserialised() {
    let text = "rate 2mbit rtt 100ms loss 2% burst 5 queue 1bdp bucket 1514b";
    let good = serde_json::to_string(&Network::parse(text).unwrap()).unwrap();
    assert!(serde_json::from_str::<Network>(&good).is_ok());
    for (from, to) in [
        ("2000000", "0"),
        ("\"length\":5.0", "\"length\":0.0"),
        ("\"burst\":1514", "\"burst\":1"),
        ("\"multiple\":1.0", "\"multiple\":-1.0"),
        ("\"delay\"", "\"delya\""),
    ] {
        assert!(good.contains(from), "{good} has no {from}");
        let bad = good.replacen(from, to, 1);
        assert!(serde_json::from_str::<Network>(&bad).is_err(), "{bad}");
    }
}

#[test]
fn impossible_changes_are_refused_when_deserialised() {
    let text = "rate 2mbit for 1s then 3mbit rtt 40ms for 1s then 60ms jitter 5ms queue codel";
    let good = serde_json::to_string(&Network::parse(text).unwrap()).unwrap();
    assert!(serde_json::from_str::<Network>(&good).is_ok());
    for (from, to) in [
        ("\"stays\":3000000", "\"stays\":0"),
        ("\"from\":2000000", "\"from\":2000000000000"),
        ("\"lasts\":1000000000", "\"lasts\":0"),
        ("\"stays\":30000000", "\"stays\":3600000000001"),
        ("\"spread\":5000000", "\"spread\":3600000000001"),
        ("\"reorder\"", "\"recorder\""),
        ("\"target\":5000000", "\"target\":0"),
        ("\"codel\"", "\"coddle\""),
        ("\"jitter\"", "\"litter\""),
    ] {
        assert!(good.contains(from), "{good} has no {from}");
        let bad = good.replacen(from, to, 1);
        assert!(serde_json::from_str::<Network>(&bad).is_err(), "{bad}");
    }
}

#[test]
fn a_result_file_without_what_is_new_is_still_read() {
    let old = r#"{"name":"n","down":{"rate":{"constant":2000000},"delay":50000000,
        "queue":{"packets":50},"loss":"none"},"up":{"rate":{"token-bucket":{"rate":2000000,
        "burst":1514}},"delay":50000000,"queue":{"bdp":{"multiple":1.0,"bytes":25000}},
        "loss":"none"}}"#;
    let network: Network = serde_json::from_str(old).unwrap();
    assert_eq!(
        network.to_string(),
        "rate 2mbit rtt 100ms loss 0% queue 50p queue-up 1bdp bucket-up 1514b"
    );
    let strip = |text: &str| text.replace([' ', '\n'], "");
    assert_eq!(strip(&serde_json::to_string(&network).unwrap()), strip(old));
}

#[test]
fn a_queue_follows_the_rate_that_a_result_file_gives() {
    let json = serde_json::to_string(&Network::parse("rate 2mbit rtt 100ms").unwrap()).unwrap();
    let doubled: Network = serde_json::from_str(&json.replace("2000000", "4000000")).unwrap();
    assert_eq!(
        (doubled.down, doubled.up),
        Network::parse("rate 4mbit rtt 100ms")
            .map(|n| (n.down, n.up))
            .unwrap()
    );
}
