//! Tests of pacing for controllers that set a rate.

use std::cell::RefCell;

use pagerace_cc::{Ack, Controller};

use super::*;

/// A call to the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Sent(u64),
    Ack(u64, bool),
    Lost(u64),
    AckEnd(u64),
    AppLimited(u64),
}

thread_local! {
    static CALLS: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
}

/// Returns the controller `test-rate-N`, which has a rate of N bits per second and a window
/// too large to limit it.
pub(in crate::quic) fn test_controller(name: &str) -> Option<Box<dyn Controller>> {
    let rate = name.strip_prefix("test-rate-")?.parse().ok()?;
    Some(Box::new(FixedRate(rate)))
}

#[derive(Clone, Debug)]
struct FixedRate(u64);

impl FixedRate {
    fn note(call: Call) {
        CALLS.with_borrow_mut(|calls| calls.push(call));
    }
}

impl Controller for FixedRate {
    fn on_sent(&mut self, _now: Instant, bytes: u64) {
        Self::note(Call::Sent(bytes));
    }
    fn on_ack(&mut self, ack: &Ack) {
        Self::note(Call::Ack(ack.bytes, ack.app_limited));
    }
    fn on_ack_end(&mut self, _now: Instant, in_flight: u64) {
        Self::note(Call::AckEnd(in_flight));
    }
    fn on_app_limited(&mut self, _now: Instant, in_flight: u64) {
        Self::note(Call::AppLimited(in_flight));
    }
    fn on_congestion(&mut self, _: Instant, _: Instant, lost_bytes: u64, _: bool) {
        Self::note(Call::Lost(lost_bytes));
    }
    fn window(&self) -> u64 {
        10_000_000
    }
    fn pacing_rate(&self) -> Option<u64> {
        Some(self.0)
    }
    fn set_mtu(&mut self, _mtu: u16) {}
    fn ssthresh(&self) -> Option<u64> {
        None
    }
    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

fn paced(congestion: &'static str) -> Setup {
    Setup {
        congestion,
        ..Setup::new(keys(false))
    }
}

/// Returns the times in nanoseconds and the sizes in bytes of the server's data packets.
fn data(run: &Run) -> Vec<(u64, u64)> {
    let all = run.wire.iter().filter(|w| w.1 && w.2 > 500);
    all.skip(3).map(|w| (w.0, w.2 as u64)).collect()
}

#[test]
fn packets_leave_at_the_rate_with_and_without_loss() {
    const RATE: u64 = 4_000_000;
    for lose in [(|_| false) as fn(usize) -> bool, one_in_fifty] {
        let run = run_with(
            paced("test-rate-4000000"),
            &[400_000],
            sequential,
            |side, n| side == 1 && lose(n),
        );
        let data = data(&run);
        assert!(data.len() > 300);
        for from in 0..data.len() {
            let mut bytes = 0;
            for pair in data[from..].windows(2) {
                bytes += pair[0].1;
                let allowed = (pair[1].0 - data[from].0) * RATE / 8_000_000_000 + 1_200;
                assert!(
                    bytes <= allowed,
                    "{bytes} bytes after packet {from}, not {allowed}"
                );
            }
        }
        // The rate is reached, and not only a limit.
        let bytes: u64 = data.iter().map(|d| d.1).sum();
        let last_repair = 2 * 40_000_000;
        let took = data[data.len() - 1].0 - data[0].0;
        let at_rate = bytes * 8_000_000_000 / RATE;
        assert!(took < at_rate + last_repair, "{took} ns for {bytes} bytes");
    }
}

#[test]
fn the_wire_still_follows_the_schedule() {
    let run = run_with(paced("test-rate-4000000"), &PAGE, round_robin, |side, n| {
        side == 1 && one_in_fifty(n)
    });
    assert_eq!(run.server.wire, run.server.decided);
}

/// A large request arrives while a response is sent at 10 packets per second. Its
/// acknowledgements do not wait for the pacer.
#[test]
fn acknowledgements_are_not_paced() {
    let upload = |congestion| {
        let setup = Setup {
            request: |i| if i == 1 { 200_000 } else { 3 },
            ..paced(congestion)
        };
        let run = run_with(setup, &[30_000, 10], sequential, |_, _| false);
        let sent = run.wire.iter().filter(|w| !w.1 && w.2 > 1_000);
        sent.map(|w| w.0).max().unwrap()
    };
    let (slow, fast) = (upload("test-rate-96000"), upload("test-rate-96000000"));
    // The server's first packets may carry both data and acknowledgements.
    assert!(slow < fast + 96_000_000, "{slow} ns against {fast}");
}

#[test]
fn a_controller_is_told_what_it_needs() {
    CALLS.take();
    let run = run_with(
        paced("test-rate-4000000"),
        &[100_000, 40_000],
        sequential,
        |side, n| side == 1 && one_in_fifty(n),
    );
    let calls = CALLS.take();
    let sum = |f: fn(&Call) -> u64| calls.iter().map(f).sum::<u64>();
    let sent = sum(|c| if let Call::Sent(n) = c { *n } else { 0 });
    let acked = sum(|c| if let Call::Ack(n, _) = c { *n } else { 0 });
    let lost = sum(|c| if let Call::Lost(n) = c { *n } else { 0 });
    let left = calls.iter().rev().find_map(|c| match c {
        Call::AckEnd(n) => Some(*n),
        _ => None,
    });
    assert!(lost > 0);
    assert!(
        !calls.contains(&Call::Sent(0)),
        "told of an acknowledgement"
    );
    // Every packet sent is acknowledged, lost or in flight. The handshake's packets are
    // removed without a report when their keys are dropped.
    let handshake = sent - acked - lost - left.unwrap();
    assert!(
        handshake <= 5_000,
        "{sent} sent, {acked} acked, {lost} lost, {left:?} left"
    );
    // A sender that is limited by the pacer is not limited by the application.
    let data = run
        .server
        .frames
        .iter()
        .filter(|f| f.length > 1_000)
        .count();
    let limited = calls
        .iter()
        .filter(|c| matches!(c, Call::Ack(_, true)))
        .count();
    // At the end the application limits the sender: for a round trip of 17 packets and the
    // maximum acknowledgement delay of 25 ms.
    assert!(data > 110 && limited < 17 + 11, "{limited} of {data}");
    let limited = calls
        .iter()
        .filter(|c| matches!(c, Call::AppLimited(_)))
        .count();
    assert!(limited > 0);
    for pair in calls.windows(2) {
        let ended = matches!(pair[1], Call::Ack(..) | Call::AckEnd(_) | Call::Lost(_));
        assert!(!matches!(pair[0], Call::Ack(..)) || ended, "{pair:?}");
    }
}

#[test]
fn a_paced_run_repeats_to_the_byte() {
    let once = || {
        run_with(paced("test-rate-4000000"), &PAGE, round_robin, |side, n| {
            side == 1 && one_in_fifty(n)
        })
    };
    let (a, b) = (once(), once());
    assert_eq!((a.wire, a.packets), (b.wire, b.packets));
}

/// The first rate is 2.89 windows of ten packets per round trip of 42 ms. RFC 9002's
/// assumption of 333 ms before the first sample is not used.
#[test]
fn bbr_starts_at_the_rate_of_the_round_trip_that_was_measured() {
    let run = run_with(paced("bbr"), &[100_000], sequential, |_, _| false);
    let data = data(&run);
    let took = data[7].0 - data[0].0;
    assert!(took < 42_000_000 * 8 / 28, "{took} ns for eight packets");
}

/// 10 Mbit/s, 40 ms, and a queue of one bandwidth-delay product.
#[test]
fn bbr_fills_the_link_and_after_its_start_not_the_queue() {
    let load = |congestion| {
        let setup = Setup {
            queue: Duration::from_millis(40),
            ..paced(congestion)
        };
        run_with(setup, &[5_000_000], sequential, |_, _| false)
    };
    let (bbr, cubic) = (load("bbr"), load("cubic"));
    let floor = 5_000_000.0 * NANOS_PER_BYTE as f64;
    let share = floor / bbr.done.as_nanos() as f64;
    assert!(share > 0.9, "{share} of the link's rate");
    // Start-up sends at 2.89 times the link's rate and keeps 2.89 bandwidth-delay products
    // in flight, while the link and its queue hold 2. Three rounds without growth end it.
    let product = 50_000 / 1_200;
    assert!(bbr.drops.len() < 3 * product, "{} drops", bbr.drops.len());
    let later = |run: &Run| {
        run.drops
            .iter()
            .filter(|at| at.as_nanos() > 1_000_000_000)
            .count()
    };
    assert_eq!(later(&bbr), 0);
    assert!(
        later(&cubic) > 0,
        "a sender by window alone overfills the queue again"
    );
}
