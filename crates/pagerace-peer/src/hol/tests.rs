use super::*;

fn frame(offset: u64, length: u64) -> StreamFrame {
    StreamFrame {
        id: 4,
        offset,
        length,
        fin: false,
    }
}
fn ms(n: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(n)
}

#[test]
fn bytes_behind_a_gap_wait_until_it_is_filled() {
    let mut m = HolMeter::new(true);
    m.handle_arrival(ms(0), frame(0, 100));
    m.handle_arrival(ms(1), frame(200, 100));
    m.handle_arrival(ms(2), frame(300, 50));
    assert_eq!(m.blocked(4).own_bytes, 150);
    assert_eq!(m.total().own_byte_ms(), 0, "still waiting");
    m.handle_arrival(ms(11), frame(100, 100));
    assert_eq!(m.blocked(4).own_bytes, 150);
    assert_eq!(m.total().own_byte_ms(), 100 * 10 + 50 * 9);
    assert_eq!(
        m.gaps(),
        [Gap {
            stream: 4,
            from: ms(1),
            until: ms(11),
            bytes: 150
        }]
    );
}

#[test]
fn duplicates_and_overlaps_count_once() {
    let mut m = HolMeter::new(false);
    m.handle_arrival(ms(0), frame(100, 100));
    m.handle_arrival(ms(0), frame(100, 100));
    m.handle_arrival(ms(0), frame(150, 100));
    assert_eq!(m.blocked(4).own_bytes, 150);
    m.handle_arrival(ms(5), frame(0, 250));
    assert_eq!(m.blocked(4).own_bytes, 150);
    assert_eq!(m.total().own_byte_ms(), 150 * 5);
    m.handle_arrival(ms(6), frame(240, 20));
    assert_eq!(m.blocked(4).own_bytes, 150, "in order again");
}

#[test]
fn two_gaps_close_one_after_the_other() {
    let mut m = HolMeter::new(true);
    m.handle_arrival(ms(0), frame(10, 10));
    m.handle_arrival(ms(0), frame(30, 10));
    m.handle_arrival(ms(1), frame(0, 10));
    assert!(m.gaps().is_empty(), "the second gap is open");
    m.handle_arrival(ms(3), frame(20, 10));
    assert_eq!(m.blocked(4).own_bytes, 20);
    assert_eq!(m.total().own_byte_ms(), 10 + 30);
    assert_eq!(m.gaps().len(), 1);
}

#[test]
fn bytes_that_arrive_with_those_that_fill_the_gap_have_not_waited() {
    let mut m = HolMeter::new(false);
    m.handle_arrival(ms(0), frame(100, 100));
    m.handle_arrival(ms(5), frame(0, 300));
    assert_eq!(m.blocked(4).own_bytes, 100);
    assert_eq!(m.total().own_byte_ms(), 100 * 5);
    m.handle_arrival(ms(6), frame(300, 10));
    assert_eq!(m.blocked(4).own_bytes, 100, "in order again");
}
