//! Output files of a race. The formats are described in `docs/output.md`.

pub mod csv;
pub mod file;
pub mod json;
pub mod report;
pub mod sessions;
