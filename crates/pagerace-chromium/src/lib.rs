//! Records pages and measures loads with a stock Chromium, controlled over the DevTools
//! protocol.
//!
//! | module | contents |
//! |---|---|
//! | [`browser`] | starting Chromium, and ending it with all its processes |
//! | [`cdp`] | the DevTools protocol over a pipe: calls, answers, events |
//! | [`measure`](mod@measure) | one load: paint times, blocking time, layout shifts, resources |
//! | [`record`](mod@record) | one load: all data that a replay needs, as HAR |
//! | [`netlog`] | Chromium's network log: head-of-line blocking of HTTP/3 streams |
//! | [`trace`] | screenshots and the start of the navigation from a trace |
//! | [`processes`](mod@processes) | processes and their CPU time, from `/proc` |
//! | [`contention`](mod@contention) | how busy other programs keep the processors |
//! | [`node`] | Speed Index and Lighthouse, which are programs for Node.js |
//!
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/>. Left out: Windows,
//! browsers that are not based on Chromium, and interaction with a page beyond one
//! navigation (no clicks, no scrolling).

pub mod browser;
mod cache;
pub mod cdp;
pub mod clock;
pub mod contention;
mod device;
pub mod error;
pub mod measure;
pub mod netlog;
pub mod node;
pub mod processes;
pub mod record;
pub mod trace;

pub use browser::{Browser, Options, Spawn};
pub use cache::cache_folder;
pub use cdp::{Event, Session};
pub use clock::Clock;
pub use error::ChromiumError;
pub use measure::{MeasureOptions, Observed, ObservedResource, measure, measure_once};
