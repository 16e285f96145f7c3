//! Whole loads through the public interface.

mod by_hand;
mod cached;
mod callbacks;
mod causes;
mod common;
mod discovery;
#[path = "../../../../tests/corpus/files.rs"]
mod files;
mod http1;
mod images;
mod largest;
mod made;
mod overheads;
mod properties;
mod recorded_layout;
mod recordings;
mod requests;
mod scanner;
mod signals;
