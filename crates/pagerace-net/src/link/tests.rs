use std::sync::Arc;

use pagerace_core::{Duration, Rng};
use proptest::prelude::*;

use super::*;
use crate::delay::{Delay, Distribution, Jitter};
use crate::loss::Loss;
use crate::network::Network;
use crate::queue::{CodelConfig, FqCodelConfig, QueueLimit};
use crate::trace::Trace;
use crate::units::{BitRate, Probability};

mod aqm;

fn config(rate: Rate) -> LinkConfig {
    LinkConfig {
        rate,
        delay: Duration::from_millis(50).into(),
        jitter: None,
        queue: QueueLimit::Bytes(1 << 30).into(),
        loss: Loss::None,
    }
}

fn mbit(n: u64) -> Rate {
    Rate::Constant(BitRate::new(n * 1_000_000).unwrap())
}

fn link(config: &LinkConfig) -> Link<usize> {
    Link::new(config, Rng::new(1, "link"))
}

/// Polls until the link is empty, and returns the exits from `now` on.
fn drain<P>(link: &mut Link<P>, now: Instant) -> Vec<Exit<P>> {
    let mut exits = Vec::new();
    let mut before = None;
    while let Some(at) = link.next_at() {
        let exit = link.poll(at.max(now));
        assert!(exit.is_some() || before < Some(at), "stuck at {at:?}");
        before = Some(at);
        exits.extend(exit);
    }
    exits
}

/// Returns the exit time and the payload.
fn at_and_payload(exit: &Exit<usize>) -> (Instant, usize) {
    match *exit {
        Exit::Delivered { at, payload, .. }
        | Exit::Lost { at, payload, .. }
        | Exit::Dropped { at, payload } => (at, payload),
    }
}

/// Returns the time of crossing and the payload, or `None` for a dropped packet.
fn crossing(exit: &Exit<usize>) -> Option<(Instant, usize)> {
    match *exit {
        Exit::Delivered {
            crossed_at,
            payload,
            ..
        }
        | Exit::Lost {
            crossed_at,
            payload,
            ..
        } => Some((crossed_at, payload)),
        Exit::Dropped { .. } => None,
    }
}

#[test]
fn a_packet_arrives_after_its_service_and_the_delay() {
    let mut link = link(&config(mbit(1)));
    link.enqueue(Instant::ZERO, 1_250, 0, 7).unwrap();
    let at = Instant::from_nanos(60_000_000);
    assert_eq!(link.next_at(), Some(at));
    assert_eq!(link.poll(Instant::from_nanos(59_999_999)), None);
    let delivered = Exit::Delivered {
        at,
        crossed_at: Instant::from_nanos(10_000_000),
        payload: 7,
    };
    assert_eq!(link.poll(at), Some(delivered));
    assert_eq!(
        (link.poll(at), link.next_at(), link.in_flight()),
        (None, None, 0)
    );
}

#[test]
fn the_queue_counts_the_packet_in_service_but_not_those_on_their_way() {
    let mut link = link(&LinkConfig {
        queue: QueueLimit::Packets(2).into(),
        ..config(mbit(1))
    });
    let at = Instant::from_nanos;
    link.enqueue(at(0), 1_250, 0, 0).unwrap();
    link.enqueue(at(0), 1_250, 0, 1).unwrap();
    assert_eq!(
        link.enqueue(at(9_999_999), 1_250, 0, 2),
        Err(Dropped { payload: 2 })
    );
    // At 10 ms the first packet has crossed the bottleneck, though it arrives 50 ms later.
    link.enqueue(at(10_000_000), 1_250, 0, 3).unwrap();
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
    link.enqueue(Instant::ZERO, 1_250, 0, 0).unwrap();
    link.enqueue(Instant::ZERO, 1_250, 0, 1).unwrap();
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    let lost = |ms, payload| Exit::Lost {
        at: at(ms),
        crossed_at: at(ms - 50),
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

#[test]
fn a_packet_has_the_delay_of_the_instant_at_which_it_crosses() {
    // Each packet takes 10 ms of service. The delay rises by 10 ms every 10 ms, then
    // falls to zero at once.
    let network = "rate 1mbit delay 50ms..90ms over 40ms then 0ms";
    let mut config = Network::parse(network).unwrap().down;
    config.queue = QueueLimit::Packets(9).into();
    let arrivals = |config: &LinkConfig| -> Vec<(u64, usize)> {
        let mut link = link(config);
        for i in 0..5 {
            link.enqueue(Instant::ZERO, 1_250, 0, i).unwrap();
        }
        let exits = drain(&mut link, Instant::ZERO);
        let ms = |exit| {
            (
                at_and_payload(exit).0.as_nanos() / 1_000_000,
                at_and_payload(exit).1,
            )
        };
        exits.iter().map(ms).collect()
    };
    // The packets cross at 10, 20, 30, 40, 50 ms. The last two could arrive at 40 and
    // 50 ms, but packets are not reordered unless `reorder` is set.
    let kept = [(70, 0), (90, 1), (110, 2), (110, 3), (110, 4)];
    assert_eq!(arrivals(&config), kept);
    config.jitter = Some(Jitter {
        spread: Duration::ZERO,
        distribution: Distribution::Uniform,
        reorder: true,
    });
    let overtaken = [(40, 3), (50, 4), (70, 0), (90, 1), (110, 2)];
    assert_eq!(arrivals(&config), overtaken);
}

#[test]
fn jitter_does_not_change_which_packets_are_lost() {
    let fates = |network: &str| -> Vec<(usize, bool)> {
        let config = Network::parse(network).unwrap().down;
        let mut link = link(&config);
        for i in 0..400 {
            link.enqueue(Instant::ZERO, 1_250, 0, i).unwrap();
        }
        let exits = drain(&mut link, Instant::ZERO);
        let fate = |e: &Exit<usize>| (at_and_payload(e).1, matches!(e, Exit::Lost { .. }));
        let mut fates: Vec<_> = exits.iter().map(fate).collect();
        fates.sort_unstable();
        fates
    };
    let plain = fates("rate 1mbit delay 50ms loss 20% burst 3 queue 400p");
    assert!(plain.iter().any(|f| f.1));
    let jittery = "rate 1mbit delay 50ms loss 20% burst 3 queue 400p jitter 40ms reorder";
    assert_eq!(fates(jittery), plain);
}

fn rates() -> impl Strategy<Value = Rate> {
    let rate = (10_000..200_000_000_u64).prop_map(|b| BitRate::new(b).unwrap());
    let trace = prop::sample::select(vec!["1\n1\n30\n", "0 0.2\n0.05 40\n0.3 0\n"])
        .prop_map(|text| Rate::Trace(Arc::new(Trace::parse("test", text).unwrap())));
    let schedule = prop::sample::select(vec![
        "10mbit..100kbit over 300ms",
        "0bit for 20ms then 3mbit for 7ms then 1mbit..9mbit over 50ms repeat",
    ])
    .prop_map(|text| {
        Network::parse(&format!("rate {text} rtt 1ms"))
            .unwrap()
            .down
            .rate
    });
    prop_oneof![
        rate.clone().prop_map(Rate::Constant),
        (rate, 1_500..9_000_u32).prop_map(|(rate, burst)| Rate::TokenBucket { rate, burst }),
        schedule,
        trace,
    ]
}

fn limits() -> impl Strategy<Value = QueueLimit> {
    prop_oneof![
        (1..30_u32).prop_map(QueueLimit::Packets),
        (1_500..60_000_u64).prop_map(QueueLimit::Bytes),
    ]
}

fn queues() -> impl Strategy<Value = Queue> {
    let codel = || {
        let codel = (1..20_000_000_u64, 1..200_000_000_u64, limits());
        codel.prop_map(|(target, interval, limit)| CodelConfig {
            target: Duration::from_nanos(target),
            interval: Duration::from_nanos(interval),
            limit,
        })
    };
    let fq =
        (codel(), 256..4_000_u32).prop_map(|(codel, quantum)| FqCodelConfig { codel, quantum });
    prop_oneof![
        limits().prop_map(Queue::TailDrop),
        codel().prop_map(Queue::Codel),
        fq.prop_map(Queue::FqCodel),
    ]
}

fn delays() -> impl Strategy<Value = Delay> {
    let schedule = prop::sample::select(vec!["80ms..0ms over 500ms", "9ms for 1s then 50ms"])
        .prop_map(|text| {
            Network::parse(&format!("rate 1mbit delay {text}"))
                .unwrap()
                .down
                .delay
        });
    let constant = (0..200_000_000_u64).prop_map(|ns| Duration::from_nanos(ns).into());
    prop_oneof![2 => constant, 1 => schedule]
}

fn jitters() -> impl Strategy<Value = Option<Jitter>> {
    let distribution = prop::sample::select(vec![Distribution::Uniform, Distribution::Normal]);
    let jitter = (0..60_000_000_u64, distribution, any::<bool>());
    prop::option::of(jitter.prop_map(|(ns, distribution, reorder)| Jitter {
        spread: Duration::from_nanos(ns),
        distribution,
        reorder,
    }))
}

fn configs() -> impl Strategy<Value = LinkConfig> {
    let p =
        |range: std::ops::Range<u32>| range.prop_map(|b| Probability::from_billionths(b).unwrap());
    let loss = prop_oneof![
        Just(Loss::None),
        p(0..1_000_000_000).prop_map(Loss::Random),
        (p(1..500_000_000), 1.0..20.0_f64).prop_map(|(mean, length)| Loss::Burst { mean, length }),
    ];
    (rates(), delays(), jitters(), queues(), loss).prop_map(|(rate, delay, jitter, queue, loss)| {
        LinkConfig {
            rate,
            delay,
            jitter,
            queue,
            loss,
        }
    })
}

/// The gap in ns before a packet, its size, its flow, and whether to poll the link first.
fn operations() -> impl Strategy<Value = Vec<(u64, u32, u64, bool)>> {
    let gap = prop_oneof![
        Just(0_u64),
        0..100_000_u64,
        0..30_000_000_u64,
        0..2_000_000_000_u64
    ];
    prop::collection::vec((gap, 28..=1_500_u32, 0..3_u64, any::<bool>()), 1..120)
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
        let (mut offered_at, mut exits, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for (i, &(gap, size, flow, look)) in operations.iter().enumerate() {
            now += Duration::from_nanos(gap);
            while look && let Some(exit) = link.poll(now) {
                exits.push(exit);
            }
            offered_at.push(now);
            if let Err(dropped) = link.enqueue(now, size, flow, i) {
                prop_assert_eq!(dropped.payload, i);
                refused.push(i);
            }
            let c = link.counters();
            prop_assert_eq!(
                c.enqueued,
                c.delivered + c.lost + c.queue_drops + link.in_flight() as u64
            );
            match config.queue.limit() {
                QueueLimit::Packets(n) => prop_assert!(link.waiting_bytes() <= u64::from(n) * 1_500),
                QueueLimit::Bytes(n) | QueueLimit::Bdp { bytes: n, .. } => {
                    prop_assert!(link.waiting_bytes() <= n);
                }
            }
        }
        exits.extend(drain(&mut link, now));
        prop_assert_eq!((link.in_flight(), link.waiting_bytes()), (0, 0));
        let c = *link.counters();
        prop_assert_eq!(c.enqueued, operations.len() as u64);
        prop_assert_eq!(c.enqueued, c.delivered + c.lost + c.queue_drops);
        prop_assert_eq!(c.bytes_enqueued, c.bytes_delivered + c.bytes_lost + c.bytes_dropped);
        prop_assert_eq!((exits.len() + refused.len()) as u64, c.enqueued);
        if config.loss == Loss::None {
            prop_assert_eq!(c.lost, 0);
        }
        // Each packet has exactly one fate.
        let mut fates: Vec<usize> = exits.iter().map(|e| at_and_payload(e).1).collect();
        fates.extend(&refused);
        fates.sort_unstable();
        prop_assert_eq!(fates, (0..operations.len()).collect::<Vec<_>>());
        prop_assert!(exits.is_sorted_by_key(|e| at_and_payload(e).0));
        for exit in &exits {
            let (at, i) = at_and_payload(exit);
            match (crossing(exit), &config.delay, config.jitter) {
                (Some((crossed_at, _)), Delay::Constant(delay), None) => {
                    prop_assert_eq!(at, crossed_at + *delay);
                    prop_assert!(crossed_at >= offered_at[i]);
                }
                (Some((crossed_at, _)), _, _) => {
                    prop_assert!(crossed_at >= offered_at[i] && at >= crossed_at);
                }
                (None, _, _) => prop_assert!(at >= offered_at[i]),
            }
        }
        // Packets of a flow cross one after the other, in order.
        let mut crossings: Vec<_> = exits.iter().filter_map(crossing).collect();
        if !config.jitter.is_some_and(|j| j.reorder) {
            prop_assert!(crossings.is_sorted_by_key(|c| c.0));
        }
        crossings.sort_by_key(|&(at, i)| (at, i));
        for flow in 0..3 {
            let of_flow = |c: &&(Instant, usize)| {
                !matches!(config.queue, Queue::FqCodel(_)) || operations[c.1].2 == flow
            };
            prop_assert!(crossings.iter().filter(of_flow).is_sorted_by_key(|c| c.1));
        }
    }

    #[test]
    fn a_managed_queue_that_never_acts_is_a_plain_one(
        config in configs(),
        operations in operations(),
        fq in any::<bool>(),
    ) {
        let patient = CodelConfig {
            target: Duration::from_secs(3_600),
            limit: QueueLimit::Packets(1_000),
            ..CodelConfig::default()
        };
        let managed = if fq {
            Queue::FqCodel(FqCodelConfig { codel: patient, ..FqCodelConfig::default() })
        } else {
            Queue::Codel(patient)
        };
        let exits = |queue| {
            let mut link = link(&LinkConfig { queue, ..config.clone() });
            let (mut now, mut exits) = (Instant::ZERO, Vec::new());
            for (i, &(gap, size, _, look)) in operations.iter().enumerate() {
                now += Duration::from_nanos(gap);
                while look && let Some(exit) = link.poll(now) {
                    exits.push(exit);
                }
                link.enqueue(now, size, 0, i).expect("the queue is large");
            }
            exits.extend(drain(&mut link, now));
            exits
        };
        prop_assert_eq!(exits(managed), exits(QueueLimit::Packets(1_000).into()));
    }

    #[test]
    fn fair_queues_keep_the_bottleneck_as_busy_as_one_queue(
        bits in 10_000..200_000_000_u64,
        operations in operations(),
    ) {
        let patient = CodelConfig {
            target: Duration::from_secs(3_600),
            limit: QueueLimit::Packets(1_000),
            ..CodelConfig::default()
        };
        let fq = FqCodelConfig { codel: patient, ..FqCodelConfig::default() };
        let busy_until = |queue| {
            let rate = Rate::Constant(BitRate::new(bits).unwrap());
            let mut link = link(&LinkConfig { queue, ..config(rate) });
            let mut now = Instant::ZERO;
            for (i, &(gap, size, flow, _)) in operations.iter().enumerate() {
                now += Duration::from_nanos(gap);
                link.enqueue(now, size, flow, i).expect("the queue is large");
            }
            drain(&mut link, now).iter().filter_map(crossing).map(|c| c.0).max()
        };
        prop_assert_eq!(
            busy_until(Queue::FqCodel(fq)),
            busy_until(QueueLimit::Packets(1_000).into())
        );
    }

    #[test]
    fn a_constant_rate_is_kept_over_any_window(
        bits in 10_000..200_000_000_u64,
        burst in prop::option::of(1_500..9_000_u32),
        operations in operations(),
        managed in any::<bool>(),
    ) {
        let rate = BitRate::new(bits).unwrap();
        let rate = match burst {
            None => Rate::Constant(rate),
            Some(burst) => Rate::TokenBucket { rate, burst },
        };
        let mut config = config(rate);
        if managed {
            config.queue = Queue::FqCodel(FqCodelConfig::default());
        }
        let mut link = link(&config);
        let mut now = Instant::ZERO;
        for (i, &(gap, size, flow, _)) in operations.iter().enumerate() {
            now += Duration::from_nanos(gap);
            link.enqueue(now, size, flow, i).expect("the queue is large");
        }
        let exits: Vec<(u64, u64)> = drain(&mut link, now)
            .iter()
            .filter_map(crossing)
            .map(|(at, payload)| (at.as_nanos(), u64::from(operations[payload].1)))
            .collect();
        for (i, &(from, size)) in exits.iter().enumerate() {
            // Without a bucket, the first packet was served before the window.
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
