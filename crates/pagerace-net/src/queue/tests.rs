use super::*;

#[test]
fn defaults_are_those_of_the_documents() {
    let codel = CodelConfig::default();
    assert_eq!(codel.target, Duration::from_millis(5));
    assert_eq!(codel.interval, Duration::from_millis(100));
    assert_eq!(codel.limit, QueueLimit::Packets(1_000));
    let fq = FqCodelConfig::default();
    assert_eq!(
        (fq.codel.target, fq.codel.interval),
        (codel.target, codel.interval)
    );
    assert_eq!(
        (fq.codel.limit, fq.quantum),
        (QueueLimit::Packets(10_240), 1_514)
    );
}

#[test]
fn a_result_file_of_a_plain_queue_is_as_short_as_it_was() {
    let plain: Queue = QueueLimit::Packets(50).into();
    let json = serde_json::to_string(&plain).unwrap();
    assert_eq!(json, r#"{"packets":50}"#);
    assert_eq!(serde_json::from_str::<Queue>(&json).unwrap(), plain);
    for queue in [
        Queue::Codel(CodelConfig::default()),
        Queue::FqCodel(FqCodelConfig::default()),
    ] {
        let json = serde_json::to_string(&queue).unwrap();
        assert_eq!(serde_json::from_str::<Queue>(&json).unwrap(), queue);
        let misspelt = json.replace("target", "taregt");
        assert!(
            serde_json::from_str::<Queue>(&misspelt).is_err(),
            "{misspelt}"
        );
    }
}

#[test]
fn parameters_that_mean_nothing_are_refused() {
    let good = CodelConfig::default();
    let fq = FqCodelConfig::default();
    let zero = Duration::ZERO;
    for (queue, wanted) in [
        (
            Queue::Codel(CodelConfig {
                target: zero,
                ..good
            }),
            "a target of 0ms",
        ),
        (
            Queue::Codel(CodelConfig {
                interval: zero,
                ..good
            }),
            "an interval of 0ms",
        ),
        (
            Queue::Codel(CodelConfig {
                limit: QueueLimit::Packets(0),
                ..good
            }),
            "room for one packet",
        ),
        (
            Queue::FqCodel(FqCodelConfig { quantum: 255, ..fq }),
            "below 256",
        ),
    ] {
        let why = queue.check().unwrap_err();
        assert!(why.contains(wanted), "{why}");
    }
    assert!(Queue::FqCodel(fq).check().is_ok());
}

#[test]
fn limits_in_bdp_are_resolved_in_all_queues() {
    let rate = BitRate::new(2_000_000).unwrap();
    let codel = CodelConfig {
        limit: QueueLimit::ONE_BDP,
        ..CodelConfig::default()
    };
    let fq = FqCodelConfig {
        codel,
        ..FqCodelConfig::default()
    };
    for queue in [Queue::ONE_BDP, Queue::Codel(codel), Queue::FqCodel(fq)] {
        let resolved = queue.resolve(rate, Duration::from_millis(100));
        assert!(resolved.limit().holds(99, 25_000));
        assert!(!resolved.limit().holds(1, 25_001));
    }
}
