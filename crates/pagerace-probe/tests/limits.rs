//! Servers that a probe cannot use, and hostile ones.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

#[cfg(target_os = "linux")]
#[path = "support/peak.rs"]
mod peak;
mod support;

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::BytesMut;
use pagerace_core::{Duration, Instant, Protocol, Rng};
use pagerace_delivery::StrategySpec;
use pagerace_probe::Play as _;
use pagerace_probe::world::{play, play_tampered};
use pagerace_probe::{
    Behaviour, Budget, Candidate, End, Heeded, Job, Model, Observed, Path, PlanError, Player,
    ProbeError, SCHEDULERS, Server, Shape, Sharing, Subject, Trace, Used, judge, observe, plan,
};
use pagerace_transport::quic::frame::{Frame, frames};
use pagerace_transport::quic::keys::FlightSizes;
use pagerace_transport::quic::{ClientKeys, Epoch};
use support::{probe, site, world};

const PATH: &str = "rate 30mbit rtt 20ms queue 200p";

fn refused(length: u64, budget: Budget) -> ProbeError<Infallible> {
    let world = world("fifo".parse().unwrap(), PATH, site(1, length));
    let paths = ["/0".to_owned()];
    observe(Protocol::H3, Subject::Objects(&paths), &budget, |job| {
        Ok(play(&world, job, 1))
    })
    .unwrap_err()
}

#[test]
fn small_objects_and_small_budgets_are_refused() {
    let error = refused(5_000, Budget::default());
    assert!(matches!(
        error,
        ProbeError::Plan(PlanError::Small { length: 5_000, .. })
    ));
    let few = Budget {
        requests: 20,
        ..Budget::default()
    };
    let error = refused(100_000, few);
    assert!(
        matches!(
            error,
            ProbeError::Plan(PlanError::Requests { allowed: 20, .. })
        ),
        "{error}"
    );
}

#[test]
fn a_missing_object_is_named() {
    let world = world("fifo".parse().unwrap(), PATH, site(1, 100_000));
    let paths = ["/9".to_owned()];
    let error = observe(
        Protocol::H3,
        Subject::Objects(&paths),
        &Budget::default(),
        |job| Ok::<_, Infallible>(play(&world, job, 1)),
    );
    let text = error.unwrap_err().to_string();
    assert_eq!(
        text,
        "/9 is answered with 404; give the URL of an object that exists"
    );
}

/// A redirect is not followed, wherever it leads.
#[test]
fn a_redirect_is_named() {
    let world = world("fifo".parse().unwrap(), PATH, site(1, 100_000));
    let paths = ["/0".to_owned()];
    let job = plan::survey(&paths, &Budget::default(), Protocol::H3);
    let mut trace = play(&world, job, 1);
    let head = trace.heads[0].as_mut().unwrap();
    (head.status, head.location) = (302, "/0".to_owned());
    let error = plan::objects(&paths, &trace).unwrap_err().to_string();
    let expected = "/0 is answered with 302 and leads to \"/0\"; probe that URL instead";
    assert_eq!(error, expected);
}

/// Probes an object of a gigabyte from a server that ignores ranges.
fn endless(budget: &Budget) -> Observed {
    let world = world("eps".parse().unwrap(), PATH, site(1, 1 << 30));
    let paths = ["/0".to_owned()];
    let mut connections = 0;
    let whole = |mut job: Job| {
        for target in &mut job.targets {
            target.range = None;
        }
        connections += 1;
        Ok::<_, Infallible>(play(&world, job, connections))
    };
    observe(Protocol::H3, Subject::Objects(&paths), budget, whole).unwrap()
}

#[test]
fn endless_responses_end_at_the_limit_of_bytes() {
    let budget = Budget::default();
    let observed = endless(&budget);
    assert!(!observed.objects[0].ranges);
    // Each connection may pass its share by what is under way.
    let slack = 100_000 * observed.used.connections as u64;
    assert!(
        observed.used.bytes <= budget.bytes + slack,
        "{:?}",
        observed.used
    );
    assert!(observed.used.requests <= budget.requests);
    assert!(observed.used.time <= budget.time);
}

/// One head comes late, and the other object's bytes use much of the budget until then.
#[test]
fn the_survey_and_the_scripts_share_one_budget() {
    let network = "rate 3mbit rtt 20ms queue 200p";
    let mut site = site(2, 1 << 30);
    site.0[1].length = 100_000;
    site.0[1].think_time = Duration::from_secs(8);
    let paths = site.0.iter().map(|o| o.path.clone()).collect::<Vec<_>>();
    let world = world("round-robin".parse().unwrap(), network, site);
    for (bytes, seconds) in [(6_000_000, 60), (100_000_000, 20)] {
        let budget = Budget {
            bytes,
            time: Duration::from_secs(seconds),
            ..Budget::default()
        };
        let (mut seed, mut survey) = (0, None);
        let observed = observe(
            Protocol::H3,
            Subject::Objects(&paths),
            &budget,
            |mut job| {
                for target in &mut job.targets {
                    target.range = None;
                }
                seed += 1;
                let trace = play(&world, job, seed);
                survey.get_or_insert((trace.received, trace.ended));
                Ok::<_, Infallible>(trace)
            },
        );
        let used = observed.unwrap().used;
        let (flood, ended) = survey.unwrap();
        assert!(flood > 2_000_000 && ended.since_start() >= Duration::from_secs(8));
        // Each connection may pass its limit by a datagram.
        let slack = 1_500 * used.connections as u64;
        assert!(used.bytes <= bytes + slack, "{used:?}");
        assert!(used.time <= budget.time, "{used:?}");
    }
}

/// Datagrams that are no packets count, too.
#[test]
fn datagrams_without_responses_end_at_the_limit_of_bytes() {
    let budget = Budget {
        bytes: 600_000,
        ..Budget::default()
    };
    let server = Server {
        remote: SocketAddr::from(([192, 0, 2, 1], 443)),
        name: "probe.example".to_owned(),
        authority: "probe.example".to_owned(),
    };
    let job = plan::survey(&["/0".to_owned()], &budget, Protocol::H3);
    let keys = ClientKeys::Null(FlightSizes::default());
    let now = Instant::ZERO;
    let mut player = Player::connect(job, &server, keys, 1, now, Epoch::new()).unwrap();
    let mut sent = 0;
    while !player.is_over() {
        assert!(sent < 2_000_000, "the limit does not hold");
        player.handle_packet(now, BytesMut::zeroed(1_200));
        sent += 1_200;
    }
    let trace = player.finish();
    assert_eq!((trace.end, trace.received), (End::Limit("bytes"), 0));
    assert_eq!(trace.payload, sent);
    // One and a half times the limit, 64 KiB, and a datagram.
    let allowed = 900_000 + 65_536..900_000 + 65_536 + 1_200 + 3;
    assert!(allowed.contains(&sent), "{sent}");
}

/// The third connection finds the object gone.
#[test]
fn error_responses_give_no_verdict() {
    let here = world("fifo".parse().unwrap(), PATH, site(1, 100_000));
    let gone = world("fifo".parse().unwrap(), PATH, site(0, 0));
    let mut connections = 0;
    let error = observe(
        Protocol::H3,
        Subject::Objects(&["/0".to_owned()]),
        &Budget::default(),
        |job| {
            connections += 1;
            let world = if connections < 3 { &here } else { &gone };
            Ok::<_, Infallible>(play(world, job, connections))
        },
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "the script urgency failed: /0 was answered with 404; wait, or probe a server of yours"
    );
}

/// Lengths beyond QUIC's integers, and a path of less than a bit per second.
#[test]
fn extreme_measurements_can_be_simulated() {
    let world = world("fifo".parse().unwrap(), PATH, site(1, 100_000));
    let observed = probe(&world, None, 1);
    let candidate = Candidate {
        strategy: "fifo".parse().unwrap(),
        ear: pagerace_probe::candidate::Ear::ALL,
    };
    let model = Model {
        repeats: 2,
        ..observed.model(1)
    };
    let finite = |model: &Model| {
        let expected = model.expect(&candidate);
        assert!(expected.spread.is_finite(), "{expected:?}");
    };
    let mut long = model.clone();
    long.objects[0].length = u64::MAX;
    finite(&long);
    finite(&Model {
        path: Path {
            rate: 0.01,
            ..model.path
        },
        ..model
    });
}

/// Budgets that end the scripts sooner and sooner. What was seen is true, and the rest unknown.
#[test]
fn small_budgets_cost_answers_and_cause_no_wrong_ones() {
    let all = ["eps", "fifo", "round-robin"];
    let mut answers = 0;
    let mut silent = 0;
    for (i, name) in all.iter().enumerate() {
        let world = world(name.parse().unwrap(), PATH, site(1, 100_000));
        let with = |bytes, time| {
            let budget = Budget {
                bytes,
                time: Duration::from_millis(time),
                ..Budget::default()
            };
            let mut seed = 100 * i as u64;
            observe(
                Protocol::H3,
                Subject::Objects(&["/0".to_owned()]),
                &budget,
                |job| {
                    seed += 1;
                    Ok::<_, Infallible>(play(&world, job, seed))
                },
            )
            .unwrap()
        };
        let whole = Behaviour::of(&with(6_000_000, 60_000));
        for (bytes, time) in [
            (2_000_000, 60_000),
            (1_200_000, 60_000),
            (600_000, 60_000),
            (100_000, 60_000),
            (20_000, 60_000),
            (6_000_000, 2_500),
            (6_000_000, 300),
        ] {
            let observed = with(bytes, time);
            assert!(
                observed
                    .traces
                    .iter()
                    .any(|t| matches!(t.end, End::Limit(_)))
            );
            let cut = Behaviour::of(&observed);
            let case = format!("{name}, {bytes} bytes, {time} ms");
            assert!(
                cut.plain == whole.plain || cut.plain == Sharing::Unseen,
                "{case}: {cut}"
            );
            let signals = |b: &Behaviour| [b.field, b.incremental, b.before, b.after, b.in_flight];
            for (cut, whole) in signals(&cut).into_iter().zip(signals(&whole)) {
                assert!(
                    cut == whole || cut == Heeded::Unseen,
                    "{case}: {cut}, not {whole}"
                );
            }
            if !observed.unseen().is_empty() {
                silent += 1;
                continue;
            }
            let model = Model {
                repeats: 3,
                ..observed.model(1)
            };
            let each = StrategySpec::defaults().into_iter().map(|strategy| {
                let ear = pagerace_probe::candidate::Ear::ALL;
                let candidate = Candidate { strategy, ear };
                (candidate.clone(), model.expect(&candidate))
            });
            let verdict = judge(&observed.values(), &each.collect::<Vec<_>>(), &SCHEDULERS);
            if let Some(group) = verdict.answer() {
                let mut members = group.members.iter().map(ToString::to_string);
                assert!(members.any(|m| m == *name), "{case}: {group:?}");
                answers += 1;
            }
        }
    }
    println!("{answers} answers, {silent} without a byte");
    assert!(answers > 0 && silent > 0);
}

/// A path that loses everything after the handshake's time: the survey gives up.
#[test]
fn silence_ends_at_the_limit_of_time() {
    let world = world(
        "eps".parse().unwrap(),
        "rate 1mbit rtt 20ms loss 100%",
        site(1, 100_000),
    );
    let budget = Budget {
        time: Duration::from_secs(5),
        ..Budget::default()
    };
    let paths = ["/0".to_owned()];
    let trace = play(&world, plan::survey(&paths, &budget, Protocol::H3), 1);
    assert_eq!(trace.ended.since_start(), budget.time);
    let error = plan::objects(&paths, &trace).unwrap_err().to_string();
    assert!(error.contains("within the limit of time"), "{error}");
}

/// Surveys a server whose answer is a field section of 16 kB that means 1.6 MB.
fn bombed() -> Trace {
    // HEADERS of 16,000 bytes (RFC 9204, section 4.5): no dynamic table, :status 200, and
    // strict-transport-security with its longest value.
    let mut bomb = vec![1, 0x7e, 0x80, 0, 0, 0xd9];
    bomb.resize(3 + 16_000, 0xfa);
    let world = world("fifo".parse().unwrap(), PATH, site(1, 100_000));
    let job = plan::survey(&["/0".to_owned()], &Budget::default(), Protocol::H3);
    let mut sent = false;
    let trace = play_tampered(&world, job, 1, |data| {
        // Packets with a short header (RFC 9000, section 17.3.1), a connection ID of eight bytes
        // and a tag of sixteen.
        let begin = 1 + 8 + usize::from(data[0] & 3) + 1;
        if sent || data[0] & 0x80 != 0 || data.len() < begin + 16 {
            return;
        }
        let end = data.len() - 16;
        let mut frames = frames(&data[begin..end]);
        if !frames.any(|frame| matches!(frame, Frame::Stream(part) if part.id == 0)) {
            return;
        }
        let tag = data.split_off(end);
        data.truncate(begin);
        // STREAM with a length: stream 0, an integer of two bytes.
        data.extend_from_slice(&[0x0a, 0]);
        data.extend_from_slice(&(bomb.len() as u16 | 0x4000).to_be_bytes());
        data.extend_from_slice(&bomb);
        data.extend_from_slice(&tag);
        sent = true;
    });
    assert!(sent, "{:?}", trace.end);
    trace
}

#[test]
fn a_compression_bomb_is_an_error_of_one_line() {
    let trace = bombed();
    assert!(trace.payload < 40_000, "{}", trace.payload);
    let error = plan::objects(&["/0".to_owned()], &trace)
        .unwrap_err()
        .to_string();
    assert!(error.contains("/0 failed with error 0x"), "{error}");
    assert!(!error.contains('\n') && error.len() < 200, "{error}");
}

/// Random bytes in frames, streams and header sections. Packets have no checksum here, so the
/// parsers get them all.
#[test]
fn malformed_packets_end_within_the_limits() {
    let world = world("round-robin".parse().unwrap(), PATH, site(2, 60_000));
    let paths = ["/0".to_owned(), "/1".to_owned()];
    let budget = Budget::default();
    let survey = play(&world, plan::survey(&paths, &budget, Protocol::H3), 1);
    let objects = plan::objects(&paths, &survey).unwrap();
    let jobs = plan::jobs(
        &objects,
        survey.connect,
        &budget,
        &Used::default(),
        Protocol::H3,
    )
    .unwrap();
    let mut ends = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut rng = Rng::new(seed, "tamper");
        let rarely = 0.002 + 0.3 * rng.unit() * rng.unit();
        let job = jobs[seed as usize % jobs.len()].clone();
        let limits = job.limits;
        let trace = play_tampered(&world, job, seed, |data| {
            // The beginning of a packet is its header, which QUIC protects on its own.
            while rng.chance(rarely) && data.len() > 20 {
                let at = 10 + rng.below(data.len() as u64 - 10) as usize;
                data[at] = rng.below(256) as u8;
            }
        });
        assert!(trace.ended.since_start() <= limits.time, "seed {seed}");
        assert!(trace.counted() <= limits.bytes + 1_500, "seed {seed}");
        ends.insert(std::mem::discriminant(&trace.end) == std::mem::discriminant(&End::Complete));
        // Whatever arrived can be described.
        let values = Shape::of(&jobs[seed as usize % jobs.len()], &trace).values();
        assert!(values.iter().all(|value| value.is_finite()), "seed {seed}");
    }
    assert_eq!(ends.len(), 2, "some scripts survive and some do not");
}

/// The bounds hold for the client and the simulated server together.
#[cfg(target_os = "linux")]
#[test]
fn hostile_servers_cost_bounded_memory() {
    // An endless response costs the trace 40 bytes for each packet.
    for (attack, most) in [("bomb", 1_000_000), ("endless", 4_000_000)] {
        let bytes = peak::of("a_probe_in_a_process_of_its_own", attack);
        println!("{attack}: {bytes}");
        assert!(bytes < most, "{attack}: {bytes} bytes");
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "a part of another test, which runs it in a process of its own"]
fn a_probe_in_a_process_of_its_own() {
    let Some(task) = peak::task() else { return };
    // Code comes into memory with the first connection.
    let world = world("fifo".parse().unwrap(), PATH, site(1, 100_000));
    let survey = plan::survey(&["/0".to_owned()], &Budget::default(), Protocol::H3);
    drop(play(&world, survey, 1));
    peak::tell(|| match &task[..] {
        "bomb" => drop(bombed()),
        _ => drop(endless(&Budget::default())),
    });
}
