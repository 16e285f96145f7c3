//! A stock Chromium, driven over the DevTools protocol: records pages and
//! measures loads.
//!
//! | module | what |
//! |---|---|
//! | [`browser`] | finding and starting Chromium, and ending it with all that it started |
//! | [`cdp`] | the DevTools protocol over a pipe: calls, answers, events |
//! | [`device`] | what a page believes it runs on |
//! | [`measure`](mod@measure) | one load: paint times, blocking, shifts, resources |
//! | [`record`](mod@record) | one load: everything that a replay needs, as HAR |
//! | [`netlog`] | Chromium's network log: what HTTP/3 streams waited for |
//! | [`trace`] | what is read of a trace: screenshots and when the navigation began |
//! | [`processes`](mod@processes) | who uses the processors, from `/proc` |
//! | [`node`] | Speed Index and Lighthouse, which are programs for Node.js |
//!
//! Protocol: <https://chromedevtools.github.io/devtools-protocol/>. Left out:
//! Windows, browsers other than Chromium and its children, and steering a page
//! beyond one navigation (no clicks, no scrolling).

pub mod browser;
pub mod cdp;
pub mod clock;
pub mod device;
pub mod error;
pub mod measure;
pub mod netlog;
pub mod node;
pub mod processes;
pub mod record;
pub mod trace;

pub use browser::{Browser, Options, Spawn};
pub use cdp::{Event, Session};
pub use clock::Clock;
pub use device::Device;
pub use error::ChromiumError;
pub use measure::{MeasureOptions, Observed, ObservedResource, measure, measure_once};
pub use netlog::{HolBlocked, NetLog};
