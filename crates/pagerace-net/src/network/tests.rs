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
    ] {
        assert_eq!(Network::parse(text).unwrap().describe(), wanted);
    }
}

#[test]
fn impossible_networks_are_refused_when_deserialised() {
    let good = serde_json::to_string(&Network::parse("sander-2mbit-burst5").unwrap()).unwrap();
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
