//! The `font-display` descriptor of web fonts
//! (<https://www.w3.org/TR/css-fonts-4/#font-display-desc>).

use pagerace_core::Destination;

use super::{Edit, Kept, Kind, Value, each};
use crate::model::{FontDisplay as Display, FontUse, Paints};
use crate::{Page, Resource, ResourceId};

/// Shows text in a fallback font while its own loads.
pub(super) struct FontDisplay;

impl Kind for FontDisplay {
    fn name(&self) -> &'static str {
        "font-display"
    }

    fn value(&self) -> Value {
        Value::Word(&["swap", "fallback", "optional"])
    }

    fn summary(&self) -> &'static str {
        "Shows text in a fallback font while its own loads"
    }

    fn example(&self) -> &'static str {
        "font-display=swap fonts"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let display = match value {
            "swap" => Display::Swap,
            "fallback" => Display::Fallback,
            _ => Display::Optional,
        };
        each(on, page, |page, font| {
            if page.resource(font).destination != Destination::Font {
                return Err("it is no font");
            }
            let fonts = match &mut page.paints {
                Paints::Recorded(layout) => &mut layout.fonts,
                Paints::Guessed(guess) => match &mut guess.content {
                    Some(content) => &mut content.fonts,
                    None => return Err("the recording holds no style sheets"),
                },
            };
            match fonts.iter_mut().find(|one| one.font == font) {
                Some(one) if one.display == display => return Err("it is displayed so already"),
                Some(one) => one.display = display,
                None => fonts.push(FontUse { font, display }),
            }
            Ok(())
        })
    }

    fn edit(&self, value: &str, _: &Resource, _: &Page) -> Edit {
        Edit::Face(value.to_owned())
    }
}
