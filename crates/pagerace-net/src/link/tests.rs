use pagerace_core::Rng;
use proptest::prelude::*;

use super::*;
use crate::units::Probability;

fn config(rate: Rate) -> LinkConfig {
    LinkConfig {
        rate,
        delay: Duration::from_millis(50),
        queue: QueueLimit::Bytes(1 << 30),
        loss: Loss::None,
    }
}

fn mbit(n: u64) -> Rate {
    Rate::Constant(BitRate::new(n * 1_000_000).unwrap())
}

fn link(config: &LinkConfig) -> Link<usize> {
    Link::new(config, Rng::new(1, "link"))
}

/// Everything that comes out from `now` on.
fn drain<P>(link: &mut Link<P>, now: Instant) -> Vec<Exit<P>> {
    let mut exits = Vec::new();
    while let Some(at) = link.next_at() {
        exits.push(link.poll(at.max(now)).expect("something is due at next_at"));
    }
    exits
}

#[test]
fn a_packet_arrives_after_its_service_and_the_delay() {
    let mut link = link(&config(mbit(1)));
    link.enqueue(Instant::ZERO, 1_250, 7).unwrap();
    let at = Instant::from_nanos(60_000_000);
    assert_eq!(link.next_at(), Some(at));
    assert_eq!(link.poll(Instant::from_nanos(59_999_999)), None);
    assert_eq!(link.poll(at), Some(Exit::Delivered { at, payload: 7 }));
    assert_eq!(
        (link.poll(at), link.next_at(), link.in_flight()),
        (None, None, 0)
    );
}

#[test]
fn the_queue_counts_the_packet_in_service_but_not_those_on_their_way() {
    let mut link = link(&LinkConfig {
        queue: QueueLimit::Packets(2),
        ..config(mbit(1))
    });
    let at = Instant::from_nanos;
    link.enqueue(at(0), 1_250, 0).unwrap();
    link.enqueue(at(0), 1_250, 1).unwrap();
    assert_eq!(
        link.enqueue(at(9_999_999), 1_250, 2),
        Err(Dropped { payload: 2 })
    );
    // At 10 ms the first has crossed, though it arrives 50 ms later.
    link.enqueue(at(10_000_000), 1_250, 3).unwrap();
    assert_eq!(link.in_flight(), 3);
    assert_eq!(link.counters().queue_drops, 1);
}

#[test]
fn a_lost_packet_has_used_its_share_of_the_rate() {
    let loss = Loss::Random(Probability::ONE);
    let mut link = link(&LinkConfig {
        loss,
        ..config(mbit(1))
    });
    link.enqueue(Instant::ZERO, 1_250, 0).unwrap();
    link.enqueue(Instant::ZERO, 1_250, 1).unwrap();
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    let lost = |ms, payload| Exit::Lost {
        at: at(ms),
        payload,
    };
    assert_eq!(drain(&mut link, Instant::ZERO), [lost(60, 0), lost(70, 1)]);
    assert_eq!(link.counters().bytes_lost, 2_500);
}

#[test]
#[should_panic(expected = "was given the time")]
fn time_does_not_run_backwards() {
    let mut link = link(&config(mbit(1)));
    assert_eq!(link.poll(Instant::from_nanos(2)), None);
    assert_eq!(link.poll(Instant::from_nanos(1)), None);
}

fn rates() -> impl Strategy<Value = Rate> {
    let rate = (10_000..200_000_000_u64).prop_map(|b| BitRate::new(b).unwrap());
    let trace = prop::sample::select(vec!["1\n1\n30\n", "0 0.2\n0.05 40\n0.3 0\n"])
        .prop_map(|text| Rate::Trace(Arc::new(Trace::parse("test", text).unwrap())));
    prop_oneof![
        rate.clone().prop_map(Rate::Constant),
        (rate, 1_500..9_000_u32).prop_map(|(rate, burst)| Rate::TokenBucket { rate, burst }),
        trace,
    ]
}

fn configs() -> impl Strategy<Value = LinkConfig> {
    let queue = prop_oneof![
        (1..30_u32).prop_map(QueueLimit::Packets),
        (1_500..60_000_u64).prop_map(QueueLimit::Bytes),
    ];
    let p =
        |range: std::ops::Range<u32>| range.prop_map(|b| Probability::from_billionths(b).unwrap());
    let loss = prop_oneof![
        Just(Loss::None),
        p(0..1_000_000_000).prop_map(Loss::Random),
        (p(1..500_000_000), 1.0..20.0_f64).prop_map(|(mean, length)| Loss::Burst { mean, length }),
    ];
    (rates(), 0..200_000_000_u64, queue, loss).prop_map(|(rate, delay, queue, loss)| LinkConfig {
        rate,
        delay: Duration::from_nanos(delay),
        queue,
        loss,
    })
}

/// Gap in ns before the packet, its size, and whether to look at the other end
/// first.
fn operations() -> impl Strategy<Value = Vec<(u64, u32, bool)>> {
    let gap = prop_oneof![
        Just(0_u64),
        0..100_000_u64,
        0..30_000_000_u64,
        0..2_000_000_000_u64
    ];
    prop::collection::vec((gap, 28..=1_500_u32, any::<bool>()), 1..120)
}

proptest! {
    #[test]
    fn packets_are_conserved_in_order_and_within_the_queue(
        config in configs(),
        operations in operations(),
        seed in any::<u64>(),
    ) {
        let mut link = Link::new(&config, Rng::new(seed, "link"));
        let mut now = Instant::ZERO;
        let (mut offered_at, mut exits) = (Vec::new(), Vec::new());
        for (i, &(gap, size, look)) in operations.iter().enumerate() {
            now += Duration::from_nanos(gap);
            while look && let Some(exit) = link.poll(now) {
                exits.push(exit);
            }
            offered_at.push(now);
            if let Err(dropped) = link.enqueue(now, size, i) {
                prop_assert_eq!(dropped.payload, i);
            }
            let c = link.counters();
            prop_assert_eq!(
                c.enqueued,
                c.delivered + c.lost + c.queue_drops + link.in_flight() as u64
            );
            match config.queue {
                QueueLimit::Packets(n) => prop_assert!(link.waiting_bytes() <= u64::from(n) * 1_500),
                QueueLimit::Bytes(n) | QueueLimit::Bdp { bytes: n, .. } => {
                    prop_assert!(link.waiting_bytes() <= n);
                }
            }
        }
        exits.extend(drain(&mut link, now));
        let c = *link.counters();
        prop_assert_eq!(c.enqueued, operations.len() as u64);
        prop_assert_eq!(c.enqueued, c.delivered + c.lost + c.queue_drops);
        prop_assert_eq!(c.bytes_enqueued, c.bytes_delivered + c.bytes_lost + c.bytes_dropped);
        prop_assert_eq!(exits.len() as u64, c.delivered + c.lost);
        if config.loss == Loss::None {
            prop_assert_eq!(c.lost, 0);
        }
        let exits: Vec<(Instant, usize)> = exits
            .into_iter()
            .map(|(Exit::Delivered { at, payload } | Exit::Lost { at, payload })| (at, payload))
            .collect();
        prop_assert!(exits.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1));
        for (at, payload) in exits {
            prop_assert!(at >= offered_at[payload] + config.delay);
        }
    }

    #[test]
    fn a_constant_rate_is_kept_over_any_window(
        bits in 10_000..200_000_000_u64,
        burst in prop::option::of(1_500..9_000_u32),
        operations in operations(),
    ) {
        let rate = BitRate::new(bits).unwrap();
        let rate = match burst {
            None => Rate::Constant(rate),
            Some(burst) => Rate::TokenBucket { rate, burst },
        };
        let mut link = link(&config(rate));
        let mut now = Instant::ZERO;
        for (i, &(gap, size, _)) in operations.iter().enumerate() {
            now += Duration::from_nanos(gap);
            link.enqueue(now, size, i).expect("the queue is large");
        }
        let exits: Vec<(u64, u64)> = drain(&mut link, now)
            .into_iter()
            .map(|(Exit::Delivered { at, payload } | Exit::Lost { at, payload })| {
                (at.as_nanos(), u64::from(operations[payload].1))
            })
            .collect();
        for (i, &(from, size)) in exits.iter().enumerate() {
            // Without a bucket the first packet was paid for before the window.
            let allowance = burst.map_or(size, u64::from);
            let mut bytes = 0;
            for &(until, size) in &exits[i..] {
                bytes += size;
                // Times are rounded up to whole nanoseconds.
                let capacity = u128::from(bits) * u128::from(until - from + 1);
                let limit = capacity + u128::from(allowance) * 8_000_000_000;
                prop_assert!(u128::from(bytes) * 8_000_000_000 <= limit);
            }
        }
    }
}
