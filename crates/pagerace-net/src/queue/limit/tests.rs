use super::*;

#[test]
fn a_bdp_is_the_rate_times_the_round_trip() {
    let rate = BitRate::new(2_000_000).unwrap();
    let limit = QueueLimit::parse("1bdp")
        .unwrap()
        .resolve(rate, Duration::from_millis(100));
    assert_eq!(
        limit,
        QueueLimit::Bdp {
            multiple: 1.0,
            bytes: 25_000
        }
    );
    let half = QueueLimit::parse("0.5bdp")
        .unwrap()
        .resolve(rate, Duration::from_millis(100));
    assert_eq!(
        half,
        QueueLimit::Bdp {
            multiple: 0.5,
            bytes: 12_500
        }
    );
}

#[test]
fn a_small_bdp_still_holds_two_packets() {
    let limit = QueueLimit::ONE_BDP.resolve(BitRate::new(1).unwrap(), Duration::ZERO);
    assert_eq!(
        limit,
        QueueLimit::Bdp {
            multiple: 1.0,
            bytes: 3_000
        }
    );
}

#[test]
fn a_queue_is_full_at_its_limit_and_not_before() {
    assert!(QueueLimit::Packets(2).admits(1, 9_999, 1_500));
    assert!(!QueueLimit::Packets(2).admits(2, 0, 40));
    assert!(QueueLimit::Bytes(3_000).admits(9, 1_500, 1_500));
    assert!(!QueueLimit::Bytes(3_000).admits(9, 1_501, 1_500));
}

#[test]
fn queues_print_and_parse_back() {
    for text in ["100p", "65536b", "1bdp", "2.5bdp"] {
        assert_eq!(QueueLimit::parse(text).unwrap().to_string(), text);
    }
    for text in [
        "0p", "1499b", "0bdp", "bdp", "100", "1.5p", "-1p", "", "1 bdp",
    ] {
        assert!(QueueLimit::parse(text).is_err(), "{text}");
    }
}
