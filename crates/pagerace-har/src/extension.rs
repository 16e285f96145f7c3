//! Fields that `pagerace record` adds to HAR 1.2: the object `_pagerace` of a page, [`PageFields`],
//! and of each entry, [`EntryFields`]. The recorder writes these types, and the importer reads
//! them. `docs/recording.md` says how the recorder measures each.
//!
//! All times count from the navigation. A field is left out if it is unknown, false, zero or empty.

use pagerace_core::ScriptMode;
use pagerace_page::FontDisplay;
use serde::{Deserialize, Serialize};

use crate::Device;
pub use crate::lenient::{Ms, Share};
use crate::lenient::{empty_if_damaged, lenient};

/// Left edge, upper edge, width and height in CSS pixels, from the page's upper left corner.
pub type Rect = [f64; 4];

lenient! {
    /// `_pagerace` of a page.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct PageFields {
        /// Version of the fields: [`VERSION`].
        pub version: Option<u32>,
        /// URL that was requested, without user name and password.
        pub url: Option<String>,
        /// Device that the browser was, or emulated.
        pub device: Option<Device>,
        /// Version of Chromium.
        pub chromium: Option<String>,
        /// Number of processors that the browser could use.
        pub processors: Option<u32>,
        /// Contents of the screen after the load, not scrolled.
        pub layout: Option<Layout>,
        /// First and largest paint.
        pub paints: Paints,
        /// Cumulative layout shift.
        pub cls: Option<f64>,
        /// Tasks of the main thread of at least 1 ms, in order.
        pub main_thread: Vec<Task>,
        /// Times of frames.
        pub rendering: Rendering,
        /// True if the servers answered at once: waits for responses are none of servers.
        pub at_once: bool,
        /// Ids of the requests (`_requestId`) whose responses were held back, each in a load of its
        /// own, to learn what waits for them.
        pub held: Vec<String>,
        /// Number of secrets that were left out.
        pub secrets_dropped: Option<usize>,
    }
}

/// Version of the fields that the recorder writes.
pub const VERSION: u32 = 1;

lenient! {
    /// `_pagerace` of an entry.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct EntryFields {
        /// Byte offset in the initiating document's decoded body, behind the element that names the
        /// resource.
        pub initiator_offset: Option<u64>,
        /// True if a style attribute names the image.
        pub inline_style: bool,
        /// Work for the resource.
        pub cpu: Cpu,
        /// Execution mode of a script that an element names.
        pub script_mode: Option<ScriptMode>,
        /// `font-display` of a font.
        pub font_display: Option<FontDisplay>,
        /// Time at which the timer was set whose callback made the request.
        pub timer_set_ms: Option<Ms>,
        /// The sum of the timeouts from then on.
        pub timeout_ms: Option<Ms>,
        /// The event that called the function that made the request.
        pub caller: Option<Caller>,
        /// Ids of the held requests whose responses this one waits for; `None` if no such load made
        /// it.
        pub waits_for: Option<Vec<String>>,
        /// The rules of a style sheet that elements of the first screen match, for all media but
        /// print.
        pub first_screen: Option<String>,
        /// Bytes of an image as a WebP file of its quality.
        pub webp_bytes: Option<u64>,
        /// Bytes of an image as an AVIF file of its quality.
        pub avif_bytes: Option<u64>,
        /// Reason of a failure, in the browser's words.
        pub failed: Option<String>,
    }
}

lenient! {
    /// Work for one URL.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Cpu {
        /// Compiling and running of scripts on the main thread.
        pub script_ms: Option<Ms>,
        /// Parsing on the main thread.
        pub parse_ms: Option<Ms>,
        /// Decoding of an image.
        pub decode_ms: Option<Ms>,
    }
}

lenient! {
    /// The script that ran last in the task of a request, or the data whose arrival began that
    /// task.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Caller {
        {
            /// The script or data.
            pub url: String,
            /// Span from the end of the script's run, or from the arrival of the data, to the
            /// request.
            pub ms: Ms,
        }
    }
}

lenient! {
    /// A task of the main thread.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Task {
        {
            /// Start.
            pub ms: Ms,
            /// Duration without waits for synchronous requests, scaled to the median of several
            /// loads.
            pub duration_ms: Ms,
            /// Kind of work that took most of the task.
            pub kind: TaskKind,
        }
        /// Duration in the recorded load.
        pub wall_ms: Option<Ms>,
        /// URL with most of the work of that kind.
        pub url: Option<String>,
        /// Ids of the held requests whose responses something that the task made waits for.
        pub waits_for: Vec<String>,
    }
}

/// Kind of main-thread work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// Parsing of HTML and CSS.
    Parse,
    /// Computing styles.
    Style,
    /// Layout.
    Layout,
    /// Painting.
    Paint,
    /// Compiling and running of scripts.
    Script,
    /// Collection of garbage.
    Gc,
    /// Anything else.
    Other,
}

impl TaskKind {
    /// Returns true for work for a frame.
    pub const fn is_rendering(self) -> bool {
        matches!(self, Self::Style | Self::Layout | Self::Paint)
    }
}

lenient! {
    /// First and largest contentful paint.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Paints {
        /// Time of the first contentful paint.
        pub fcp_ms: Option<Ms>,
        /// Time of the largest contentful paint.
        pub lcp_ms: Option<Ms>,
        /// Kind of the largest element.
        pub lcp_kind: Option<LargestKind>,
        /// URL of the largest image.
        pub lcp_url: Option<String>,
        /// Size of the largest element as the browser counts it, in square CSS pixels.
        pub lcp_size: Option<f64>,
        /// Place of the largest element.
        pub lcp_rect: Option<Rect>,
        /// URLs of the scripts that made the largest text.
        pub lcp_makers: Vec<String>,
        /// True if scripts build the largest image anew, at a larger size.
        pub lcp_rebuilt: bool,
    }
}

/// Kind of a largest element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LargestKind {
    /// An image.
    Image,
    /// A text.
    Text,
}

lenient! {
    /// Times of frames.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Rendering {
        /// Style, layout and paint up to the frame of the first contentful paint.
        pub first_ms: Option<Ms>,
        /// The part of it for computing styles.
        pub first_style_ms: Option<Ms>,
        /// The mean of a task with such work after that.
        pub later_ms: Option<Ms>,
        /// From the main thread's commit of that frame to its presentation, without decoding of
        /// images.
        pub presentation_ms: Option<Ms>,
        /// The same for later frames: the median.
        pub later_presentation_ms: Option<Ms>,
    }
}

lenient! {
    /// Contents of the screen.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Layout {
        /// Width and height of the viewport in CSS pixels.
        pub viewport: Option<(f64, f64)>,
        /// Painted elements in document order.
        pub elements: Vec<Element>,
        /// Shares of the picture; `None` if they could not be measured.
        pub shares: Option<Shares>,
        /// Pictures of the viewport; `None` if they could not be taken.
        pub pictures: Option<Pictures>,
        /// An element in front of the page.
        pub overlay: Option<Cover>,
        /// Scripts hide the page itself.
        pub hidden: Option<Cover>,
        /// Scripts hide the page until another script shows it.
        pub hidden_by: Option<HiddenBy>,
    }
}

lenient! {
    /// A painted element.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Element {
        {
            /// Kind of the element.
            pub kind: ElementKind,
            /// Position and size.
            pub rect: Rect,
        }
        /// URL of the image, poster or frame.
        pub url: Option<String>,
        /// URLs of the web fonts of a text.
        pub fonts: Vec<String>,
        /// Byte offset in the decoded document behind the element; `None` if a script made it.
        pub offset: Option<u64>,
        /// Natural width and height of an image.
        pub natural: Option<(f64, f64)>,
        /// True if nothing reserves a height for the image before its bytes tell it.
        pub unreserved: bool,
        /// True if a script reveals or moves the element, or makes a part of it.
        pub scripted: bool,
        /// True if a script removes the element again before the page is loaded.
        pub transient: bool,
        /// Start of the task that put the element on the page.
        pub made_ms: Option<Ms>,
        /// Ids of the held requests whose responses the element waits for; `None` if no such load
        /// showed it.
        pub waits_for: Option<Vec<String>>,
        /// Begin of each motion, the time at which the element counts as visible, and the end; in
        /// order.
        pub motions_ms: Vec<[Ms; 3]>,
        /// Share of visual progress of an element that is no image.
        pub share: Share,
    }
}

/// Kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElementKind {
    /// The texts of a block.
    Text,
    /// An image element.
    Image,
    /// A background image, or a plain colour or shadow if it has no URL.
    Background,
    /// A video, whose URL is that of its poster.
    Video,
    /// A canvas.
    Canvas,
    /// A vector graphic inside the document.
    Svg,
    /// A frame.
    Iframe,
}

lenient! {
    /// Shares of visual progress. With those of the elements, they add up to 1.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Shares {
        /// Share of the canvas and of what no element owns.
        pub canvas: Share,
        /// True if scripts colour the canvas.
        pub canvas_scripted: bool,
        /// Images that were measured one by one.
        pub images: Vec<ImageShare>,
        /// Share of all other images.
        pub other_images: Share,
    }
}

lenient! {
    /// Pictures of the viewport in CSS pixels or smaller: WebP in base64.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Pictures {
        {
            /// All parts.
            pub whole: String,
        }
        /// All but text.
        pub textless: Option<String>,
        /// All but images.
        pub imageless: Option<String>,
        /// Neither text nor images.
        pub bare: Option<String>,
        /// The canvas alone.
        pub canvas: Option<String>,
    }
}

lenient! {
    /// Share of an image, over all places where it is visible.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct ImageShare {
        {
            /// URL of the image.
            pub url: String,
        }
        /// The share.
        pub share: Share,
        /// Parts of the share that the first tenth of the rows adds, the first two, and so on up to
        /// nine.
        pub rows: Option<[Share; 9]>,
    }
}

lenient! {
    /// The end of what keeps the page from being seen.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Cover {
        {
            /// Event after which it goes.
            pub after: DocumentEvent,
            /// Span from the event.
            pub ms: Ms,
        }
    }
}

lenient! {
    /// The script that shows a page which others hide.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct HiddenBy {
        {
            /// Id of the request for the script (`_requestId`).
            pub request: String,
        }
        /// Time after which the page is shown without it.
        pub limit_ms: Option<Ms>,
    }
}

/// An event of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DocumentEvent {
    /// `DOMContentLoaded`.
    DomContentLoaded,
    /// The load event.
    Load,
}

empty_if_damaged!(Cpu, Paints, Rendering);

#[cfg(test)]
mod tests;
