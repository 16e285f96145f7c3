//! Reads recordings of page loads into the pages of `pagerace-page`.
//!
//! [`har`] reads HAR files of all recorders; `docs/har-import.md` documents how it decides
//! every ambiguity. [`recording`] keeps the bodies for replay. [`sequence`] describes a load
//! as a list of transfers, and reads such lists. [`category`] and [`domain`] classify
//! requests; [`coding`] compresses
//! bodies; [`fonts`] reads the faces that style sheets declare. [`extension`] has what our own
//! recorder adds to a HAR.

pub mod category;
pub mod coding;
pub mod device;
pub mod domain;
mod edit;
mod error;
pub mod extension;
pub mod fonts;
pub mod har;
pub mod image;
mod lenient;
mod measure;
pub mod recording;
pub mod sequence;

pub use device::Device;
pub use edit::{EditError, Edited};
pub use error::ImportError;
pub use har::{
    ImportOptions, Survey, SurveyedRequest, from_bytes, infer_priority, is_gzip, load,
    load_recording, page_name, recording_from_bytes, references, survey, survey_from_bytes,
};
pub use recording::{Exchange, Recording};
pub use sequence::{Transfer, TransferSequence};
