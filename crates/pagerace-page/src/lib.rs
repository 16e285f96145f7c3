//! A recorded web page: origins, resources, how each is discovered; import
//! from HAR.
//!
//! [`model`] is what the rest of Pagerace works on; [`har`] makes it from a
//! recording; [`category`] and [`domain`] classify. How each oddity of a
//! recording is decided is written down in `docs/har-import.md`.

pub mod category;
pub mod domain;
mod error;
pub mod har;
pub mod model;

pub use error::ImportError;
pub use har::{ImportOptions, from_bytes, load};
pub use model::{
    CacheUse, Category, Discovery, Evidence, Note, Origin, OriginId, Page, RecordedPage,
    RecordedTimes, Resource, ResourceId, Trigger,
};
