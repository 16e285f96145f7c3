//! A recorded web page: origins, resources, how each is discovered; import
//! from HAR.
//!
//! [`model`] is what the rest of Pagerace works on; [`har`] makes it from a
//! recording; [`category`], [`domain`] and [`ads`] classify, [`essential`] says what a
//! page can do without; [`intervention`] says which of its requests are blocked or
//! delayed; [`sequence`] is a load as a list of transfers. How each oddity of a
//! recording is decided is written down in `docs/har-import.md`.

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
