//! Bodies in other codings, whose sizes are measured.

use super::{Edit, Kept, Kind, Measure, Value, each, named, resize};
use crate::{Page, Resource, ResourceId};

/// The least share of its bytes that another form of a body has to save.
const LEAST: f64 = 0.01;

/// Sends bodies in another content coding.
pub(super) struct Compress;

/// Sends bodies as differences to those of an earlier recording.
pub(super) struct Dictionary;

impl Kind for Compress {
    fn name(&self) -> &'static str {
        "compress"
    }

    fn value(&self) -> Value {
        Value::Word(&["br", "gzip"])
    }

    fn summary(&self) -> &'static str {
        "Sends bodies in this content coding; their sizes are measured by encoding the recorded ones"
    }

    fn example(&self) -> &'static str {
        "compress=br js"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let name = named(self.name(), value);
        each(on, page, |page, id| shrink(page, id, &name))
    }

    fn edit(&self, value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Encode(if value == "gzip" { "gzip" } else { "br" })
    }

    fn measure(&self, value: &str) -> Option<Measure> {
        Some(Measure::Coding(if value == "gzip" { "gzip" } else { "br" }))
    }
}

impl Kind for Dictionary {
    fn name(&self) -> &'static str {
        "dictionary"
    }

    fn value(&self) -> Value {
        Value::File
    }

    fn summary(&self) -> &'static str {
        "Sends bodies compressed against those of an earlier recording; their sizes are measured"
    }

    fn example(&self) -> &'static str {
        "dictionary=old.har js"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let name = named(self.name(), value);
        each(on, page, |page, id| shrink(page, id, &name))
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }

    fn measure(&self, value: &str) -> Option<Measure> {
        Some(Measure::Dictionary(value.to_owned()))
    }
}

/// Gives the body its measured size after the change.
pub(super) fn shrink(page: &mut Page, id: ResourceId, change: &str) -> Result<(), &'static str> {
    let resource = page.resource(id);
    let Some(bytes) = resource.measured(change) else {
        return Err(
            "its size in this form is not measured: the recording lacks the body, or it has changed since",
        );
    };
    if bytes as f64 > resource.body_bytes as f64 * (1.0 - LEAST) {
        return Err("it would not be smaller");
    }
    // Its size in a bundle shrinks with the body, and so do the sizes of others inside a document.
    let share = bytes as f64 / resource.body_bytes.max(1) as f64;
    let is_document = id == page.document;
    let (own, others) = (named("bundle", ""), named("inline", ""));
    for one in &mut page.resources {
        let is_own = one.id == id;
        for size in &mut one.measured {
            if (is_own && size.change == own) || (is_document && size.change == others) {
                size.bytes = resize::scaled(size.bytes, share);
            }
        }
    }
    resize::set_bytes(page, id, bytes);
    Ok(())
}
