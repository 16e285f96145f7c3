//! A qlog file: a header record, followed by one record per event
//! (draft-ietf-quic-qlog-main-schema-02; RFC 7464).

use pagerace_core::object;
use pagerace_sim::{LoggedPacket, Side};
use serde::Serialize;

use crate::event::event;
use crate::{QlogTitle, side_name};

/// Separator in front of each record (RFC 7464, section 2.2).
const RECORD_SEPARATOR: char = '\u{1e}';

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
    // qvis expects the version and the format within the first kilobyte, so they come first.
    let header = object! {
        qlog_version: "0.3",
        qlog_format: "JSON-SEQ",
        title: &heading,
        description: &description,
        trace: object! {
            title: &heading,
            description: &description,
            vantage_point: object! { name: "pagerace", r#type: side },
            common_fields: object! {
                protocol_type: ["QUIC", "HTTP3"],
                time_format: "relative",
                // Virtual time has no date.
                reference_time: 0,
            },
            // Fields of this project, for which the schema leaves room here.
            configuration: object! {
                code_version: concat!("pagerace ", env!("CARGO_PKG_VERSION")),
                page: page,
                network: network,
                strategy: strategy,
                run: run,
                // As text, because JavaScript's numbers hold only 53 bits.
                seed: seed.to_string(),
            },
        },
    };
    let mut text = String::new();
    push_record(&mut text, &header);
    for packet in packets {
        push_record(&mut text, &event(packet));
    }
    text
}

fn push_record(text: &mut String, record: &impl Serialize) {
    text.push(RECORD_SEPARATOR);
    text.push_str(&serde_json::to_string(record).expect("text and numbers always serialise"));
    text.push('\n');
}
