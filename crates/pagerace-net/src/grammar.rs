//! How a network is written.
//!
//! ```text
//! network  = [ name ] { word }
//! word     = "rate" ( RATE | "trace:" PATH )      both directions
//!          | "up"   ( RATE | "trace:" PATH )      the uplink
//!          | "rtt" TIME                           half of it each way
//!          | "delay" TIME | "delay-up" TIME       one way
//!          | "loss" PERCENT [ "burst" PACKETS ]
//!          | "gemodel" p [ r [ 1-h [ 1-k ] ] ]    netem's, each a percentage
//!          | "queue" ( N "p" | SIZE | X "bdp" )
//!          | "bucket" ( SIZE | "none" )           a token bucket's burst
//! ```
//!
//! Without a name, `rate` and one of `rtt` and `delay` are required; the queue
//! is `1bdp` and nothing is lost unless the text says otherwise. Every word
//! holds for both directions; with `-up` behind it (`loss-up`, `gemodel-up`,
//! `queue-up`, `bucket-up`) it holds for the uplink alone. After a name, words
//! replace those of the named network's own description, one by one. Units are
//! those of [`units`](crate::units). A path with spaces is put in `"`.
//!
//! `gemodel` without `r` takes 1-p for it, as `tc-netem(8)` does.

mod spec;
mod suggest;
mod tokens;

use self::spec::Spec;
use self::tokens::Tokens;
use crate::error::NetworkError;
use crate::named::named;
use crate::network::Network;

/// Every word that begins a part of a description.
const WORDS: [&str; 13] = [
    "rate",
    "up",
    "rtt",
    "delay",
    "delay-up",
    "loss",
    "loss-up",
    "gemodel",
    "gemodel-up",
    "queue",
    "queue-up",
    "bucket",
    "bucket-up",
];

/// Reads a network; the files of traces with it.
///
/// # Errors
/// [`NetworkError`] says where the text is wrong and what would be right.
pub fn parse(text: &str) -> Result<Network, NetworkError> {
    let text = text.trim();
    let mut tokens = Tokens::new(text);
    let first = tokens.peek().ok_or(NetworkError::Empty)?;
    let spec = if WORDS.contains(&first.text) {
        Spec::parse(&mut tokens)?
    } else {
        let known = named().iter().find(|n| n.name == first.text);
        let Some(known) = known else {
            let candidates = named().iter().map(|n| n.name).chain(WORDS);
            return Err(NetworkError::UnknownName {
                name: first.text.to_owned(),
                nearest: suggest::nearest(first.text, candidates),
            });
        };
        tokens.next();
        let base = Spec::parse(&mut Tokens::new(known.spec))?;
        base.replaced_by(Spec::parse(&mut tokens)?)
    };
    spec.build(text.to_owned())
}

/// A path as [`parse`] reads it back.
pub(crate) fn quote(path: &str) -> String {
    if path.chars().any(char::is_whitespace) {
        format!("\"{path}\"")
    } else {
        path.to_owned()
    }
}

#[cfg(test)]
mod tests;
