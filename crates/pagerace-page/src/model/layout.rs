//! Where a recorded page's elements are on the screen, and what rendering
//! them cost: what a recording with layout says, and no other.

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

use super::{ResourceId, Wait};

/// What was on the screen when the page had been loaded, not scrolled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageLayout {
    /// Width and height of the viewport, CSS pixels.
    pub viewport: (u32, u32),
    /// In the order of the document.
    pub elements: Vec<Element>,
    /// Fonts that say how text waits for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fonts: Vec<FontUse>,
    /// What the document's markup names, but the browser asks for only when a
    /// layout has found that it is needed: images with `loading=lazy`, and what
    /// style attributes and style elements name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_layout: Vec<ResourceId>,
    /// Encoded bytes of the document before its body, if the recording holds
    /// the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_start: Option<u64>,
    /// The recorded largest contentful paint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<Largest>,
    /// Main-thread time of style, layout and paint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendering: Option<RenderingTime>,
    /// How many times slower than its machine the recording's main thread was made, as
    /// for a phone; `None` where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<f64>,
    /// The shares of visual progress, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<PictureShares>,
}

/// Shares of visual progress, 0 to 1, measured on the loaded page. With those of the
/// elements ([`Element::share`]) they add up to 1, but for rounding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PictureShares {
    /// Of the canvas, borders and gradients: pixels that no element owns.
    pub canvas: f64,
    /// Scripts colour the canvas: without them it has another colour.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub canvas_scripted: bool,
    /// Of images, wherever they are seen.
    pub images: Vec<(ResourceId, f64)>,
    /// Of all other images together.
    pub other_images: f64,
}

/// Something that people see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// Where it is.
    pub rect: Rect,
    /// Encoded bytes of the document up to its end; `None` if a script made it, or
    /// revealed what the markup holds.
    pub offset: Option<u64>,
    /// If a script made or revealed it: what the script waited for.
    #[serde(default = "content_loaded", skip_serializing_if = "is_content_loaded")]
    pub after: Wait,
    /// How long after that it appeared in the recording, less what else the main thread did
    /// in between; `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Whether it makes a paint contentful: all but backgrounds of plain
    /// colour (Paint Timing, <https://www.w3.org/TR/paint-timing/#contentful>).
    pub contentful: bool,
    /// Width and height of the image itself, if it is one and they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natural: Option<(f32, f32)>,
    /// Its share of visual progress, 0 to 1; 0 for images and if it was not measured.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub share: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

const fn content_loaded() -> Wait {
    Wait::ContentLoaded
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_content_loaded(wait: &Wait) -> bool {
    *wait == Wait::ContentLoaded
}

/// What an element shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum ElementKind {
    /// A block of text.
    Text {
        /// The web fonts that it is written in.
        fonts: Vec<ResourceId>,
    },
    /// An image.
    Image {
        /// Its bytes.
        resource: ResourceId,
    },
    /// An image behind other things.
    Background {
        /// Its bytes.
        resource: ResourceId,
    },
    /// What needs no resource: images inside the document, vector graphics,
    /// canvases, colours; and videos.
    Other,
}

/// A rectangle in CSS pixels, from the page's upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub x: f32,
    /// Upper edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Rect {
    /// Pixels of it that lie in a viewport of this size, not scrolled.
    pub fn visible_area(&self, (width, height): (u32, u32)) -> f64 {
        self.shared_area(Self {
            x: 0.0,
            y: 0.0,
            width: width as f32,
            height: height as f32,
        })
    }

    /// Pixels that lie in both.
    pub fn shared_area(&self, other: Self) -> f64 {
        let overlap = |one: (f32, f32), two: (f32, f32)| {
            let end = |(at, length): (f32, f32)| f64::from(at) + f64::from(length);
            let from = f64::from(one.0).max(f64::from(two.0));
            (end(one).min(end(two)) - from).max(0.0)
        };
        overlap((self.x, self.width), (other.x, other.width))
            * overlap((self.y, self.height), (other.y, other.height))
    }
}

/// How text waits for a font.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FontUse {
    /// The font.
    pub font: ResourceId,
    /// What its `@font-face` says.
    pub display: FontDisplay,
}

/// `font-display` of an `@font-face` rule
/// (<https://www.w3.org/TR/css-fonts-4/#font-display-desc>).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FontDisplay {
    /// The browser decides.
    #[default]
    Auto,
    /// Text is invisible for a while, and swapped whenever the font comes.
    Block,
    /// Text is visible at once, and swapped whenever the font comes.
    Swap,
    /// Text is invisible for a moment, and swapped if the font comes soon.
    Fallback,
    /// Text takes the font only if it is there.
    Optional,
}

/// The recorded largest contentful paint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Largest {
    /// Its size as the browser counts it, CSS pixels.
    pub size: f64,
    /// The image, or `None` if it was text.
    pub image: Option<ResourceId>,
    /// If it was text: its place among the elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<usize>,
}

/// Main-thread time of style, layout and paint in the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderingTime {
    /// All of it up to the first contentful paint.
    pub first: Duration,
    /// A later frame, on average; `None` if none was seen.
    pub later: Option<Duration>,
}
