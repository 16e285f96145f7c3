//! Facts that a server of files knows of a request, for strategies that look at types and classes.
//!
//! Browsers name the type of a resource in `sec-fetch-dest`
//! (<https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-dest-header>), and its urgency by
//! RFC 9218. Other clients are given the class that Chromium gives to files of this type: what
//! they signal is a wish, and tells nothing of the file.

use pagerace_core::{Destination, RequestPriority, ScriptMode};
use pagerace_delivery::Facts;
use pagerace_har::infer_priority;
use pagerace_http::fields;
use pagerace_peer::Request;

/// Returns the facts of a request for a file of this media type.
pub(super) fn of(request: &Request, content_type: &str) -> Facts {
    let named = fields::get(&request.fields, "sec-fetch-dest");
    let destination = named.map_or_else(|| of_type(content_type), |name| of_name(name));
    // Browsers leave the `priority` field out if it would say the default.
    let class = if named.is_some() {
        RequestPriority::of_urgency(request.priority.urgency)
    } else {
        infer_priority(destination, ScriptMode::Blocking, true, false)
    };
    let script_mode = match class {
        RequestPriority::Low | RequestPriority::VeryLow => ScriptMode::Async,
        _ => ScriptMode::Blocking,
    };
    Facts {
        destination,
        script_mode,
        class,
        render_blocking: match destination {
            Destination::Document => true,
            Destination::Style | Destination::Script => script_mode == ScriptMode::Blocking,
            _ => false,
        },
        served: None,
    }
}

/// Returns the destination that a browser names.
fn of_name(name: &[u8]) -> Destination {
    match name {
        b"document" => Destination::Document,
        b"iframe" | b"frame" | b"embed" | b"object" => Destination::Iframe,
        b"style" => Destination::Style,
        b"script" | b"worker" | b"sharedworker" | b"serviceworker" => Destination::Script,
        b"font" => Destination::Font,
        b"image" => Destination::Image,
        b"audio" | b"video" | b"track" => Destination::Media,
        b"empty" => Destination::Fetch,
        _ => Destination::Other,
    }
}

/// Returns the destination of most files of a media type.
fn of_type(content_type: &str) -> Destination {
    let essence = content_type.split(';').next().unwrap_or_default();
    match essence.split_once('/').unwrap_or_default() {
        ("text", "html") => Destination::Document,
        ("text", "css") => Destination::Style,
        ("text", "javascript") => Destination::Script,
        ("text", "vtt") | ("audio" | "video", _) => Destination::Media,
        ("font", _) => Destination::Font,
        ("image", _) => Destination::Image,
        ("application", "json" | "xml" | "wasm") => Destination::Fetch,
        _ => Destination::Other,
    }
}

#[cfg(test)]
mod tests {
    use pagerace_http::Field;

    use super::*;

    fn facts(content_type: &str, fields: &[(&'static str, &'static str)]) -> Facts {
        let fields: Vec<Field> = fields.iter().map(|(n, v)| Field::new(*n, *v)).collect();
        let request = Request {
            method: "GET".into(),
            authority: "localhost".into(),
            path: "/file".into(),
            priority: pagerace_http::priority::of_fields(&fields),
            fields,
            body_bytes: 0,
        };
        of(&request, content_type)
    }

    #[test]
    fn a_client_that_is_no_browser_gets_the_class_of_the_type() {
        let class = |content_type| facts(content_type, &[]).class;
        assert_eq!(class("text/css; charset=utf-8"), RequestPriority::VeryHigh);
        assert_eq!(class("text/javascript"), RequestPriority::High);
        assert_eq!(class("image/png"), RequestPriority::Low);
        assert_eq!(class("application/pdf"), RequestPriority::Low);
        assert!(facts("text/css", &[]).render_blocking);
        assert!(facts("text/html; charset=utf-8", &[]).render_blocking);
        assert!(!facts("font/woff2", &[]).render_blocking);
        let signalled = facts("text/javascript", &[("priority", "u=4")]);
        assert_eq!(signalled.class, RequestPriority::High);
        assert_eq!(signalled.script_mode, ScriptMode::Blocking);
    }

    #[test]
    fn a_probe_expects_what_a_folder_knows() {
        for content_type in [
            "text/html",
            "text/css",
            "text/javascript",
            "font/woff2",
            "image/png",
            "video/mp4",
            "application/json",
            "application/pdf",
        ] {
            let expected = pagerace_probe::plan::facts(content_type);
            let known = facts(content_type, &[("priority", "u=6, i")]);
            assert_eq!(
                (known.destination, known.class, known.render_blocking),
                (
                    expected.destination,
                    expected.class,
                    expected.render_blocking
                ),
                "{content_type}"
            );
        }
    }

    #[test]
    fn a_browsers_signal_names_the_class() {
        let script = ("sec-fetch-dest", "script");
        let late = facts("text/javascript", &[script, ("priority", "u=4")]);
        assert_eq!(late.class, RequestPriority::VeryLow);
        assert_eq!(late.script_mode, ScriptMode::Async);
        let image = ("sec-fetch-dest", "image");
        let seen = facts("image/png", &[image, ("priority", "u=1, i")]);
        assert_eq!(
            (seen.destination, seen.class),
            (Destination::Image, RequestPriority::High)
        );
        assert!(!seen.render_blocking);
    }

    #[test]
    fn a_browser_names_the_type_and_leaves_out_the_default() {
        let script = facts("text/javascript", &[("sec-fetch-dest", "script")]);
        assert_eq!(script.class, RequestPriority::Low);
        assert_eq!(script.script_mode, ScriptMode::Async);
        let data = [("sec-fetch-dest", "empty"), ("priority", "u=1, i")];
        assert_eq!(facts("text/html", &data).destination, Destination::Fetch);
    }
}
