//! The page-load model of a browser, without IO.
//!
//! Time and bytes come in through `handle_*`, requests and deadlines go out
//! through `poll_*`. What is modelled, on which evidence, and what is left out
//! is written in `docs/browser-model.md`; the metrics are in `docs/metrics.md`.
//!
//! The map: [`Browser`] holds one load. `graph` turns a page into what waits
//! for what; `requests` lets requests go and says with which priority, by the
//! rules of a [`profile`]; `main_thread` and `costs` are the CPU; `parser` is
//! an HTML document on its way in; `paint` is what is on the screen and when;
//! `interactive` computes TTI and TBT. [`cause`] says what an event of the load
//! waited for last, [`cache`] what the browser's cache holds.

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
pub use config::{BrowserConfig, Profile};
pub use metrics::{LayoutShift, LoadMetrics};
pub use profile::{ProfileInfo, profiles};
