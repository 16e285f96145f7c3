//! A recorded web page: its origins, its resources and how each resource is discovered;
//! import from HAR.
//!
//! [`model`] defines the page that the rest of Pagerace works on, and [`har`] builds it
//! from a recording. [`category`], [`domain`] and [`ads`] classify requests.
//! [`essential`] finds the resources that a page can do without. [`intervention`] selects
//! requests to block or delay. [`sequence`] describes a load as a list of transfers.
//! `docs/har-import.md` documents how the importer decides every ambiguity of a
//! recording.

pub mod ads;
pub mod category;
pub mod domain;
mod error;
pub mod essential;
pub mod har;
pub mod image;
pub mod intervention;
pub mod model;
pub mod recording;
pub mod sequence;

pub use error::ImportError;
pub use har::{ImportOptions, from_bytes, load, load_recording, recording_from_bytes};
pub use intervention::{Intervention, Interventions, ResourceEffect};
pub use model::{
    CacheUse, Category, Discovery, Element, ElementKind, Evidence, FittedLargest, FontDisplay,
    FontUse, ImageBytes, ImageCoding, Largest, Note, Origin, OriginId, Page, PageLayout,
    PaintEvidence, PaintFit, PictureShares, RecordedPage, RecordedTimes, Rect, RenderingTime,
    Resource, ResourceId, Trigger, Wait,
};
pub use recording::{Device, Exchange, Recording};
pub use sequence::{SequenceError, Transfer, TransferSequence, srivastava_page};
