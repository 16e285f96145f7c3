//! A qlog file: a header record, followed by one record per event
//! (draft-ietf-quic-qlog-main-schema-02; RFC 7464).

use pagerace_sim::{LoggedPacket, Side};
use serde::Serialize;

use crate::event::Event;
use crate::{QlogTitle, side_name};

/// Separator in front of each record (RFC 7464, section 2.2).
const RECORD_SEPARATOR: char = '\u{1e}';

#[derive(Serialize)]
struct Header<'a> {
    // qvis expects these two fields within the first kilobyte, so they come first.
    qlog_version: &'static str,
    qlog_format: &'static str,
    title: &'a str,
    description: &'a str,
    trace: Trace<'a>,
}

#[derive(Serialize)]
struct Trace<'a> {
    title: &'a str,
    description: &'a str,
    vantage_point: VantagePoint,
    common_fields: CommonFields,
    configuration: Configuration<'a>,
}

#[derive(Serialize)]
struct VantagePoint {
    name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Serialize)]
struct CommonFields {
    protocol_type: [&'static str; 2],
    time_format: &'static str,
    /// Start of virtual time, which has no date.
    reference_time: u64,
}

/// Fields of this project, for which the schema leaves room here.
#[derive(Serialize)]
struct Configuration<'a> {
    code_version: &'static str,
    page: &'a str,
    network: &'a str,
    strategy: &'a str,
    run: u64,
    // The seed as text, because JavaScript's numbers hold only 53 bits.
    seed: String,
}

/// Returns the file of one end.
pub(crate) fn text(
    title: &QlogTitle,
    connection: u32,
    side: Side,
    packets: &[&LoggedPacket],
) -> String {
    let QlogTitle {
        page,
        network,
        strategy,
        run,
        seed,
    } = title;
    let side = side_name(side);
    let heading = format!("{page}: {strategy}, run {run}, connection {connection}, {side}");
    let description = format!(
        "Simulated load of {page} on \"{network}\" with strategy {strategy}, seed {seed}; \
         Pagerace {}; times are virtual, from the start of the load",
        env!("CARGO_PKG_VERSION")
    );
    let header = Header {
        qlog_version: "0.3",
        qlog_format: "JSON-SEQ",
        title: &heading,
        description: &description,
        trace: Trace {
            title: &heading,
            description: &description,
            vantage_point: VantagePoint {
                name: "pagerace",
                kind: side,
            },
            common_fields: CommonFields {
                protocol_type: ["QUIC", "HTTP3"],
                time_format: "relative",
                reference_time: 0,
            },
            configuration: Configuration {
                code_version: concat!("pagerace ", env!("CARGO_PKG_VERSION")),
                page,
                network,
                strategy,
                run: *run,
                seed: seed.to_string(),
            },
        },
    };
    let mut text = String::new();
    push_record(&mut text, &header);
    for packet in packets {
        push_record(&mut text, &Event::new(packet));
    }
    text
}

fn push_record(text: &mut String, record: &impl Serialize) {
    text.push(RECORD_SEPARATOR);
    text.push_str(&serde_json::to_string(record).expect("text and numbers always serialise"));
    text.push('\n');
}
