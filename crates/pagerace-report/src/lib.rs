//! One self-contained HTML page that shows a race.
//!
//! [`render`] turns a [`Report`] into a single file that works from `file://`
//! without a network: the data as JSON, the style, the scripts and the plotting
//! library are inside, and a content security policy refuses every request.
//!
//! The page shows what it is given: statistics and verdicts are made elsewhere.
//!
//! * [`input`]: what the page shows, to be filled by the caller;
//! * [`bulk`]: another page, of one large transfer;
//! * `compact`: the same with long lists as short integer columns;
//! * `page`: the HTML around it;
//! * `assets/`: style and scripts, plain files without a build step.

pub mod bulk;
mod compact;
pub mod input;
mod page;

pub use bulk::render_bulk;
pub use input::Report;
pub use page::render;
