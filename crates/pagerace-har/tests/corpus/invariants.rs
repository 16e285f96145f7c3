//! Invariants of every imported page.

use pagerace_core::{Destination, ScriptMode};
use pagerace_page::{Page, ResourceId, Trigger};

/// Checks the invariants of an imported page.
///
/// # Panics
/// Panics if the page breaks an invariant that its consumers rely on.
pub(crate) fn check(page: &Page) {
    let name = &page.name;
    assert!(
        !page.resources.is_empty() && !page.origins.is_empty(),
        "{name}"
    );
    assert_eq!(
        page.resources[0].discovery.trigger,
        Trigger::Navigation,
        "{name}"
    );
    assert_eq!(page.url, page.resources[0].url, "{name}");
    for (i, r) in page.resources.iter().enumerate() {
        let at = format!("{name}: resource {i} {}", r.url);
        assert_eq!(r.id.index(), i, "{at}");
        let origin = page.origin(r.origin);
        assert!(r.url.starts_with(&format!("{}://", origin.scheme)), "{at}");
        assert_eq!(r.third_party, origin.third_party, "{at}");
        match r.discovery.trigger {
            Trigger::Navigation => assert_eq!(i, 0, "{at}: a second navigation"),
            trigger => {
                let parent = trigger.parent().expect("all others have one");
                assert!(
                    parent.index() < i,
                    "{at}: parent {} comes later",
                    parent.index()
                );
            }
        }
        if let Trigger::Markup { parent, offset } = r.discovery.trigger {
            let parent = page.resource(parent);
            assert!(
                offset <= parent.body_bytes,
                "{at}: offset beyond the parent's end"
            );
            let is_document = matches!(
                parent.destination,
                Destination::Document | Destination::Iframe
            );
            assert!(is_document, "{at}: markup of {:?}", parent.destination);
        }
        if let Trigger::Script { parent, .. } = r.discovery.trigger {
            assert_eq!(
                page.resource(parent).destination,
                Destination::Script,
                "{at}"
            );
        }
        if let Trigger::Style { parent } = r.discovery.trigger {
            assert_eq!(
                page.resource(parent).destination,
                Destination::Style,
                "{at}"
            );
        }
        if r.destination != Destination::Script {
            assert_eq!(r.script_mode, ScriptMode::default(), "{at}");
        }
        assert!(
            !r.in_viewport || r.destination == Destination::Image,
            "{at}"
        );
        assert!(
            r.request_header_bytes > 0 && r.response_header_bytes > 0,
            "{at}"
        );
        assert!(
            r.body_bytes < 1 << 33 && r.think_time.as_secs_f64() < 3600.0,
            "{at}"
        );
        if let Some(times) = r.recorded {
            assert!(times.start <= times.end, "{at}");
        }
    }
    check_document(page);
    for (i, origin) in page.origins.iter().enumerate() {
        let group = origin.connection_group as usize;
        assert!(
            group <= i,
            "{name}: groups are numbered in order of first use"
        );
    }
    assert!(
        page.notes
            .iter()
            .all(|n| n.entries > 0 && n.text.ends_with('.')),
        "{name}"
    );
}

/// Checks that the navigation's redirects lead to the document.
fn check_document(page: &Page) {
    let mut at = page.document;
    while at != ResourceId(0) {
        match page.resource(at).discovery.trigger {
            Trigger::Redirect { parent } => at = parent,
            other => panic!("{}: the document is reached by {other:?}", page.name),
        }
    }
    assert_eq!(
        page.resource(page.document).destination,
        Destination::Document
    );
}
