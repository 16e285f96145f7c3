use super::*;

const HEAD: &str = r#"{"constants":{"logEventTypes":{"REQUEST_ALIVE":2,"QUIC_SESSION_PACKET_RECEIVED":341,"QUIC_SESSION_PACKET_SENT":342,"QUIC_SESSION_PACKET_LOST":344,"QUIC_SESSION_STREAM_FRAME_RECEIVED":349}},
"events": [
"#;

fn frame(source: u64, time: u64, stream: u64, offset: u64, length: u64) -> String {
    format!(
        r#"{{"params":{{"fin":false,"length":{length},"offset":{offset},"stream_id":{stream}}},"phase":0,"source":{{"id":{source},"start_time":"1","type":11}},"time":"{time}","type":349}}"#
    )
}

fn whole() -> String {
    let lines = [
        r#"{"phase":1,"source":{"id":-2147483646,"start_time":"1","type":1},"time":"1","type":2}"#.to_owned(),
        // Another event with parameters of the same names.
        r#"{"params":{"length":-1,"stream_id":"x"},"source":{"id":4,"type":1},"time":"1","type":2}"#
            .to_owned(),
        r#"{"params":{"size":1200},"phase":0,"source":{"id":9,"type":11},"time":"5","type":341}"#
            .to_owned(),
        frame(9, 5, 0, 100, 50),
        // Another connection has streams with the same numbers.
        frame(10, 6, 0, 0, 100),
        frame(9, 9, 0, 0, 100),
        r#"{"params":{},"phase":0,"source":{"id":9,"type":11},"time":"9","type":344}"#.to_owned(),
    ];
    format!(
        "{HEAD}{}],\n\"polledData\": [{{}}]\n}}\n",
        lines.join(",\n")
    )
}

#[test]
fn a_whole_log_is_counted() {
    let expected = HolBlocked {
        bytes: 50,
        byte_ms: 200,
    };
    assert_eq!(parse(whole().as_bytes()).unwrap(), expected);
}

/// A log that is truncated anywhere after its head still yields its complete lines.
#[test]
fn a_log_may_stop_anywhere() {
    let text = whole();
    let mut seen = Vec::new();
    for end in HEAD.len()..text.len() {
        let hol = parse(&text.as_bytes()[..end]).unwrap();
        if !seen.contains(&hol) {
            seen.push(hol);
        }
    }
    let seen = seen.iter().map(|hol| (hol.bytes, hol.byte_ms));
    assert_eq!(seen.collect::<Vec<_>>(), [(0, 0), (50, 0), (50, 200)]);
    for end in 0..HEAD.find("\n\"events").unwrap() - 2 {
        parse(&text.as_bytes()[..end]).unwrap_err();
    }
}

/// Changed bytes never cause a panic.
#[test]
fn changed_bytes_are_survived() {
    let text = whole();
    let mut rng = pagerace_core::Rng::new(3, "netlog");
    let mut understood = 0;
    for _ in 0..5_000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(3) {
                0 => bytes[at] = rng.next_u64() as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"0123456789,]}\"\n"[rng.below(15) as usize]),
            }
        }
        understood += usize::from(parse(&bytes[..]).is_ok());
    }
    assert!(understood > 1_000, "only {understood} were read at all");
}

#[test]
fn something_else_is_no_log() {
    for text in [
        "",
        "{}",
        "[1]\n",
        "{\"constants\":{}},\n\"events\": [\n",
        "\u{0}\n\n",
    ] {
        assert!(
            matches!(parse(text.as_bytes()), Err(ParseError::Content(_))),
            "{text:?}"
        );
    }
}
