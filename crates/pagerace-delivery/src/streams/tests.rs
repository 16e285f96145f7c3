use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};

use super::Streams;
use crate::{Facts, Response};

/// Returns an image with the default signal.
pub(crate) fn response(stream: u64, length: u64) -> Response {
    Response {
        stream,
        signal: Priority::new(3, false),
        facts: Facts {
            destination: Destination::Image,
            script_mode: ScriptMode::Blocking,
            class: RequestPriority::Low,
            render_blocking: false,
            served: None,
        },
        length,
        sent: 0,
    }
}

#[test]
fn holds_what_is_put_in() {
    let mut streams = Streams::default();
    streams.insert(8, 'b');
    streams.insert(4, 'a');
    streams.insert(8, 'c');
    assert_eq!(streams.values_mut().map(|v| *v).collect::<String>(), "ac");
    assert_eq!(streams.remove(4), Some('a'));
    assert_eq!(streams.remove(4), None);
    assert_eq!(streams.get_mut(8).copied(), Some('c'));
}

#[test]
fn visits_the_ready_ones_in_order() {
    let mut streams = Streams::default();
    for stream in [0, 4, 8, 12] {
        streams.insert(stream, stream * 10);
    }
    let ready = [response(4, 1), response(12, 1)];
    let mut seen = Vec::new();
    streams.each_ready(&ready, |i, r, v| seen.push((i, r.stream, *v)));
    assert_eq!(seen, [(0, 4, 40), (1, 12, 120)]);
}

#[test]
#[should_panic(expected = "stream 8 is ready but has not arrived")]
fn refuses_a_response_that_never_arrived() {
    let mut streams = Streams::default();
    streams.insert(4, ());
    streams.each_ready(&[response(8, 1)], |_, _, ()| ());
}
