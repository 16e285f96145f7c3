//! Files with fewer bytes, by a share that is assumed.

use pagerace_core::Destination;

use super::{Edit, Kept, Kind, Value, each, place, share};
use crate::{Page, Resource, ResourceId};

/// Lets images have fewer bytes.
pub(super) struct Resize;

/// Lets fonts have fewer characters.
pub(super) struct Subset;

/// Loads only a part of scripts and style sheets.
pub(super) struct Split;

impl Kind for Resize {
    fn name(&self) -> &'static str {
        "resize"
    }

    fn value(&self) -> Value {
        Value::Share
    }

    fn summary(&self) -> &'static str {
        "Gives images this share of their bytes, as smaller dimensions or another format would"
    }

    fn example(&self) -> &'static str {
        "resize=0.5 */hero.jpg"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let share = share(value)?;
        each(on, page, |page, id| {
            if page.resource(id).destination != Destination::Image {
                return Err("it is no image");
            }
            let image = &mut page.resources[id.index()];
            image.decoded_bytes = image.decoded_bytes.map(|bytes| scaled(bytes, share));
            scale_measured(image, share);
            let bytes = scaled(image.body_bytes, share);
            set_bytes(page, id, bytes);
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }
}

impl Kind for Subset {
    fn name(&self) -> &'static str {
        "subset"
    }

    fn value(&self) -> Value {
        Value::Share
    }

    fn summary(&self) -> &'static str {
        "Gives fonts this share of their bytes, as fonts with fewer characters have"
    }

    fn example(&self) -> &'static str {
        "subset=0.3 fonts"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let share = share(value)?;
        each(on, page, |page, id| {
            if page.resource(id).destination != Destination::Font {
                return Err("it is no font");
            }
            cut(page, id, share);
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }
}

impl Kind for Split {
    fn name(&self) -> &'static str {
        "split"
    }

    fn value(&self) -> Value {
        Value::Share
    }

    fn summary(&self) -> &'static str {
        "Leaves scripts and style sheets this share of their bytes and time; the rest is not loaded"
    }

    fn example(&self) -> &'static str {
        "split=0.5 */app.js"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let share = share(value)?;
        each(on, page, |page, id| {
            let resource = page.resource(id);
            if !matches!(
                resource.destination,
                Destination::Script | Destination::Style
            ) {
                return Err("it is no script and no style sheet");
            }
            cut(page, id, share);
            let part = &mut page.resources[id.index()];
            part.cpu_time = part.cpu_time.map(|time| time.mul_f64(share));
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }
}

pub(super) fn scaled(bytes: u64, share: f64) -> u64 {
    (bytes as f64 * share).round() as u64
}

/// Leaves a share of a body, encoded and decoded.
fn cut(page: &mut Page, id: ResourceId, share: f64) {
    let resource = &mut page.resources[id.index()];
    resource.body_bytes = scaled(resource.body_bytes, share);
    resource.decoded_bytes = resource.decoded_bytes.map(|bytes| scaled(bytes, share));
    scale_measured(resource, share);
}

/// Lets other forms of a body have this share of their bytes, too.
pub(super) fn scale_measured(resource: &mut Resource, share: f64) {
    for size in &mut resource.measured {
        size.bytes = scaled(size.bytes, share);
    }
}

/// Gives a body this encoded size. What its bytes deliver comes in proportion.
pub(super) fn set_bytes(page: &mut Page, id: ResourceId, bytes: u64) {
    let resource = &mut page.resources[id.index()];
    let share = bytes as f64 / resource.body_bytes.max(1) as f64;
    resource.body_bytes = bytes;
    resource.image.head = resource.image.head.min(bytes);
    let head = resource.image.head;
    let row = |end: u64| scaled(end, share).max(head);
    resource.image.rows = resource.image.rows.map(|rows| rows.map(row));
    place::scale(page, id, share);
}
