//! The page-load model of a browser, without IO.
//!
//! Time and bytes enter through `handle_*`; requests and deadlines leave through
//! `poll_*`. `docs/browser-model.md` describes the model and its limits, `docs/evidence.md`
//! has its evidence, and `docs/metrics.md` defines the metrics.
//!
//! [`Browser`] holds the state of one load. `graph` turns a page into its dependencies.
//! `requests` schedules requests and sets their priorities by the rules of a [`profile`].
//! `main_thread` and `costs` model the CPU, `parser` an HTML document that is being
//! parsed, and `paint` the screen over time. `pagerace_core::interactive` computes TTI
//! and TBT. [`cause`] attributes each event of the load to the network event that it
//! waited for last. [`cache`] describes the contents of the browser's cache.

pub mod action;
pub mod browser;
pub mod cache;
pub mod cause;
pub mod config;
mod costs;
mod graph;
mod main_thread;
pub mod metrics;
mod overheads;
mod paint;
mod parser;
pub mod profile;
mod requests;

pub use action::Action;
pub use browser::Browser;
pub use cache::Cached;
pub use cause::{Cause, Moment};
pub use config::BrowserConfig;
pub use metrics::{LayoutShift, LoadMetrics};
pub use paint::largest_group;
pub use profile::Profile;
