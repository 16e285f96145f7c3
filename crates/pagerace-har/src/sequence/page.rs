//! Conversion of a sequence to a page: each object is requested from one server, over one
//! connection, when the previous one is complete.
//!
//! # Source
//! Srivastava 2024, section 5.8.2: the client requests the files of a sequence one by
//! one. Objects are only transferred: they do not run, block or appear, and the server
//! has no think time.

use pagerace_core::{Destination, Duration, ScriptMode};

use super::{Transfer, TransferSequence};
use pagerace_page::model::{
    Category, Note, Origin, OriginId, Page, Paints, RecordedPage, RecordedTimes, Resource,
    ResourceId, Trigger,
};

/// Hosts of the stand-in servers, which share one connection.
const OWN: &str = "objects.example";
const OTHERS: &str = "objects.third-party.example";
/// Bytes of the field section of a request or response as text; most recorded requests
/// have at least as many.
const HEADER_BYTES: u32 = 200;

impl TransferSequence {
    /// Creates a page called `name` that fetches these objects one after the other. The
    /// load event follows the end of the last object. The first object is the document,
    /// which is never delivered in part.
    pub fn to_page(&self, name: &str) -> Page {
        let resources = self.transfers.iter().enumerate();
        let resources: Vec<Resource> = resources.map(|(i, t)| resource(i, t)).collect();
        let text = "a transfer sequence: objects are fetched one after the other, over one \
                    connection, and nothing is run or shown";
        Page {
            name: name.to_owned(),
            url: resources[0].url.clone(),
            origins: vec![origin(OWN, false), origin(OTHERS, true)],
            resources,
            document: ResourceId(0),
            joins: Vec::new(),
            hints: Vec::new(),
            recorded: RecordedPage::default(),
            paints: Paints::default(),
            notes: vec![Note {
                text: text.to_owned(),
                entries: self.transfers.len() as u32,
            }],
        }
    }
}

fn origin(host: &str, third_party: bool) -> Origin {
    Origin {
        scheme: "https".to_owned(),
        host: host.to_owned(),
        port: 443,
        address: None,
        connection_group: 0,
        third_party,
        recorded_rtt: None,
        unvisited: false,
        protocol: None,
    }
}

fn resource(index: usize, transfer: &Transfer) -> Resource {
    let third_party = transfer.third_party.unwrap_or(false);
    let host = if third_party { OTHERS } else { OWN };
    let id = ResourceId(index as u32);
    let trigger = match index.checked_sub(1) {
        None => Trigger::Navigation,
        Some(before) => Trigger::After {
            parent: ResourceId(before as u32),
            delay: Duration::ZERO,
        },
    };
    Resource {
        origin: OriginId(u32::from(third_party)),
        script_mode: ScriptMode::Async,
        mime_type: if index == 0 {
            "text/html".to_owned()
        } else {
            mime_type(transfer).to_owned()
        },
        request_header_bytes: HEADER_BYTES,
        response_header_bytes: HEADER_BYTES,
        body_bytes: transfer.size,
        cpu_time: Some(Duration::ZERO),
        category: transfer.category,
        third_party,
        recorded: transfer.transfer_time.map(|time| RecordedTimes {
            start: transfer.start,
            end: transfer.start + time,
            exchange: None,
        }),
        ..Resource::new(
            id,
            format!("https://{host}/{}", transfer.file_name),
            if index == 0 {
                Destination::Document
            } else {
                Destination::Other
            },
            trigger,
        )
    }
}

/// Returns a media type from which selectors recognise the object's category. For
/// advertisement, the extension decides.
fn mime_type(transfer: &Transfer) -> &'static str {
    match (transfer.category, transfer.extension.as_str()) {
        (Category::Javascript, _) | (_, "js") => "text/javascript",
        (Category::Css, _) | (_, "css") => "text/css",
        (Category::Fonts, _) => "font/woff2",
        (Category::Html, _) | (_, "html") => "text/html",
        (Category::Json, _) | (_, "json") => "application/json",
        (Category::Images, _) | (_, "jpg" | "png" | "webp" | "gif" | "svg") => "image/webp",
        (_, "mp4" | "webm" | "ts") => "video/mp4",
        _ => "application/octet-stream",
    }
}
