//! Tests that read the files of complete loads back as JSON.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "../../pagerace-sim/tests/common/mod.rs"]
mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;

use common::{flat_page, scenario};
use pagerace_page::Page;
use pagerace_qlog::{QlogFile, QlogTitle, qlogs};
use pagerace_sim::{LoggedPacket, Outcome, Side, run_logged};
use serde_json::Value;

const NETWORK: &str = "rate 5mbit rtt 50ms loss 2% queue 1bdp";
const SEED: u64 = 3;

/// Frame type names in draft-ietf-quic-qlog-quic-events-02.
const FRAME_TYPES: [&str; 21] = [
    "padding",
    "ping",
    "ack",
    "reset_stream",
    "stop_sending",
    "crypto",
    "new_token",
    "stream",
    "max_data",
    "max_stream_data",
    "max_streams",
    "data_blocked",
    "stream_data_blocked",
    "streams_blocked",
    "new_connection_id",
    "retire_connection_id",
    "path_challenge",
    "path_response",
    "connection_close",
    "handshake_done",
    "unknown",
];

struct Load {
    page: Page,
    title: QlogTitle,
    outcome: Outcome,
    packets: Vec<LoggedPacket>,
    files: Vec<QlogFile>,
}

/// Loads a page of ten resources over a link that loses packets.
fn load() -> Load {
    let page = flat_page(&[
        700, 90_000, 15_000, 31_000, 42_000, 5_000, 64_000, 120_000, 2_000,
    ]);
    let title = QlogTitle {
        page: "https://site.example/".to_owned(),
        network: NETWORK.to_owned(),
        strategy: "round-robin".to_owned(),
        run: 2,
        seed: SEED,
    };
    let (outcome, packets) = run_logged(&scenario(&page, NETWORK, "round-robin"), SEED).unwrap();
    let files = qlogs(&title, &packets);
    Load {
        page,
        title,
        outcome,
        packets,
        files,
    }
}

/// Parses the records of a JSON text sequence strictly.
fn records(file: &QlogFile) -> Vec<Value> {
    let rest = file.text.strip_prefix('\u{1e}').unwrap();
    rest.split('\u{1e}')
        .map(|record| {
            let line = record.strip_suffix('\n').unwrap();
            assert!(!line.contains('\n'), "{line}");
            serde_json::from_str(line).unwrap()
        })
        .collect()
}

/// Returns all records except the header.
fn events(file: &QlogFile) -> Vec<Value> {
    records(file).split_off(1)
}

fn frames(event: &Value) -> &[Value] {
    event["data"]["frames"].as_array().unwrap()
}

fn named<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|e| e["name"] == name).collect()
}

/// Returns the number of distinct bytes on each client-initiated bidirectional stream.
fn stream_bytes(events: &[&Value]) -> BTreeMap<u64, u64> {
    let mut streams: BTreeMap<u64, BTreeSet<(u64, u64)>> = BTreeMap::new();
    for frame in events.iter().flat_map(|e| frames(e)) {
        if frame["frame_type"] != "stream" {
            continue;
        }
        let number = |key: &str| frame[key].as_u64().unwrap();
        let start = number("offset");
        if number("stream_id") % 4 == 0 {
            let spans = streams.entry(number("stream_id")).or_default();
            spans.insert((start, start + number("length")));
        }
    }
    streams
        .into_iter()
        .map(|(id, spans)| {
            let mut end = 0;
            for (from, to) in spans {
                assert!(from <= end, "stream {id} lacks bytes {end} to {from}");
                end = end.max(to);
            }
            (id, end)
        })
        .collect()
}

#[test]
fn headers_say_what_was_run_and_where_it_was_seen() {
    let load = load();
    assert_eq!(load.files.len(), 2);
    for (file, side) in load.files.iter().zip(["client", "server"]) {
        let header = &records(file)[0];
        assert_eq!(header["qlog_version"], "0.3");
        assert_eq!(header["qlog_format"], "JSON-SEQ");
        let trace = &header["trace"];
        assert_eq!(trace["vantage_point"]["type"], side);
        assert_eq!(trace["common_fields"]["time_format"], "relative");
        assert_eq!(trace["common_fields"]["reference_time"], 0);
        let said = header["description"].as_str().unwrap();
        let version = env!("CARGO_PKG_VERSION");
        for part in [&load.title.page, NETWORK, "round-robin", "seed 3", version] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}

#[test]
fn file_names_are_safe_and_tell_the_ends_apart() {
    let load = load();
    let names: Vec<_> = load.files.iter().map(|f| f.name(&load.title)).collect();
    let stem = load.title.file_stem();
    assert_eq!(names[0], format!("{stem}_conn0_client.sqlog"));
    assert_eq!(names[1], format!("{stem}_conn0_server.sqlog"));
    assert!(stem.ends_with("_round-robin_run2"), "{stem}");
    let safe = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    assert!(stem.chars().all(safe), "{stem}");
    let other = QlogTitle {
        network: NETWORK.replace("2%", "2"),
        ..load.title
    };
    assert_ne!(stem, other.file_stem());
}

#[test]
fn every_packet_is_one_event_at_its_time() {
    let load = load();
    for (file, side) in load.files.iter().zip([Side::Client, Side::Server]) {
        let packets: Vec<_> = load.packets.iter().filter(|p| p.side == side).collect();
        let events = events(file);
        assert_eq!(events.len(), packets.len());
        let mut before = 0.0;
        for (event, logged) in events.iter().zip(packets) {
            let time = event["time"].as_f64().unwrap();
            assert!(time >= before, "{time} after {before}");
            before = time;
            assert_eq!((time * 1e6).round() as u64, logged.at.as_nanos());
            let data = &event["data"];
            assert_eq!(data["header"]["packet_number"], logged.packet.number);
            assert_eq!(data["raw"]["length"], logged.packet.size);
            assert!(data["raw"]["payload_length"].as_u64() < data["raw"]["length"].as_u64());
        }
    }
    let sent = named(&events(&load.files[1]), "transport:packet_sent").len();
    assert_eq!(sent as u64, load.outcome.transport.packets_sent);
}

#[test]
fn packets_received_are_packets_the_other_end_sent() {
    let load = load();
    let key = |e: &&Value| {
        let data = &e["data"];
        format!("{} {} {}", data["header"], data["raw"], data["frames"])
    };
    let ends = [events(&load.files[0]), events(&load.files[1])];
    let mut missing = 0;
    for (from, to) in [(0, 1), (1, 0)] {
        let sent = named(&ends[from], "transport:packet_sent");
        let received = named(&ends[to], "transport:packet_received");
        let known: BTreeSet<_> = sent.iter().map(key).collect();
        for event in &received {
            assert!(known.contains(&key(event)), "never sent: {event}");
        }
        missing += sent.len() - received.len();
    }
    let drops = load.outcome.transport.link_losses + load.outcome.transport.queue_drops;
    assert!(drops > 0 && missing as u64 >= drops, "{missing} of {drops}");
}

#[test]
fn stream_frames_add_up_to_the_responses() {
    let load = load();
    let [client, server] = [events(&load.files[0]), events(&load.files[1])];
    let sent = stream_bytes(&named(&server, "transport:packet_sent"));
    let received = stream_bytes(&named(&client, "transport:packet_received"));
    assert_eq!(sent, received);

    let mut streams: Vec<_> = sent.into_values().collect();
    let mut bodies: Vec<_> = load.page.resources.iter().map(|r| r.body_bytes).collect();
    streams.sort_unstable();
    bodies.sort_unstable();
    assert_eq!(streams.len(), bodies.len());
    for (stream, body) in streams.into_iter().zip(bodies) {
        // The overhead is a HEADERS frame of 300 bytes of text, which QPACK makes shorter
        // or slightly longer, and two frame headers.
        let overhead = stream - body;
        assert!((100..350).contains(&overhead), "{stream} for {body}");
    }
}

#[test]
fn all_frames_have_names_of_the_schema() {
    let load = load();
    let mut seen = BTreeSet::new();
    for event in load.files.iter().flat_map(events) {
        assert!(!frames(&event).is_empty(), "{event}");
        for frame in frames(&event) {
            seen.insert(frame["frame_type"].as_str().unwrap().to_owned());
        }
    }
    for name in &seen {
        assert!(FRAME_TYPES.contains(&name.as_str()), "{name}");
    }
    for name in ["padding", "ack", "crypto", "stream", "handshake_done"] {
        assert!(seen.contains(name), "no {name} in {seen:?}");
    }
}

#[test]
fn the_same_load_gives_the_same_text() {
    assert_eq!(load().files, load().files);
}

#[test]
fn each_end_of_each_connection_gets_a_file() {
    let Load { title, packets, .. } = load();
    let mut two = packets.clone();
    two.extend(packets.iter().map(|p| LoggedPacket {
        connection: 10,
        ..p.clone()
    }));
    let files = qlogs(&title, &two);
    let suffixes: Vec<_> = files.iter().map(|f| f.name_suffix.as_str()).collect();
    assert_eq!(
        suffixes,
        [
            "conn0_client.sqlog",
            "conn0_server.sqlog",
            "conn10_client.sqlog",
            "conn10_server.sqlog"
        ]
    );
    assert_eq!(files[1], qlogs(&title, &packets)[1]);
    assert_eq!(qlogs(&title, &[]), []);
}

/// Returns the keys and JSON types of the parts that qvis reads, by event and frame type.
fn shape<'a>(events: impl IntoIterator<Item = &'a Value>) -> BTreeMap<String, &'static str> {
    let mut shape = BTreeMap::new();
    let mut add = |path: String, value: &Value| {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Number(_) => "number",
            Value::String(_) => "text",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        shape.insert(path, kind);
    };
    for event in events {
        add("time".to_owned(), &event["time"]);
        for (key, value) in event["data"]["header"].as_object().unwrap() {
            add(format!("header.{key}"), value);
        }
        add("raw.length".to_owned(), &event["data"]["raw"]["length"]);
        for frame in frames(event) {
            let kind = frame["frame_type"].as_str().unwrap();
            for (key, value) in frame.as_object().unwrap() {
                add(format!("{kind}.{key}"), value);
            }
        }
    }
    shape
}

/// The parts of packets that qvis reads, with their types in
/// draft-ietf-quic-qlog-quic-events-02.
const PARTS: [(&str, &str); 12] = [
    ("time", "number"),
    ("header.packet_type", "text"),
    ("header.packet_number", "number"),
    ("raw.length", "number"),
    ("stream.stream_id", "number"),
    ("stream.offset", "number"),
    ("stream.length", "number"),
    ("stream.fin", "bool"),
    ("ack.acked_ranges", "array"),
    ("ack.ack_delay", "number"),
    ("crypto.offset", "number"),
    ("crypto.length", "number"),
];

fn is_packet(event: &Value) -> bool {
    event["name"] == "transport:packet_sent" || event["name"] == "transport:packet_received"
}

#[test]
fn packets_have_the_parts_that_qvis_reads() {
    let ours = load().files.iter().flat_map(events).collect::<Vec<_>>();
    assert!(ours.iter().all(is_packet));
    let ours = shape(&ours);
    for (key, kind) in PARTS {
        assert_eq!(ours.get(key), Some(&kind), "{key}");
    }
}

/// Compares with real logs of an HTTP/3 server, which qvis can open.
/// Reads files that are no part of the repository, and passes without them.
#[test]
fn extra_the_parts_are_those_of_real_logs() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/data/reference/h3-priority-dec2022"
    );
    let Ok(file) = std::fs::File::open(format!("{folder}/chrome.qlog.gz")) else {
        eprintln!("skipped: ../shared/data is not there (reference/h3-priority-dec2022)");
        return;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let real: Value = serde_json::from_str(&text).unwrap();
    let real = real["traces"][0]["events"].as_array().unwrap();
    let real = shape(real.iter().filter(|event| is_packet(event)));
    for (key, kind) in PARTS {
        assert_eq!(real.get(key), Some(&kind), "{key}");
    }
}
