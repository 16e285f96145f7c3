use super::*;

const MIN_RTT: Duration = Duration::from_millis(60);

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// Receives ack-eliciting packets, one per millisecond from `start` on, and acknowledges when
/// that is due. Returns the times of the acknowledgements.
fn acknowledged(acks: &mut Acks, start: u64, numbers: &[u64]) -> Vec<u64> {
    let mut times = Vec::new();
    for (now, &number) in (start..).zip(numbers) {
        let packet = Arrival {
            number,
            eliciting: true,
        };
        acks.handle_received(ms(now), packet, MIN_RTT);
        if acks.due().is_some_and(|due| due <= ms(now)) {
            acks.handle_sent();
            times.push(now);
        }
    }
    times
}

/// Returns the state after the packets below `number`, all acknowledged.
fn after(number: u64) -> Acks {
    Acks {
        largest: number.checked_sub(1),
        ..Acks::default()
    }
}

#[test]
fn the_first_packets_are_left_to_quinn() {
    let numbers: Vec<u64> = (0..100).collect();
    let times = acknowledged(&mut Acks::default(), 0, &numbers);
    assert_eq!(times, numbers);
}

#[test]
fn then_every_tenth_packet_is_acknowledged() {
    let numbers: Vec<u64> = (100..125).collect();
    let times = acknowledged(&mut after(100), 0, &numbers);
    assert_eq!(times, [9, 19]);
}

#[test]
fn a_quarter_of_the_shortest_round_trip_is_the_longest_wait() {
    let mut acks = after(100);
    assert_eq!(acknowledged(&mut acks, 5, &[100, 101, 102]), []);
    assert_eq!(
        acks.due(),
        Some(ms(5 + 15)),
        "counted from the first packet"
    );
    acks.handle_refused(ms(19));
    assert_eq!(acks.due(), Some(ms(20)));
    acks.handle_refused(ms(20));
    assert_eq!(acks.due(), None, "it is not asked again at once");
    assert_eq!(acknowledged(&mut acks, 21, &[103]), []);
    assert_eq!(acks.due(), Some(ms(21 + 15)));
    let packet = Arrival {
        number: 100,
        eliciting: true,
    };
    let mut far = after(100);
    far.handle_received(ms(0), packet, Duration::from_millis(400));
    assert_eq!(far.due(), Some(ms(25)), "at most 25 ms");
}

#[test]
fn packets_after_a_gap_and_late_ones_are_acknowledged_at_once() {
    let mut acks = after(100);
    let numbers = [100, 102, 103, 104, 105, 106, 107, 101, 108];
    assert_eq!(acknowledged(&mut acks, 0, &numbers), [1, 2, 3, 4, 7]);
}

#[test]
fn acknowledgements_are_not_acknowledged() {
    let mut acks = after(100);
    for number in 100..120 {
        let packet = Arrival {
            number,
            eliciting: false,
        };
        acks.handle_received(ms(number), packet, MIN_RTT);
    }
    assert_eq!(acks.due(), None);
}
