//! Users as the command line names them: a file, or a mix of public statistics.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use pagerace_lab::users::mixes::{MIXES, Mix};
use pagerace_lab::users::{Crowd, crowds};
use pagerace_net::Network;

use crate::cli::inputs::read_users;

/// Maximum number of typical users: the loads of each take as long as those on a network.
const CROWDS: usize = 6;

/// Returns typical users of a file or mix. What it does not know of a user is that of the nearest
/// network, and the processor `cpu`.
pub(super) fn read(text: &str, networks: &[Network], cpu: f64) -> Result<Vec<Crowd>> {
    let users = match Mix::named(text) {
        Some(mix) => mix.users(),
        None if !Path::new(text).exists() => bail!(
            "--users: `{text}` is neither a file nor a mix of users; there are {}",
            MIXES.map(|mix| mix.name).join(", ")
        ),
        None => read_users(Path::new(text))?,
    };
    crowds(&users, networks, CROWDS, cpu)
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("--users {text}"))
}
