//! Smaller images.

use pagerace_core::Destination;

use super::{Edit, Kept, Kind, Value, each};
use crate::{Page, Resource, ResourceId};

/// Lets images have fewer bytes.
pub(super) struct Resize;

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
        let share: f64 = value.parse().map_err(|_| "no share".to_owned())?;
        let scaled = |bytes: u64| (bytes as f64 * share).round() as u64;
        each(on, page, |page, id| {
            let resource = &mut page.resources[id.index()];
            if resource.destination != Destination::Image {
                return Err("it is no image");
            }
            resource.body_bytes = scaled(resource.body_bytes);
            resource.decoded_bytes = resource.decoded_bytes.map(scaled);
            resource.image.head = resource.image.head.min(resource.body_bytes);
            let head = resource.image.head;
            let row = |end: u64| scaled(end).max(head);
            resource.image.rows = resource.image.rows.map(|rows| rows.map(row));
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }
}
