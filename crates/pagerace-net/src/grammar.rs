//! The syntax for describing a network.
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
//! Without a name, `rate` and one of `rtt` and `delay` are required; by default the queue
//! is `1bdp` and there is no loss. A keyword applies to both directions; with `-up`
//! appended (`jitter-up`, `loss-up`, `gemodel-up`, `queue-up`, `bucket-up`) it applies to
//! the uplink alone. Keywords after a name replace those of the named network's
//! description, one by one. Units are those of [`units`](crate::units). A path with
//! spaces is enclosed in `"`.
//!
//! A schedule runs from the start of the run. `10ms for 5s then 100ms` steps and stays;
//! `50ms..250ms over 10s` ramps and stays at its end value; with `repeat` the pieces
//! start again, and the last piece needs a time too. `after` is allowed on a first ramp:
//! the start value holds before the ramp. A rate may be `0bit` for a while. See
//! [`schedule`](crate::schedule) and [`delay`](crate::delay).
//!
//! If `gemodel` has no `r`, `r` is 1-p, as in `tc-netem(8)`.

mod series;
mod spec;
mod tokens;
mod value;

use std::path::Path;

use pagerace_core::suggest::nearest;

use self::spec::Spec;
use self::tokens::Tokens;
use crate::error::NetworkError;
use crate::named::{NamedNetwork, named};
use crate::network::Network;

/// The keywords that begin a part of a description.
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

/// Returns the keyword that a word is, in upper or lower case.
fn keyword(word: &str) -> Option<&'static str> {
    WORDS.into_iter().find(|one| one.eq_ignore_ascii_case(word))
}

/// Parses the description of a network, and reads the trace files that it names. It may begin
/// with the name of a network of [`named()`] or `more`. Paths are relative to `folder`.
///
/// # Errors
/// [`NetworkError`] names the position of the error and the text that is expected.
pub fn parse(text: &str, more: &[NamedNetwork], folder: &Path) -> Result<Network, NetworkError> {
    let text = text.trim();
    let mut tokens = Tokens::new(text);
    let first = tokens.peek().ok_or_else(|| {
        NetworkError(
            "the network is empty; write a name such as `fast-4g`, or `rate 2mbit rtt 100ms loss 2%`"
                .to_owned(),
        )
    })?;
    let (spec, name) = if keyword(first.text).is_some() {
        (Spec::parse(&mut tokens, folder)?, text.to_owned())
    } else {
        let all = named().iter().chain(more);
        let Some(known) = all
            .clone()
            .find(|n| n.name.eq_ignore_ascii_case(first.text))
        else {
            let candidates = all.map(|n| n.name).chain(WORDS);
            return Err(NetworkError(format!(
                "unknown network `{}`{}",
                first.text,
                suggest(&nearest(first.text, candidates))
            )));
        };
        tokens.next();
        let base = Spec::parse(&mut Tokens::new(known.spec), folder)?;
        let spec = base.replaced_by(Spec::parse(&mut tokens, folder)?);
        let changes = &text[first.text.len()..];
        (spec, format!("{}{changes}", known.name))
    };
    spec.build(name)
}

fn suggest(nearest: &[&'static str]) -> String {
    if nearest.is_empty() {
        return "; describe one in full, as `rate 2mbit rtt 100ms loss 2% queue 1bdp`".to_owned();
    }
    format!("; did you mean `{}`?", nearest.join("` or `"))
}

/// Quotes a path so that [`parse`] reads it back.
pub(crate) fn quote(path: &str) -> String {
    if path.chars().any(char::is_whitespace) {
        format!("\"{path}\"")
    } else {
        path.to_owned()
    }
}

#[cfg(test)]
mod tests;
