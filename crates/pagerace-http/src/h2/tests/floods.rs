//! Limits on input that costs the peer almost nothing.

use super::support::*;
use crate::h2::{Code, Config, Connection, Limits, frame};

/// Returns how many rounds of frames the connection accepts before it fails, and checks
/// that it fails with `ENHANCE_YOUR_CALM`. Pending writes are polled only if `write` is
/// true.
fn endures(config: Config, write: bool, mut round: impl FnMut(u64) -> Vec<Vec<u8>>) -> u64 {
    let mut server = ready_server(config);
    for n in 0..100_000 {
        if let Err(error) = feed(&mut server, &round(n)) {
            assert_eq!(error.code, Code::ENHANCE_YOUR_CALM, "{error}");
            return n;
        }
        events(&mut server);
        if write {
            written(&mut server);
        }
    }
    panic!("endured for ever")
}

fn limited(change: impl FnOnce(&mut Limits)) -> Config {
    let mut config = Config::server();
    change(&mut config.limits);
    config
}

/// CVE-2019-9511 to 9518, as far as they concern frames.
#[test]
fn frames_without_result() {
    let idle_frames = Limits::default().idle_frames;
    let setting = frame(frame::SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1]);
    for flood in [
        frame(frame::PING, 0, 0, &[0; 8]),
        frame(frame::PING, frame::ACK, 0, &[0; 8]),
        frame(frame::SETTINGS, frame::ACK, 0, &[]),
        setting,
        frame(frame::PRIORITY, 0, 9, &[0; 5]),
        frame(frame::PRIORITY_UPDATE, 0, 0, b"\0\0\0\x09u=1"),
        frame(0x42, 0, 0, &[]),
    ] {
        let rounds = endures(Config::server(), true, |_| vec![flood.clone()]);
        // Two frames followed the preface.
        assert!(rounds.abs_diff(u64::from(idle_frames)) <= 2, "{rounds}");
    }
    // Empty DATA, with and without padding.
    for empty in [
        data(1, b"", false),
        frame(frame::DATA, frame::PADDED, 1, &[3, 0, 0, 0]),
    ] {
        let rounds = endures(Config::server(), true, |n| {
            let open = headers(1, &request("POST", "/"), false);
            if n == 0 {
                vec![open]
            } else {
                vec![empty.clone()]
            }
        });
        assert!(rounds.abs_diff(u64::from(idle_frames)) <= 20, "{rounds}");
    }
}

/// The number of unsent replies is limited.
#[test]
fn replies_that_wait() {
    let config = limited(|limits| limits.replies = 50);
    let ping = frame(frame::PING, 0, 0, &[0; 8]);
    assert_eq!(endures(config, false, |_| vec![ping.clone()]), 50);
}

/// CVE-2024-27316.
#[test]
fn continuations_without_end() {
    let mut server = ready_server(Config::server());
    feed(&mut server, &[frame(frame::HEADERS, 0, 1, &[])]).unwrap();
    let more = frame(frame::CONTINUATION, 0, 1, &[]);
    let taken = (0..1000)
        .find(|_| feed(&mut server, std::slice::from_ref(&more)).is_err())
        .unwrap();
    assert_eq!(taken, 32);

    // Large frames exceed the size limit first.
    let mut server = ready_server(Config::server());
    let fragment = [0_u8; 16_384];
    feed(&mut server, &[frame(frame::HEADERS, 0, 1, &fragment)]).unwrap();
    let more = frame(frame::CONTINUATION, 0, 1, &fragment);
    let taken = (1..1000)
        .find(|_| feed(&mut server, std::slice::from_ref(&more)).is_err())
        .unwrap();
    assert_eq!(taken, 4 * 65_536 / 16_384);
}

/// CVE-2023-44487: requests that the client resets at once.
#[test]
fn rapid_resets() {
    let config = limited(|limits| limits.resets = 100);
    let cancel = |stream| frame(frame::RST_STREAM, 0, stream, &8_u32.to_be_bytes());
    let rounds = endures(config, true, |n| {
        let stream = 2 * n + 1;
        vec![headers(stream, &get("/"), true), cancel(stream)]
    });
    assert_eq!(rounds, 100);
}

/// CVE-2025-8671: requests that provoke a reset by the server.
#[test]
fn resets_that_we_are_made_to_send() {
    let config = limited(|limits| limits.resets = 100);
    let rounds = endures(config, true, |n| {
        let stream = 2 * n + 1;
        let nothing = frame(frame::WINDOW_UPDATE, 0, stream, &[0; 4]);
        vec![headers(stream, &get("/"), true), nothing]
    });
    assert_eq!(rounds, 100);
    // Refused streams count as well.
    let config = Config {
        max_concurrent_streams: Some(0),
        ..limited(|limits| limits.resets = 100)
    };
    let rounds = endures(config, true, |n| vec![headers(2 * n + 1, &get("/"), true)]);
    assert_eq!(rounds, 100);
}

/// A browser that cancels some of its requests is not an attacker.
#[test]
fn answers_make_up_for_resets() {
    let mut server = ready_server(limited(|limits| limits.resets = 3));
    for n in 0..100 {
        let (kept, cancelled) = (4 * n + 1, 4 * n + 3);
        let frames = [
            headers(kept, &get("/"), true),
            headers(cancelled, &get("/"), true),
            frame(frame::RST_STREAM, 0, cancelled, &8_u32.to_be_bytes()),
        ];
        feed(&mut server, &frames).unwrap();
        server.response_head(kept, &ok(), true);
        events(&mut server);
    }
}

/// A long download with a window update for every frame is not an attack.
#[test]
fn content_makes_up_for_updates() {
    let config = limited(|limits| limits.idle_frames = 40);
    let mut server = ready_server(config);
    feed(&mut server, &[headers(1, &get("/"), true)]).unwrap();
    let update = |stream| frame(frame::WINDOW_UPDATE, 0, stream, &10_000_u32.to_be_bytes());
    for _ in 0..500 {
        server.data_frame(1, 10_000, false);
        let ping = frame(frame::PING, 0, 0, &[0; 8]);
        feed(&mut server, &[update(0), update(1), ping]).unwrap();
        written(&mut server);
    }
}

/// No state grows without bound with the peer's input.
#[test]
fn what_is_remembered_is_bounded() {
    let mut server: Connection = ready_server(Config::server());
    for n in 0..5000_u32 {
        let stream = 2 * n + 1;
        let later = (stream + 100_000).to_be_bytes();
        let update = [&later[..], b"u=1"].concat();
        let frames = [
            frame(frame::PRIORITY_UPDATE, 0, 0, &update),
            headers(u64::from(stream), &get("/"), true),
        ];
        feed(&mut server, &frames).unwrap();
        events(&mut server);
        server.response_head(u64::from(stream), &ok(), true);
        assert!(server.pending_priorities.len() <= 128);
        assert!(server.closed.len() <= 256);
        assert!(server.streams.is_empty());
    }
}
