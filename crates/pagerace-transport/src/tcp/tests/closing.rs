//! Tests of closing a connection.

use bytes::Bytes;

use super::world::{CLIENT, Fate, SERVER, World, at, ms};
use crate::tcp::{Connection, Event, TcpSettings};

#[test]
fn the_end_travels_with_the_last_bytes() {
    let mut world = World::new(&TcpSettings::default(), ms(50));
    world.ends[SERVER].to_send = 3_000;
    world.ends[CLIENT].finishes = false;
    assert!(world.run(at(60_000)));
    let fins = world.log.iter().filter(|l| l.segment.fin);
    let fins: Vec<_> = fins.map(|l| (l.at, l.segment.payload.len())).collect();
    assert_eq!(fins, [(at(150), 3_000 - 2 * 1448)]);
    assert_eq!(world.ends[CLIENT].finished_at, Some(at(200)));
    assert!(!world.ends[SERVER].connection.is_closed(), "half closed");
    world.ends[CLIENT].finishes = true;
    assert!(world.run(at(60_000)));
    assert!(world.ends.iter().all(|end| end.connection.is_closed()));
}

#[test]
fn a_lost_end_is_sent_again() {
    let mut world = World::new(&TcpSettings::default(), ms(50));
    world.ends[SERVER].to_send = 1_000;
    let mut drops = 3;
    world.paths[SERVER].fates = Box::new(move |_, s| {
        if s.fin && drops > 0 {
            drops -= 1;
            return Fate::Drop;
        }
        Fate::Pass
    });
    assert!(world.run(at(60_000)));
    assert!(world.ends.iter().all(|end| end.connection.is_closed()));
    assert_eq!(world.ends[CLIENT].read, 1_000);
}

#[test]
fn the_end_is_told_after_everything_was_read() {
    let mut world = World::new(&TcpSettings::default(), ms(10));
    world.ends[SERVER].to_send = 2_000;
    world.ends[CLIENT].reads = false;
    world.run(at(1_000));
    assert_eq!(world.ends[CLIENT].finished_at, None);
    let client: &mut Connection = &mut world.ends[CLIENT].connection;
    let mut read = 0;
    while let Some(data) = client.read() {
        read += data.len();
    }
    assert_eq!(read, 2_000);
    assert_eq!(client.poll_event(), Some(Event::Finished));
    assert_eq!(client.poll_event(), None);
}

#[test]
fn an_abort_is_told_to_the_peer() {
    let mut world = World::download(&TcpSettings::default(), ms(10), 100_000);
    world.run(at(45));
    world.ends[CLIENT].connection.abort();
    assert!(world.run(at(60_000)));
    assert!(world.log.iter().any(|l| l.segment.is_reset()));
    let reason = world.ends[SERVER].lost.as_deref().unwrap();
    assert!(reason.contains("reset"), "{reason}");
}

#[test]
#[should_panic(expected = "behind the end")]
fn writing_behind_the_end_is_a_bug() {
    let mut connection = Connection::server(&TcpSettings::default()).unwrap();
    connection.finish();
    connection.write(Bytes::from_static(b"more"));
}
