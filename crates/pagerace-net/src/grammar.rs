//! How a network is written.
//!
//! ```text
//! network  = [ name ] { word }
//! word     = "rate" ( rates | "trace:" PATH )     both directions
//!          | "up"   ( rates | "trace:" PATH )     the uplink
//!          | "rtt" times                          half of it each way
//!          | "delay" times | "delay-up" times     one way
//!          | "jitter" TIME [ "normal" ] [ "reorder" ]
//!          | "loss" PERCENT [ "burst" PACKETS ]
//!          | "gemodel" p [ r [ 1-h [ 1-k ] ] ]    netem's, each a percentage
//!          | "queue" ( limit | "codel" { control }
//!                    | "fq-codel" { control | "quantum" SIZE } )
//!          | "bucket" ( SIZE | "none" )           a token bucket's burst
//! rates    = RATE  | { piece(RATE) "then" } ( RATE | piece(RATE) ) [ "repeat" ]
//! times    = TIME  | { piece(TIME) "then" } ( TIME | piece(TIME) ) [ "repeat" ]
//! piece(V) = V "for" TIME                         holds
//!          | V ".." V "over" TIME [ "after" TIME ]    moves in a straight line
//! limit    = N "p" | SIZE | X "bdp"
//! control  = "target" TIME | "interval" TIME | "limit" limit
//! ```
//!
//! Without a name, `rate` and one of `rtt` and `delay` are required; the queue
//! is `1bdp` and nothing is lost unless the text says otherwise. Every word
//! holds for both directions; with `-up` behind it (`jitter-up`, `loss-up`,
//! `gemodel-up`, `queue-up`, `bucket-up`) it holds for the uplink alone. After a name, words
//! replace those of the named network's own description, one by one. Units are
//! those of [`units`](crate::units). A path with spaces is put in `"`.
//!
//! A schedule runs from the start of the run. `10ms for 5s then 100ms` steps
//! and stays; `50ms..250ms over 10s` ramps and stays at its end; with `repeat`
//! the pieces come again and again, and the last needs a time, too. `after` is
//! for a first ramp: the value holds before it. A rate may be `0bit` for a
//! while. See [`schedule`](crate::schedule) and [`delay`](crate::delay).
//!
//! `gemodel` without `r` takes 1-p for it, as `tc-netem(8)` does.

mod series;
mod spec;
mod suggest;
mod tokens;
mod value;

use self::spec::Spec;
use self::tokens::Tokens;
use crate::error::NetworkError;
use crate::named::named;
use crate::network::Network;

/// Every word that begins a part of a description.
const WORDS: [&str; 15] = [
    "rate",
    "up",
    "rtt",
    "delay",
    "delay-up",
    "jitter",
    "jitter-up",
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
