//! One module per subcommand, and what they share.

pub(crate) mod bulk;
pub(crate) mod explain;
mod files;
mod inputs;
pub(crate) mod list;
pub(crate) mod page;
pub(crate) mod race;
mod simulate;
mod warn;
