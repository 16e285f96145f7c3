//! Shares calculated by hand, and their changes after events.

use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use pagerace_delivery::Response;
use pagerace_delivery::strategies::weighted_incremental::shares;

use crate::bench::{Bench, Event, PACKET_BYTES, Sent, response};
use crate::watch::run;

#[test]
fn the_formula_by_hand() {
    // Four active responses: two of urgency 0, one of 2, one of 5. Alpha is 0.5.
    let w0 = 0.5 / (0.0 + 0.5) + 0.5 / 4.0;
    let w2 = 0.5 / (2.0 + 0.25) + 0.5 / 4.0;
    let w5 = 0.5 / (5.0 + 0.25) + 0.5 / 4.0;
    let sum = 2.0 * w0 + w2 + w5;
    let shares = shares(0.5, [2, 0, 1, 0, 0, 1, 0, 0]);
    assert!((shares[0] - w0 / sum).abs() < 1e-15);
    assert!((shares[2] - w2 / sum).abs() < 1e-15);
    assert!((shares[5] - w5 / sum).abs() < 1e-15);
    assert!(shares[1].is_nan());
}

const fn packets(count: u64) -> u64 {
    count * PACKET_BYTES
}

/// An endless response of Chromium's class `High`: urgency 2.
fn urgent(stream: u64) -> Response {
    let mut urgent = response(stream, packets(1_000_000));
    urgent.facts.class = RequestPriority::High;
    urgent
}

/// An endless response of Chromium's class `Low`: urgency 5.
fn lax(stream: u64) -> Response {
    response(stream, packets(1_000_000))
}

/// Returns the number of packets of each of `streams` in the ticks `from..until`. All of
/// them are cancelled at `until`.
fn packets_between<const N: usize>(
    spec: &str,
    bench: &Bench,
    streams: [u64; N],
    (from, until): (u64, u64),
) -> [usize; N] {
    let mut bench = bench.clone();
    for stream in streams {
        bench.at(until, Event::Cancel(stream));
    }
    let sent = run(spec, &bench).sent;
    streams.map(|stream| {
        let inside = |s: &&Sent| s.stream == stream && (from..until).contains(&s.tick);
        sent.iter().filter(inside).count()
    })
}

fn assert_close<const N: usize>(packets: [usize; N], ideal: [usize; N]) {
    let off = packets.iter().zip(ideal).map(|(a, b)| a.abs_diff(b));
    assert!(off.max() <= Some(2), "{packets:?}, not {ideal:?}");
}

/// At alpha 1, urgencies 2 and 5 share 1 / 2.5 to 1 / 5.5, so 11 to 5. With a second
/// response of urgency 5 the shares are 1 / (2 + 1/3) to 1 / (5 + 2/3) each, so 17 to 7
/// to 7.
#[test]
fn shares_are_computed_again_when_a_response_comes_or_goes() {
    let mut bench = Bench::of([urgent(0), lax(4)]);
    bench
        .at(1600, Event::Arrive(lax(8)))
        .at(4700, Event::Cancel(8));
    let between = |from, until| {
        packets_between(
            "weighted-incremental:alpha=1",
            &bench,
            [0, 4, 8],
            (from, until),
        )
    };
    assert_close(between(0, 1600), [1100, 500, 0]);
    assert_close(between(1600, 4700), [1700, 700, 700]);
    assert_close(between(4700, 6300), [1100, 500, 0]);
}

#[test]
fn shares_are_computed_again_when_a_signal_changes() {
    let mut bench = Bench::of([lax(0), lax(4)]);
    bench.at(1000, Event::Update(0, Priority::new(2, false)));
    bench.at(1000, Event::Update(4, Priority::new(5, true)));
    let between = |spec, from, until| packets_between(spec, &bench, [0, 4], (from, until));
    let signalled = "weighted-incremental:alpha=1:urgency=signalled";
    assert_close(between(signalled, 0, 1000), [500, 500]);
    assert_close(between(signalled, 1000, 2600), [1100, 500]);
    // The signal raises Low to Medium (urgency 3) and never lowers a class: 1 / 3.5 to 1 /
    // 5.5, so 11 to 7.
    assert_close(
        between("weighted-incremental:alpha=1", 1000, 2600),
        [978, 622],
    );
    assert_close(
        between("hybrid:alpha=1:urgency=signalled", 1000, 2600),
        [1100, 500],
    );
}

#[test]
fn hybrid_counts_only_the_rest() {
    let mut blocking = urgent(8);
    blocking.facts.render_blocking = true;
    let mut bench = Bench::of([urgent(0), lax(4), blocking]);
    bench.at(0, Event::Block(8));
    let between = packets_between("hybrid:alpha=1", &bench, [0, 4], (0, 1600));
    assert_close(between, [1100, 500]);
}

#[test]
fn the_tree_by_hand() {
    let of = |stream, destination, script_mode| {
        let mut response = lax(stream);
        response.facts.destination = destination;
        response.facts.script_mode = script_mode;
        response
    };
    let style = of(0, Destination::Style, ScriptMode::Blocking);
    let script = of(4, Destination::Script, ScriptMode::Blocking);
    let image = of(8, Destination::Image, ScriptMode::Blocking);
    let deferred = of(12, Destination::Script, ScriptMode::Defer);
    let page = of(16, Destination::Document, ScriptMode::Blocking);
    let between = |responses: [&Response; 3], ticks| {
        let streams = responses.map(|r| r.stream);
        let bench = Bench::of(responses.map(Clone::clone));
        packets_between("firefox-tree", &bench, streams, (0, ticks))
    };
    // Two leaders of weight 22 share with the followers, which have weight 1 below the
    // leaders.
    assert_close(between([&style, &script, &image], 4500), [2200, 2200, 100]);
    // Leaders share 201 to 101 with unblocked. The image has 1 in 23 of the leaders' share.
    assert_close(
        between([&style, &image, &deferred], 302 * 23),
        [201 * 22, 201, 101 * 23],
    );
    // The shares are urgent start 241, leaders 201 and unblocked 101.
    assert_close(between([&page, &style, &deferred], 543), [241, 201, 101]);
}
