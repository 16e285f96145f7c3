//! Asks people which load of a page they prefer, and says what their answers tell.
//!
//! * [`survey`]: a survey's file: versions, tasks, questions, rules and limits;
//! * [`questions`]: what a new survey asks;
//! * [`design`]: who sees what, in which order;
//! * [`server`]: the pages that people see;
//! * [`store`]: the answers, in SQLite;
//! * [`mod@analysis`]: who counts, and what the answers tell;
//! * [`stats`]: the statistics, one method per file;
//! * [`csv`]: all answers as a table.
//!
//! Films are opaque here: the caller makes them, with the player that shows them.

pub mod analysis;
pub mod csv;
pub mod design;
pub mod error;
pub mod questions;
pub mod server;
pub mod stats;
pub mod store;
pub mod survey;

#[cfg(test)]
mod fake;

pub use analysis::{Findings, analyse};
pub use error::SurveyError;
pub use server::Server;
pub use store::Store;
pub use survey::Survey;
