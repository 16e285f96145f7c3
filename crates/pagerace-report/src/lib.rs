//! One self-contained HTML page that shows a race.
//!
//! [`render`] turns a [`Report`] into a single file that works from `file://` without a
//! network. It contains the data as JSON, the style sheet, the scripts and the plotting
//! library. A content security policy refuses every request.
//!
//! The page only presents its input: statistics and verdicts are computed elsewhere.
//!
//! * [`input`]: the input of the page, filled by the caller;
//! * [`bulk`]: the page of bulk transfers;
//! * [`sections`]: the page of findings in sections;
//! * [`film`]: data of films, and their player;
//! * `compact`: the embedded form of the input, with columns of short integers;
//! * `page`: the HTML around the data;
//! * `assets/`: style and scripts, plain files without a build step.

pub mod bulk;
mod compact;
pub mod film;
pub mod input;
mod page;
pub mod sections;

pub use bulk::render_bulk;
pub use input::Report;
pub use page::render;
pub use sections::render_sections;
