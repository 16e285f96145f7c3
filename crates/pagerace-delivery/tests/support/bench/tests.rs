use pagerace_delivery::{Response, Strategy};

use super::{Bench, Event, PACKET_BYTES, Sent, response};

/// A strategy that picks the first response and records its calls.
#[derive(Default)]
struct First {
    arrived: Vec<u64>,
    left: Vec<u64>,
    updated: Vec<u64>,
}

impl Strategy for First {
    fn handle_arrival(&mut self, response: &Response) {
        self.arrived.push(response.stream);
    }

    fn handle_update(&mut self, response: &Response) {
        self.updated.push(response.stream);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        assert!(ready.is_sorted_by_key(|r| r.stream) && ready.iter().all(|r| r.remaining() > 0));
        0
    }

    fn handle_end(&mut self, stream: u64) {
        self.left.push(stream);
    }
}

const fn sent(tick: u64, stream: u64, bytes: u64) -> Sent {
    Sent {
        tick,
        stream,
        bytes,
    }
}

#[test]
fn fills_packets_to_the_end() {
    let mut first = First::default();
    let log = Bench::of([response(4, 100), response(0, PACKET_BYTES + 1)]).run(&mut first);
    assert_eq!(
        log,
        [sent(0, 0, PACKET_BYTES), sent(1, 0, 1), sent(1, 4, 100)]
    );
    assert_eq!((first.arrived, first.left), (vec![4, 0], vec![0, 4]));
}

#[test]
fn waits_while_nothing_may_send() {
    let mut bench = Bench::of([response(0, 2 * PACKET_BYTES)]);
    bench
        .at(1, Event::Block(0))
        .at(7, Event::Unblock(0))
        .at(9, Event::Arrive(response(4, 1)));
    let log = bench.run(&mut First::default());
    assert_eq!(
        log,
        [
            sent(0, 0, PACKET_BYTES),
            sent(7, 0, PACKET_BYTES),
            sent(9, 4, 1)
        ]
    );
}

#[test]
fn a_smaller_packet_carries_less() {
    let mut bench = Bench::of([response(0, PACKET_BYTES)]);
    bench.at(0, Event::Room(1000));
    assert_eq!(
        bench.run(&mut First::default()),
        [sent(0, 0, 1000), sent(1, 0, 200)]
    );
}

#[test]
fn a_cancelled_response_is_gone() {
    let mut bench = Bench::of([response(0, 10 * PACKET_BYTES)]);
    bench.at(2, Event::Cancel(0)).at(2, Event::Cancel(8));
    let mut first = First::default();
    assert_eq!(bench.run(&mut first).len(), 2);
    assert_eq!(first.left, [0]);
}

#[test]
fn a_response_blocked_for_ever_ends_the_run() {
    let mut bench = Bench::of([response(0, 10 * PACKET_BYTES)]);
    bench.at(3, Event::Block(0));
    assert_eq!(bench.run(&mut First::default()).len(), 3);
}
