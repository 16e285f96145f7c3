//! A recorded web page: its origins, its resources and how each resource is discovered.
//!
//! [`model`] defines the page that the rest of Pagerace works on. [`category`] classifies
//! requests by destination and media type. [`arrival`] tells the rate of responses.
//! [`intervention`] selects requests to block or delay. [`paint`] describes what a resource means
//! to the paints of its page, and [`timeline`] what a load made of it. Crate
//! `pagerace-har` reads recordings; crate `pagerace-essential` finds the resources that a
//! page can do without.

pub mod arrival;
pub mod category;
pub mod change;
pub mod intervention;
pub mod model;
pub mod paint;
pub mod timeline;

pub use arrival::{Arrival, highest_rate};
pub use change::{Change, Changed, Changes};
pub use intervention::{Intervention, Interventions, ResourceEffect};
pub use model::{
    CacheUse, Callback, Category, Content, Discovery, EarlyHint, Element, ElementKind, Evidence,
    FetchPriority, FontDisplay, FontUse, Guess, Hint, ImageBytes, ImageCoding, ImageShare,
    InlineScript, Largest, LargestCandidate, LargestElement, MeasuredSize, NoResponse, Note,
    Origin, OriginId, Overlay, Page, PageLayout, PaintEvidence, PaintFit, Paints, PictureShares,
    Pictures, RecordedExchange, RecordedPage, RecordedTimes, Rect, RenderingTime, ReproducedTimes,
    Resource, ResourceId, Trigger, Wait,
};
pub use paint::{PaintChange, PaintEffect};
