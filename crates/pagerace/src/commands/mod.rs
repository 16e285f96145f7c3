//! One module per subcommand.

pub(crate) mod list;
pub(crate) mod page;
pub(crate) mod race;
