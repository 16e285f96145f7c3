//! Properties of managed queues under load: short queues and fairness between flows.

use super::*;

const MS: u64 = 1_000_000;

/// Returns the sorted times in ms that packets spent waiting and crossing.
fn sojourns(exits: &[(Instant, Instant)]) -> Vec<f64> {
    let mut waits: Vec<f64> = exits
        .iter()
        .map(|(offered, crossed)| crossed.since(*offered).as_millis_f64())
        .collect();
    waits.sort_by(f64::total_cmp);
    waits
}

/// Simulates a greedy sender with Reno's congestion window on 10 Mbit/s and 40 ms for 30 s.
/// Returns the times at which packets were offered and crossed, without the first 5 s.
fn load(queue: &str) -> Vec<(Instant, Instant)> {
    let network = format!("rate 10mbit delay 40ms delay-up 0ms queue {queue}");
    let mut link = link(&Network::parse(&network).unwrap().down);
    let mut offered: Vec<Instant> = Vec::new();
    let (mut window, mut in_flight, mut recover) = (10.0_f64, 0_u32, 0);
    let mut crossed = Vec::new();
    let mut now = Instant::ZERO;
    while now.as_nanos() < 30_000 * MS {
        while f64::from(in_flight) < window {
            let i = offered.len();
            offered.push(now);
            if link.enqueue(now, 1_500, 0, i).is_err() {
                // A real sender detects the loss a round trip later; reacting at once is
                // the harder case.
                (window, recover) = halved(window, recover, i, offered.len());
                break;
            }
            in_flight += 1;
        }
        now = link.next_at().expect("something is in flight");
        match link.poll(now) {
            Some(Exit::Delivered {
                crossed_at,
                payload,
                ..
            }) => {
                in_flight -= 1;
                window += 1.0 / window;
                crossed.push((offered[payload], crossed_at));
            }
            Some(Exit::Dropped { payload, .. }) => {
                in_flight -= 1;
                (window, recover) = halved(window, recover, payload, offered.len());
            }
            Some(Exit::Lost { .. }) => unreachable!("nothing is lost here"),
            None => {}
        }
    }
    crossed.retain(|(offered, _)| offered.as_nanos() > 5_000 * MS);
    crossed
}

/// Halves the window at most once per window: drops of packets sent before the last
/// halving are ignored.
fn halved(window: f64, recover: usize, dropped: usize, sent: usize) -> (f64, usize) {
    if dropped < recover {
        (window, recover)
    } else {
        ((window / 2.0).max(2.0), sent)
    }
}

#[test]
fn codel_keeps_a_short_queue_where_tail_drop_fills_its_own() {
    let median = |exits: &[_]| sojourns(exits)[exits.len() / 2];
    // 200 packets take 240 ms.
    let plain = load("200p");
    assert!(median(&plain) > 150.0, "{}", median(&plain));
    for managed in ["codel", "fq-codel"] {
        let exits = load(managed);
        // The target, plus 1.2 ms to transmit the packet itself.
        assert!(median(&exits) < 6.2, "{managed}: {}", median(&exits));
        let worst = sojourns(&exits)[exits.len() - 1];
        assert!(worst < 50.0, "{managed}: {worst}");
        // The bottleneck is still well used: 20,833 packets fit into 25 s.
        assert!(exits.len() > 18_000, "{managed}: {}", exits.len());
    }
}

/// Offers the packets of `flows`, (flow, size, gap in ns), for ten seconds, and returns
/// the packets that crossed for each flow.
fn compete(network: &str, flows: &[(u64, u32, u64)]) -> Vec<Vec<(Instant, Instant)>> {
    let mut link = Link::new(&Network::parse(network).unwrap().down, Rng::new(1, "link"));
    let mut arrivals: Vec<(u64, usize)> = Vec::new();
    for (i, &(_, _, gap)) in flows.iter().enumerate() {
        arrivals.extend((0..10_000 * MS / gap).map(|n| (n * gap, i)));
    }
    arrivals.sort_unstable();
    let mut crossed = vec![Vec::new(); flows.len()];
    let mut take = |exit| {
        if let Exit::Delivered {
            crossed_at,
            payload: (i, offered),
            ..
        } = exit
        {
            let flow: &mut Vec<_> = &mut crossed[i];
            flow.push((offered, crossed_at));
        }
    };
    for (at, i) in arrivals {
        let at = Instant::from_nanos(at);
        while let Some(exit) = link.poll(at) {
            take(exit);
        }
        let (flow, size, _) = flows[i];
        let _ = link.enqueue(at, size, flow, (i, at));
    }
    crossed
}

#[test]
fn a_sparse_flow_sees_no_queue_beside_a_bulk_flow() {
    // 12 Mbit/s on a link of 10 Mbit/s, and 100 bytes every 20 ms.
    let flows = [(1, 1_500, MS), (2, 100, 20 * MS)];
    let mut fair = compete("rate 10mbit delay 1ms queue fq-codel", &flows);
    let plain = compete("rate 10mbit delay 1ms queue 300kb", &flows);
    // The bulk flow is still new when the first small packet arrives.
    fair[1].remove(0);
    // At worst a full packet is in service (1.2 ms), and the packet itself takes 0.08 ms.
    let worst = sojourns(&fair[1])[fair[1].len() - 1];
    assert!(worst <= 1.28, "{worst}");
    assert!(fair[1].len() >= 498);
    let median = sojourns(&plain[1])[plain[1].len() / 2];
    assert!(median > 200.0, "{median}");
}

#[test]
fn bulk_flows_share_equally_by_bytes() {
    // Each flow alone would fill 10 Mbit/s.
    let flows = [(7, 1_500, MS), (9, 400, MS / 4)];
    let fair = compete("rate 10mbit delay 1ms queue fq-codel", &flows);
    let bytes = [fair[0].len() * 1_500, fair[1].len() * 400];
    // Allows a turn of difference and the packets left in the queues at the end.
    assert!(bytes[0].abs_diff(bytes[1]) <= 3 * 1_514, "{bytes:?}");
    assert!(bytes[0] + bytes[1] > 12_400_000, "{bytes:?}");
}

#[test]
fn a_full_fair_queue_drops_from_the_flow_that_fills_it() {
    // The target and interval are so long that only the limit acts.
    let network = "rate 1mbit delay 1ms queue fq-codel target 100s interval 1000s limit 20p";
    let config = Network::parse(network).unwrap().down;
    let mut link = link(&config);
    for i in 0..20 {
        link.enqueue(Instant::ZERO, 1_500, 1, i).unwrap();
    }
    // The new flow's packet stays, and half of the other flow's waiting bytes are dropped.
    link.enqueue(Instant::ZERO, 100, 2, 99).unwrap();
    let dropped: Vec<usize> = std::iter::from_fn(|| link.poll(Instant::ZERO))
        .map(|exit| match exit {
            Exit::Dropped {
                at: Instant::ZERO,
                payload,
            } => payload,
            other => panic!("{other:?}"),
        })
        .collect();
    // The first packet is in service; 14,250 bytes of the other 19 are dropped.
    assert_eq!(dropped, (1..=10).collect::<Vec<_>>());
    assert_eq!((link.counters().queue_drops, link.in_flight()), (10, 11));
    let order: Vec<usize> = drain(&mut link, Instant::ZERO)
        .iter()
        .map(|e| at_and_payload(e).1)
        .collect();
    // Flow 1 has 14 bytes of its first turn left, so packet 11 is still ahead of 99.
    assert_eq!(order[..4], [0, 11, 99, 12]);
}

#[test]
fn a_full_codel_queue_refuses_what_does_not_fit() {
    let config = Network::parse("rate 1mbit delay 1ms queue codel limit 2p").unwrap();
    let mut link = link(&config.down);
    link.enqueue(Instant::ZERO, 1_500, 0, 0).unwrap();
    link.enqueue(Instant::ZERO, 1_500, 0, 1).unwrap();
    let refused = link.enqueue(Instant::ZERO, 1_500, 0, 2);
    assert_eq!(refused, Err(Dropped { payload: 2 }));
    assert_eq!(link.counters().queue_drops, 1);
    // At 12 ms the first packet has crossed and makes room.
    link.enqueue(Instant::from_nanos(12 * MS), 1_500, 0, 3)
        .unwrap();
}
