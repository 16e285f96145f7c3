//! The recorded initiator of a request.
//!
//! Chrome DevTools writes `_initiator` as an object of the DevTools protocol
//! (<https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-Initiator>).
//! chrome-har writes the same object as text in `_initiator_detail`, and also
//! `_initiator`, `_initiator_line`, `_initiator_column` and `_initiator_type`.
//! WebPageTest and old browsertime write only the latter fields.

use serde_json::Value;

use super::value::{filled, list, position, text};

/// Maximum number of stack frames to read; further frames add no information.
const MAX_FRAMES: usize = 64;

/// Kind of an initiator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Markup or a style sheet names the resource.
    Parser,
    /// A script made the request.
    Script,
    /// The request is a CORS preflight for another request.
    Preflight,
    /// The initiator is not recorded or of another kind (the user, the browser itself).
    #[default]
    Unknown,
}

/// A position in a document, script or style sheet; line and column count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) url: String,
    pub(super) line: Option<u64>,
    pub(super) column: Option<u64>,
}

/// The initiator of a request, innermost place (top of the stack) first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Initiator {
    pub(super) kind: Kind,
    pub(super) places: Vec<Place>,
    /// True for the static import of a module: it has a place, but no stack.
    pub(super) is_import: bool,
    /// The recorder's id of the request that a preflight precedes.
    pub(super) request_id: Option<String>,
}

impl Initiator {
    /// Parses the initiator of an entry in any of the formats.
    pub(super) fn parse(entry: &Value) -> Self {
        if let Some(object) = entry.get("_initiator").filter(|v| v.is_object()) {
            return Self::from_protocol(object);
        }
        let detail = text(entry, "_initiator_detail")
            .and_then(|detail| serde_json::from_str::<Value>(detail).ok())
            .map(|detail| Self::from_protocol(&detail))
            .unwrap_or_default();
        if !detail.places.is_empty() || detail.kind == Kind::Preflight {
            return detail;
        }
        let kind = text(entry, "_initiator_type").map_or(detail.kind, Kind::parse);
        let place = filled(entry, "_initiator").map(|url| Place {
            url: url.to_owned(),
            // chrome-har counts lines from 1. The first number is irrelevant for other
            // recorders, because lines only serve to compute shares of a document.
            line: position(entry, "_initiator_line").map(|n| n.saturating_sub(1)),
            column: position(entry, "_initiator_column"),
        });
        Self {
            kind,
            places: place.into_iter().collect(),
            is_import: false,
            request_id: None,
        }
    }

    fn from_protocol(object: &Value) -> Self {
        let kind = text(object, "type").map_or(Kind::Unknown, Kind::parse);
        let mut places = Vec::new();
        let mut stack = object.get("stack").or_else(|| object.get("stackTrace"));
        // Old protocols put the frames directly into `stackTrace`.
        let old_frames = stack
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        places.extend(old_frames.iter().take(MAX_FRAMES).filter_map(frame));
        while let Some(trace) = stack.filter(|_| places.len() < MAX_FRAMES) {
            let frames = list(trace, "callFrames").iter().filter_map(frame);
            places.extend(frames.take(MAX_FRAMES - places.len()));
            stack = trace.get("parent");
        }
        let has_stack = !places.is_empty();
        if let Some(place) = frame(object) {
            places.push(place);
        }
        Self {
            kind,
            is_import: kind == Kind::Script && !has_stack && !places.is_empty(),
            places,
            request_id: filled(object, "requestId").map(str::to_owned),
        }
    }
}

impl Kind {
    fn parse(text: &str) -> Self {
        match text.to_ascii_lowercase().as_str() {
            "parser" => Self::Parser,
            "script" => Self::Script,
            "preflight" => Self::Preflight,
            _ => Self::Unknown,
        }
    }
}

fn frame(object: &Value) -> Option<Place> {
    Some(Place {
        url: filled(object, "url")?.to_owned(),
        line: position(object, "lineNumber"),
        column: position(object, "columnNumber"),
    })
}

#[cfg(test)]
mod tests;
