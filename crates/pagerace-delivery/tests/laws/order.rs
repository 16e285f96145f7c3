//! Strict orders: which response must go before another.

use pagerace_core::{Priority, RequestPriority};
use pagerace_delivery::Response;
use pagerace_delivery::strategies::firefox_eps;
use proptest::prelude::*;

use crate::bench::{Bench, Event, PACKET_BYTES, response};
use crate::pages;
use crate::watch::run;

proptest! {
    #[test]
    fn sequential_goes_by_class_then_request(page in pages::anything()) {
        for choice in run("sequential", &page.bench).choices {
            let place = |i: usize| (class(&choice.ready[i]), choice.ready[i].stream);
            let chosen = place(choice.index);
            prop_assert!((0..choice.ready.len()).all(|i| chosen <= place(i)), "{choice:?}");
        }
    }

    #[test]
    fn fifo_goes_by_arrival(page in pages::anything()) {
        let run = run("fifo", &page.bench);
        let place = |stream: u64| run.arrivals.iter().position(|s| *s == stream);
        for choice in &run.choices {
            let first = choice.ready.iter().map(|r| r.stream).min_by_key(|s| place(*s));
            prop_assert_eq!(first, Some(choice.stream()));
        }
    }

    #[test]
    fn eps_goes_by_urgency_as_last_signalled(page in pages::anything()) {
        for choice in run("eps", &page.bench).choices {
            let chosen = choice.chosen();
            let most = choice.ready.iter().map(|r| r.signal.urgency).min();
            prop_assert_eq!(Some(chosen.signal.urgency), most);
            if !chosen.signal.incremental {
                let first = choice.ready.iter().find(|r| r.signal == chosen.signal);
                prop_assert_eq!(first.map(|r| r.stream), Some(chosen.stream));
            }
        }
    }

    #[test]
    fn firefox_eps_goes_by_group(page in pages::anything()) {
        for choice in run("firefox-eps", &page.bench).choices {
            let most = choice.ready.iter().map(|r| firefox_eps::urgency(&r.facts)).min();
            prop_assert_eq!(Some(firefox_eps::urgency(&choice.chosen().facts)), most);
        }
    }

    #[test]
    fn hybrid_sends_what_blocks_rendering_first(page in pages::anything()) {
        for choice in run("hybrid", &page.bench).choices {
            let blocking = choice.ready.iter().filter(|r| r.facts.render_blocking);
            let first = blocking.min_by_key(|r| (class(r), r.stream));
            let chosen = choice.chosen();
            prop_assert_eq!(first.unwrap_or(chosen), chosen);
        }
    }
}

/// Returns the Chromium class of the resource, raised by the client's signal.
pub(crate) fn class(r: &Response) -> RequestPriority {
    use RequestPriority::{High, Low, Medium, VeryHigh, VeryLow};
    let of_urgency = [
        VeryHigh, High, Medium, Low, VeryLow, VeryLow, VeryLow, VeryLow,
    ];
    r.facts.class.min(of_urgency[usize::from(r.signal.urgency)])
}

/// Returns the streams of the packets, in order.
fn streams(spec: &str, bench: &Bench) -> Vec<u64> {
    run(spec, bench).sent.iter().map(|s| s.stream).collect()
}

fn signalled(
    stream: u64,
    packets: u64,
    urgency: u8,
    incremental: bool,
) -> pagerace_delivery::Response {
    let signal = Priority::new(urgency, incremental);
    pagerace_delivery::Response {
        signal,
        ..response(stream, packets * PACKET_BYTES)
    }
}

#[test]
fn eps_shares_among_incremental_ones_and_queues_the_others() {
    let bench = Bench::of([
        signalled(0, 3, 3, false),
        signalled(4, 2, 3, true),
        signalled(8, 2, 3, false),
        signalled(12, 4, 3, true),
        signalled(16, 1, 1, false),
    ]);
    // Streams 4 and 12 get one turn each, and the sequence of 0 and then 8 gets one.
    let order = [16, 0, 4, 12, 0, 4, 12, 0, 12, 8, 12, 8];
    assert_eq!(streams("eps", &bench), order);
}

#[test]
fn an_idle_sequence_of_eps_joins_at_the_back() {
    let mut bench = Bench::of([signalled(0, 4, 3, true), signalled(4, 4, 3, true)]);
    // The response is ready just before the second packet, for which stream 4 has waited
    // longer.
    bench.at(1, Event::Arrive(signalled(8, 2, 3, false)));
    assert_eq!(streams("eps", &bench), [0, 4, 0, 8, 4, 0, 8, 4, 0, 4]);
}

#[test]
fn eps_obeys_a_changed_signal_at_once() {
    let mut bench = Bench::of([signalled(0, 3, 2, false), signalled(4, 3, 5, false)]);
    bench.at(1, Event::Update(4, Priority::new(0, false)));
    bench.at(3, Event::Update(4, Priority::new(2, true)));
    assert_eq!(streams("eps", &bench), [0, 4, 4, 0, 4, 0]);
}

#[test]
fn sequential_lets_a_higher_class_interrupt() {
    let mut late = response(8, PACKET_BYTES);
    late.facts.class = RequestPriority::VeryHigh;
    let mut bench = Bench::of([response(0, 2 * PACKET_BYTES), response(4, PACKET_BYTES)]);
    bench.at(1, Event::Arrive(late));
    assert_eq!(streams("sequential", &bench), [0, 8, 0, 4]);
    assert_eq!(streams("fifo", &bench), [0, 0, 4, 8]);
}
