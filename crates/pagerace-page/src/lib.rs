//! A recorded web page: origins, resources, how each is discovered; import from HAR.

pub mod model;

pub use model::{
    Category, Discovery, Evidence, Note, Origin, OriginId, Page, RecordedPage, RecordedTimes,
    Resource, ResourceId, Trigger,
};
