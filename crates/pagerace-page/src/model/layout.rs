//! Positions of a page's elements on the screen, and the cost of rendering them. Only
//! recordings with a layout provide them.

use pagerace_core::{Duration, names};
use serde::{Deserialize, Serialize};

use super::{ResourceId, Wait, is_default};

/// Contents of the screen after the page has loaded, not scrolled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageLayout {
    /// Width and height of the viewport, CSS pixels.
    pub viewport: (u32, u32),
    /// Pixels of the device for each CSS pixel, in one dimension; `None` if the recording does not
    /// tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Elements in document order.
    pub elements: Vec<Element>,
    /// Fonts with a known `font-display`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fonts: Vec<FontUse>,
    /// Resources that the document's markup names but that the browser requests only once
    /// layout needs them: images with `loading=lazy`, and resources named by style
    /// attributes and style elements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_layout: Vec<ResourceId>,
    /// Encoded bytes of the document before its body; `None` if the recording does not
    /// hold the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_start: Option<u64>,
    /// The recorded largest contentful paint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<Largest>,
    /// Main-thread time of style, layout and paint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendering: Option<RenderingTime>,
    /// Number of processors of the machine that recorded the page, on which its main-thread times
    /// depend; `None` if the recording does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<u32>,
    /// Main-thread tasks of scripts beyond their first run, such as handlers of
    /// `DOMContentLoaded`, in recorded order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callbacks: Vec<Callback>,
    /// Shares of visual progress, if measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares: Option<PictureShares>,
    /// Scripts inside the document that take main-thread time, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inline_scripts: Vec<InlineScript>,
    /// An overlay that hides the page at first; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlay: Option<Overlay>,
    /// The time until which scripts hide all elements of the page; `None` if they do not. Hidden
    /// elements make no paint contentful.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<Overlay>,
    /// Browser that measured the layout of a recording without one, such as
    /// `Chromium 156.0.7000.1`; `None` if the recording has a layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_in: Option<String>,
    /// Pictures of the loaded page. They show what a load looks like and change nothing of it, so
    /// scenarios do not hold them.
    #[serde(skip)]
    pub pictures: Option<Box<Pictures>>,
}

/// Pictures of the viewport, as WebP in base64: complete, and without some of its parts, so that
/// what lies behind those can be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pictures {
    /// All parts.
    pub whole: String,
    /// All but text.
    pub textless: Option<String>,
    /// All but images.
    pub imageless: Option<String>,
    /// Neither text nor images.
    pub bare: Option<String>,
    /// The canvas alone.
    pub canvas: Option<String>,
    /// Number of elements of the layout, from the first, that the pictures can show. Scripts remove
    /// the others before the page is complete.
    pub elements: usize,
}

/// A script inside the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineScript {
    /// Encoded bytes of the document up to the end of the script.
    pub offset: u64,
    /// Main-thread time of the script, a part of the document's `cpu_time`.
    pub cost: Duration,
}

/// A cover keeps the page from being seen until a script removes it. It is an element in front of
/// the page, such as a loader, or a rule that hides all elements. Paints behind an element count
/// for first and largest contentful paint, but not for visual progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// Event that the script waits for.
    pub after: Wait,
    /// Time from that event until the page can be seen.
    pub delay: Duration,
    /// Time from the arrival of the document after which a hidden page is shown in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Duration>,
}

/// A main-thread task that an event calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// Event that the task waits for.
    pub after: Wait,
    /// Time from that event until the task is ready, less main-thread work in between.
    #[serde(default, skip_serializing_if = "is_default")]
    pub delay: Duration,
    /// Recorded main-thread time.
    pub cost: Duration,
}

/// Shares of visual progress, 0 to 1, measured on the loaded page. Together with the
/// shares of the elements ([`Element::share`]) they add up to 1, except for rounding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PictureShares {
    /// Share of the pixels that no element owns: canvas, borders and gradients.
    pub canvas: f64,
    /// True if scripts change the colour of the canvas.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub canvas_scripted: bool,
    /// Share of each image.
    pub images: Vec<ImageShare>,
    /// Share of all other images together.
    pub other_images: f64,
}

/// Share of an image in visual progress, over all places where it is visible.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageShare {
    /// Resource that holds the image's bytes.
    pub image: ResourceId,
    /// Share of the image, 0 to 1.
    pub share: f64,
    /// Parts of that share, 0 to 1, that one tenth, two tenths, and so on up to nine tenths of the
    /// image's rows add, from the top: not all rows are visible. `None` if not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<[f64; 9]>,
}

/// A visible element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Content of the element.
    pub kind: ElementKind,
    /// Position and size of the element.
    pub rect: Rect,
    /// Encoded bytes of the document up to the end of the element; `None` if a script
    /// created the element or revealed it from the markup.
    pub offset: Option<u64>,
    /// Event that the script waited for, if a script created or revealed the element.
    #[serde(default, skip_serializing_if = "is_default")]
    pub after: Wait,
    /// Time from that event to the element's appearance in the recording, less other
    /// main-thread work in between; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Time from the element's paint until it counts as visible, if it fades in or moves into
    /// place.
    #[serde(default, skip_serializing_if = "is_default")]
    pub motion: Duration,
    /// Time from the element's paint until it counts for the contentful paints, if a style sheet
    /// fades it in from full transparency: browsers note such paints when the fade ends.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fade: Duration,
    /// True if the element makes a paint contentful, as all do except backgrounds of
    /// plain colour (Paint Timing, <https://www.w3.org/TR/paint-timing/#contentful>).
    pub contentful: bool,
    /// Natural width and height of an image, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natural: Option<(f32, f32)>,
    /// True if nothing reserves a height for the image before its bytes tell it, so that it moves
    /// what is below.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unreserved: bool,
    /// Share of visual progress, 0 to 1; 0 for images and if not measured.
    #[serde(default, skip_serializing_if = "is_default")]
    pub share: f64,
}

/// Content of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum ElementKind {
    /// A block of text.
    Text {
        /// Web fonts of the text.
        fonts: Vec<ResourceId>,
    },
    /// An image.
    Image {
        /// Resource that holds the image's bytes.
        resource: ResourceId,
    },
    /// A background image.
    Background {
        /// Resource that holds the image's bytes.
        resource: ResourceId,
    },
    /// Content that needs no resource: images embedded in the document, vector graphics,
    /// canvases and colours.
    #[default]
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
    /// Returns the area, in square CSS pixels, that lies inside a viewport of this size,
    /// not scrolled.
    pub fn visible_area(&self, (width, height): (u32, u32)) -> f64 {
        self.shared_area(Self {
            x: 0.0,
            y: 0.0,
            width: width as f32,
            height: height as f32,
        })
    }

    /// Returns the area, in square CSS pixels, that both rectangles cover.
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

/// Behaviour of text while a font loads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FontUse {
    /// Resource that holds the font.
    pub font: ResourceId,
    /// Value of `font-display` in its `@font-face` rule.
    pub display: FontDisplay,
}

names! {
    /// `font-display` of an `@font-face` rule
    /// (<https://www.w3.org/TR/css-fonts-4/#font-display-desc>).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum FontDisplay as "font-display" {
        /// The browser decides.
        #[default]
        Auto = "auto",
        /// Text is invisible for a while, and swapped whenever the font arrives.
        Block = "block",
        /// Text is visible at once, and swapped whenever the font arrives.
        Swap = "swap",
        /// Text is invisible for a moment, and swapped only if the font arrives soon.
        Fallback = "fallback",
        /// Text uses the font only if it is already available.
        Optional = "optional",
    }
}

/// The recorded largest contentful paint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Largest {
    /// Size of the element as the browser counts it, square CSS pixels.
    pub size: f64,
    /// The image; `None` if the largest paint was text.
    pub image: Option<ResourceId>,
    /// Index of the text among the elements, if the largest paint was text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<usize>,
    /// True if a script builds the image anew, at a larger size. Chromium counts that as another
    /// paint, so the largest one is not before `DOMContentLoaded`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub rebuilt: bool,
}

/// Times of frames in the recording: main-thread time of style, layout and paint, and the time
/// until the frame is on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenderingTime {
    /// Total time up to the first contentful paint.
    pub first: Duration,
    /// The part of it for computing styles; `None` if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_style: Option<Duration>,
    /// Average time of a task after the first contentful paint; `None` without such
    /// tasks.
    pub later: Option<Duration>,
    /// Time from the main thread's end of the frame with the first contentful paint to its
    /// presentation, without decoding of images; `None` if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presentation: Option<Duration>,
    /// The same for a later frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub later_presentation: Option<Duration>,
}
