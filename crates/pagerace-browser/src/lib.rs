//! The page-load model of a browser, without IO.
//!
//! Time and bytes come in through `handle_*`, requests and deadlines go out
//! through `poll_*`.

pub mod action;
pub mod config;
pub mod metrics;

pub use action::Action;
pub use config::{BrowserConfig, Profile};
pub use metrics::LoadMetrics;
