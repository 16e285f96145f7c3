//! What a race leaves on disk. Formats: `docs/output.md`.

pub mod csv;
pub mod file;
pub mod json;
pub mod report;
pub mod sessions;
