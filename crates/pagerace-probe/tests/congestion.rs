//! Probes of simulated congestion controllers, behind a path that is not the model's.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

use std::collections::BTreeMap;
use std::convert::Infallible;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_net::Network;
use pagerace_probe::congestion::shape::{losses_of_path, rate_of_path};
use pagerace_probe::congestion::{
    Fetch, Model, SCALE, STACKS, Shape, Watched, controllers, observe, trials, watch_tcp,
};
use pagerace_probe::http2::{self, Line, PIECE_MAX};
use pagerace_probe::model::Expected;
use pagerace_probe::plan::{Object, facts};
use pagerace_probe::trace::End;
use pagerace_probe::world::{Served, ServedSite, World, play, watch, watch_losing};
use pagerace_probe::{Budget, Subject, Verdict, judge};

const LENGTH: u64 = 300_000;

/// Round trip of the path.
const RTT: Duration = Duration::from_millis(30);

const BOTH: [Protocol; 2] = [Protocol::H2, Protocol::H3];

fn world(controller: &str) -> World {
    World {
        network: Network::parse("rate 40mbit rtt 30ms queue 200p").unwrap(),
        site: ServedSite(vec![Served {
            path: "/".to_owned(),
            length: LENGTH,
            media_type: "image/png".to_owned(),
            facts: facts("image/png"),
            think_time: Duration::from_millis(3),
        }]),
        congestion: controller.to_owned(),
        mtu: 1_252,
        strategy: "fifo".parse().unwrap(),
    }
}

/// The path of surveys over HTTP/2.
fn line() -> Line {
    Line {
        rtt: RTT,
        jitter: Duration::ZERO,
        site: world("reno").site,
        strategy: world("reno").strategy,
        piece_max: PIECE_MAX,
    }
}

fn fetches(requests: usize) -> [Fetch; 2] {
    trials(RTT).map(|trial| Fetch {
        trial,
        path_rtt: RTT,
        path: "/".to_owned(),
        length: LENGTH,
        requests,
        patience: None,
    })
}

fn watched(protocol: Protocol, controller: &str, requests: usize) -> Vec<Watched> {
    let world = world(controller);
    let each = fetches(requests).into_iter().map(|fetch| match protocol {
        Protocol::H3 => watch(&world, fetch, 5),
        _ => watch_tcp(&world, fetch, 5, &[]),
    });
    each.collect()
}

fn model(protocol: Protocol, watched: &[Watched]) -> Model {
    Model {
        protocol,
        object: Object {
            path: "/".to_owned(),
            length: LENGTH,
            ranges: false,
            media_type: "image/png".to_owned(),
            server: String::new(),
            think_time: Duration::from_millis(3),
        },
        path_rtt: RTT,
        rtt: RTT,
        rate: watched
            .iter()
            .map(|w| rate_of_path(&w.offered))
            .max()
            .unwrap(),
        losses: watched.iter().map(|w| losses_of_path(&w.offered)).collect(),
        mtu: watched.iter().map(|w| w.mtu).max().unwrap(),
        seed: 1,
    }
}

type Entry = (&'static str, Expected);

fn simulate(model: &Model, candidates: &[&'static str]) -> Vec<Entry> {
    let expect = |name: &&'static str| (*name, model.expect(name, &trials(RTT)));
    candidates.iter().map(expect).collect()
}

fn verdict(watched: &[Watched], entries: &[Entry]) -> Verdict<&'static str> {
    let trials = trials(RTT);
    let shapes = trials.iter().zip(watched);
    let values: Vec<_> = shapes
        .map(|(trial, w)| Shape::of(trial, &w.offered).values())
        .collect();
    judge(&values, entries, &SCALE)
}

#[test]
fn controllers_are_found_over_quic() {
    all_are_found(Protocol::H3);
}

#[test]
fn controllers_are_found_over_tcp() {
    all_are_found(Protocol::H2);
}

fn all_are_found(protocol: Protocol) {
    // Truths of the same measurements have the same candidates.
    let mut simulated = BTreeMap::new();
    for truth in ["bbr", "cubic-rfc9438", "cubic-hystart", "reno", "vegas"] {
        let watched = watched(protocol, truth, 100);
        let complete = watched.iter().all(|w| w.end == End::Complete);
        assert!(complete, "{protocol} {truth}");
        let model = model(protocol, &watched);
        let entries = simulated
            .entry((model.rate, model.losses.clone()))
            .or_insert_with(|| simulate(&model, &controllers(protocol)));
        let verdict = verdict(&watched, entries);
        let answer = verdict.answer().map(|group| &group.members);
        assert!(
            answer.is_some_and(|members| members.contains(&truth)),
            "{protocol}: {truth} is taken for {answer:?}"
        );
    }
}

#[test]
fn a_controller_that_is_no_candidate_is_unknown() {
    for protocol in BOTH {
        let mut others = controllers(protocol);
        others.retain(|name| *name != "vegas");
        let watched = watched(protocol, "vegas", 100);
        let entries = simulate(&model(protocol, &watched), &others);
        let verdict = verdict(&watched, &entries);
        assert!(verdict.answer().is_none(), "{protocol}: {verdict:?}");
    }
}

/// Two of twelve repeats are of another kind. A stranger between the kinds is near neither.
#[test]
fn a_stranger_between_two_kinds_of_repeats_is_far() {
    let repeat = |value: f64| vec![vec![value; 4]];
    let repeats: Vec<_> = (0..12)
        .map(|i| repeat(f64::from(i < 2) + 0.001 * f64::from(i)))
        .collect();
    let expected = Expected::each(&repeats, SCALE.worst);
    for kind in [0.0, 1.0] {
        assert!(expected.distance(&repeat(kind), SCALE.worst) < 0.5);
    }
    assert!(expected.distance(&repeat(0.5), SCALE.worst) > SCALE.far);
}

#[test]
fn packets_are_those_of_the_bottleneck() {
    for protocol in BOTH {
        let watched = watched(protocol, "reno", 100);
        let [delay, loss] = trials(RTT);
        // Nothing is lost but what the queue drops.
        for one in &watched {
            assert!(losses_of_path(&one.offered).len() <= 1);
            assert!(one.offered.windows(2).all(|pair| pair[0].at <= pair[1].at));
            assert!(one.mtu >= 1_200 && one.payload > 0);
        }
        for (trial, one) in [(&delay, &watched[0]), (&loss, &watched[1])] {
            // The data in flight is at most what fills path and queue.
            let flight = Shape::of(trial, &one.offered).flight;
            let packet = f64::from(one.mtu) + 28.0;
            let most = trial.rate as f64 / 8.0 * trial.rtt.as_secs_f64() / packet;
            let most = most + f64::from(trial.queue) + 3.0;
            assert!(flight.iter().all(|packets| *packets <= most));
            assert!(one.time >= trial.time && one.time < trial.time + trial.rtt);
        }
    }
}

/// The first loss ends slow start before the queue drops anything. Of the second ones, some hit its
/// repair, which leaves no gap in the stream.
#[test]
fn losses_of_repairs_are_seen() {
    let [_, fetch] = fetches(100);
    let first = Instant::ZERO + Duration::from_millis(340);
    for (protocol, later) in BOTH
        .into_iter()
        .flat_map(|p| (8..260).step_by(8).map(move |ms| (p, ms)))
    {
        let losses = [first, first + Duration::from_millis(later)];
        let watch = match protocol {
            Protocol::H3 => watch_losing,
            _ => watch_tcp,
        };
        let watched = watch(&world("reno"), fetch.clone(), 5, &losses);
        let seen = losses_of_path(&watched.offered).len();
        assert_eq!(seen, 2, "{protocol}: {later} ms");
    }
}

/// One repeat has the path as it was measured, and no jitter. Over TCP, nothing else is random but
/// the phases of BBR; QUIC leaves out random numbers of packets.
#[test]
fn a_repeat_is_the_measured_path() {
    for protocol in BOTH {
        let stacks = STACKS.iter().filter(|_| protocol == Protocol::H3);
        let stacks = stacks.map(|(name, _)| *name);
        for truth in ["bbr", "cubic-hystart", "reno"].into_iter().chain(stacks) {
            let watched = watched(protocol, truth, 100);
            let entries = simulate(&model(protocol, &watched), &[truth]);
            let verdict = verdict(&watched, &entries);
            let distance = verdict.groups[0].distance;
            let exact = protocol == Protocol::H2 && truth != "bbr";
            let most = if exact { 0.01 } else { 0.5 };
            assert!(distance < most, "{protocol}: {truth} at {distance:.2}");
        }
    }
}

/// Longest wait of a client on the path before the first response, thinking included.
const PATIENCE: Duration = Duration::from_millis(140);

/// Plays a trial on a path that loses packets of the server.
fn lossy(protocol: Protocol, percent: f64, fetch: Fetch, seed: u64) -> Watched {
    let network = format!("rate 40mbit rtt 30ms loss {percent}% loss-up 0% queue 200p");
    let world = World {
        network: Network::parse(&network).unwrap(),
        ..world("reno")
    };
    match protocol {
        Protocol::H3 => watch(&world, fetch, seed),
        _ => watch_tcp(&world, fetch, seed, &[]),
    }
}

/// Plays the first trial on such a path.
fn begun(protocol: Protocol, percent: f64, patience: Option<Duration>, seed: u64) -> Watched {
    let [fetch, _] = fetches(100);
    lossy(protocol, percent, Fetch { patience, ..fetch }, seed)
}

/// Time of the fifth large packet, which is one of the first response: the handshake has at most
/// four.
fn fifth(watched: &Watched) -> Instant {
    let large = watched.offered.iter().filter(|p| p.size > 700);
    large.map(|p| p.at).nth(4).unwrap()
}

#[test]
fn a_lost_packet_of_the_handshake_ends_a_trial_that_may_begin_anew() {
    for protocol in BOTH {
        let on_time = fifth(&begun(protocol, 0.0, None, 5));
        let clean = begun(protocol, 0.0, Some(PATIENCE), 5);
        assert!(!clean.disturbed, "{protocol}");
        let (mut late, mut ended) = (0, 0);
        for seed in 0..60 {
            let free = begun(protocol, 4.0, None, seed);
            let watched = begun(protocol, 4.0, Some(PATIENCE), seed);
            let is_late = fifth(&free) > on_time + Duration::from_millis(60);
            assert!(watched.disturbed || !is_late, "{protocol} {seed}");
            // A loss ended it: without one, nothing is late and no byte is missing.
            let missing = losses_of_path(&free.offered);
            let early = missing
                .iter()
                .any(|loss| loss.after < fifth(&free) + RTT * 4);
            assert!(!watched.disturbed || is_late || early, "{protocol} {seed}");
            late += u32::from(is_late);
            ended += u32::from(watched.disturbed);
            assert!(!watched.disturbed || watched.payload < 64 << 10);
        }
        assert!(
            late >= 5 && ended < 45,
            "{protocol}: {late} and {ended} of 60"
        );
    }
}

/// The trial that began badly leaves nothing in the result, and a path that always loses packets is
/// probed as it is.
#[test]
fn a_trial_whose_handshake_lost_a_packet_begins_anew() {
    for protocol in BOTH {
        let is_bad = |seed: &u64| begun(protocol, 4.0, Some(PATIENCE), *seed).disturbed;
        let bad = (0..99).find(is_bad);
        for (bad_ones, connections) in [(0, 3), (1, 4), (9, 6)] {
            let mut asked = Vec::new();
            let subject = ["/".to_owned()];
            let flights = observe(
                protocol,
                Subject::Objects(&subject),
                &Budget::default(),
                |job| {
                    Ok::<_, Infallible>(match protocol {
                        Protocol::H3 => play(&world("reno"), job, 1),
                        _ => http2::play(&line(), job, 1),
                    })
                },
                |fetch| {
                    asked.push(fetch.patience.is_some());
                    let (percent, seed) = if asked.len() <= bad_ones {
                        (4.0, bad.unwrap())
                    } else {
                        (0.0, 5)
                    };
                    Ok(lossy(protocol, percent, fetch, seed))
                },
            )
            .unwrap();
            assert_eq!(flights.used.connections, connections, "{protocol}");
            let patient = asked.iter().filter(|patient| **patient).count();
            assert_eq!(patient, 3.min(bad_ones + 2), "{protocol}");
            if bad_ones < 2 {
                assert!(losses_of_path(&flights.watched[0].offered).is_empty());
                assert!(
                    flights
                        .watched
                        .iter()
                        .all(|w| !w.disturbed && w.end == End::Complete)
                );
            }
        }
    }
}

/// The survey's handshake waited, so those of the trials tell the path's round trip.
#[test]
fn the_round_trip_is_the_shortest_of_all_handshakes() {
    let subject = ["/".to_owned()];
    let slow = World {
        network: Network::parse("rate 40mbit rtt 45ms queue 200p").unwrap(),
        ..world("reno")
    };
    let flights = observe(
        Protocol::H3,
        Subject::Objects(&subject),
        &Budget::default(),
        |job| Ok::<_, Infallible>(play(&slow, job, 1)),
        |fetch| Ok(watch(&world("reno"), fetch, 1)),
    )
    .unwrap();
    let ms = |rtt: Duration| rtt.as_millis_f64();
    assert!((45.0..50.0).contains(&ms(flights.path_rtt)));
    assert!((30.0..35.0).contains(&ms(flights.rtt)));
    // The bottlenecks were already chosen.
    let model = flights.model(1);
    assert_eq!((model.path_rtt, model.rtt), (flights.path_rtt, flights.rtt));
}

#[test]
fn a_budget_of_requests_ends_a_trial() {
    for protocol in BOTH {
        let watched = watched(protocol, "cubic-rfc9438", 3);
        assert!(watched.iter().all(|w| w.end == End::Limit("requests")));
        assert!(watched.iter().all(|w| w.requests == 3));
    }
}
