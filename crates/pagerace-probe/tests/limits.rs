//! Servers that a probe cannot use, and hostile ones.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod support;

use std::convert::Infallible;

use pagerace_core::{Duration, Rng};
use pagerace_probe::world::{play, play_tampered};
use pagerace_probe::{Budget, End, Job, PlanError, ProbeError, Shape, observe, plan};
use support::{site, world};

const PATH: &str = "rate 30mbit rtt 20ms queue 200p";

fn refused(length: u64, budget: Budget) -> ProbeError<Infallible> {
    let world = world("fifo".parse().unwrap(), PATH, site(1, length));
    let paths = ["/0".to_owned()];
    observe(&paths, &budget, |job| Ok(play(&world, job, 1))).unwrap_err()
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
    let error = observe(&paths, &Budget::default(), |job| {
        Ok::<_, Infallible>(play(&world, job, 1))
    });
    let text = error.unwrap_err().to_string();
    assert_eq!(
        text,
        "/9 is answered with 404; give the URL of an object that exists"
    );
}

/// An object of a gigabyte from a server that ignores ranges.
#[test]
fn endless_responses_end_at_the_limit_of_bytes() {
    let world = world("eps".parse().unwrap(), PATH, site(1, 1 << 30));
    let paths = ["/0".to_owned()];
    let budget = Budget::default();
    let mut connections = 0;
    let whole = |mut job: Job| {
        for target in &mut job.targets {
            target.range = None;
        }
        connections += 1;
        Ok::<_, Infallible>(play(&world, job, connections))
    };
    let observed = observe(&paths, &budget, whole).unwrap();
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
    let trace = play(&world, plan::survey(&paths, &budget), 1);
    assert_eq!(trace.ended.since_start(), budget.time);
    let error = plan::objects(&paths, &trace).unwrap_err().to_string();
    assert!(error.contains("within the limit of time"), "{error}");
}

/// Random bytes in frames, streams and header sections. Packets have no checksum here, so the
/// parsers get them all.
#[test]
fn malformed_packets_end_within_the_limits() {
    let world = world("round-robin".parse().unwrap(), PATH, site(2, 60_000));
    let paths = ["/0".to_owned(), "/1".to_owned()];
    let budget = Budget::default();
    let survey = play(&world, plan::survey(&paths, &budget), 1);
    let objects = plan::objects(&paths, &survey).unwrap();
    let jobs = plan::jobs(&objects, survey.connect, &budget).unwrap();
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
        assert!(trace.received <= limits.bytes + 200_000, "seed {seed}");
        ends.insert(std::mem::discriminant(&trace.end) == std::mem::discriminant(&End::Complete));
        // Whatever arrived can be described.
        let values = Shape::of(&jobs[seed as usize % jobs.len()], &trace).values();
        assert!(values.iter().all(|value| value.is_finite()), "seed {seed}");
    }
    assert_eq!(ends.len(), 2, "some scripts survive and some do not");
}
