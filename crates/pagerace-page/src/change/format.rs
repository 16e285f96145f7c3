//! Images in other formats, whose sizes are measured.

use pagerace_core::Destination;

use super::compress::shrink;
use super::{Edit, Kept, Kind, Measure, Value, each, named};
use crate::model::ImageCoding;
use crate::{Page, Resource, ResourceId};

/// Sends images in another format.
pub(super) struct Format;

const WORDS: [&str; 2] = ["avif", "webp"];

impl Kind for Format {
    fn name(&self) -> &'static str {
        "format"
    }

    fn value(&self) -> Value {
        Value::Word(&WORDS)
    }

    fn summary(&self) -> &'static str {
        "Sends images in this format; their sizes at the recorded quality are measured by `pagerace record`"
    }

    fn example(&self) -> &'static str {
        "format=avif */hero.jpg"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let name = named(self.name(), value);
        each(on, page, |page, id| {
            if page.resource(id).destination != Destination::Image {
                return Err("it is no image");
            }
            if page.resource(id).measured(&name).is_none() {
                return Err(
                    "its size in this format is not measured: it is small, in that format already, or the \
                     recording is of another recorder",
                );
            }
            shrink(page, id, &name)?;
            let image = &mut page.resources[id.index()];
            let bytes = image.body_bytes;
            let image = &mut image.image;
            // Browsers show the rows of a WebP image as they come, and those of an AVIF image at its end.
            (image.coding, image.rows) = match value {
                "webp" => (ImageCoding::TopDown, None),
                _ => (ImageCoding::Unknown, Some([bytes; 11])),
            };
            Ok(())
        })
    }

    fn edit(&self, _value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Other
    }

    fn measure(&self, value: &str) -> Option<Measure> {
        WORDS
            .into_iter()
            .find(|word| *word == value)
            .map(Measure::Picture)
    }
}
