//! The parsed words of a description, before it becomes two links.

use std::path::Path;

use pagerace_core::suggest::nearest;

use super::tokens::Tokens;
use super::value::{self, Bucket, Capacity, conflict, unexpected};
use super::{WORDS, keyword};
use crate::delay::{Delay, Jitter};
use crate::error::NetworkError;
use crate::link::LinkConfig;
use crate::loss::Loss;
use crate::network::Network;
use crate::queue::Queue;

/// The values given in a description; `None` for values that are not given.
#[derive(Clone, Debug, Default)]
pub(super) struct Spec {
    rate: Option<Capacity>,
    rate_up: Option<Capacity>,
    delay: Option<Delay>,
    delay_up: Option<Delay>,
    jitter: Option<Jitter>,
    jitter_up: Option<Jitter>,
    loss: Option<Loss>,
    loss_up: Option<Loss>,
    queue: Option<Queue>,
    queue_up: Option<Queue>,
    bucket: Option<Bucket>,
    bucket_up: Option<Bucket>,
}

impl Spec {
    pub(super) fn parse(tokens: &mut Tokens<'_>, folder: &Path) -> Result<Self, NetworkError> {
        let mut spec = Self::default();
        let mut said: Vec<&str> = Vec::new();
        while let Some(token) = tokens.next() {
            let Some(word) = keyword(token.text) else {
                return Err(unexpected(token, &expected_word(token.text)));
            };
            if let Some(earlier) = said.iter().find(|e| says_the_same(e, word)) {
                return Err(conflict(token, earlier));
            }
            said.push(word);
            spec.word(word, tokens, folder)?;
        }
        Ok(spec)
    }

    /// Reads the value of `word`.
    fn word(
        &mut self,
        word: &str,
        tokens: &mut Tokens<'_>,
        folder: &Path,
    ) -> Result<(), NetworkError> {
        match word {
            "rate" => self.rate = Some(value::capacity(tokens, folder)?),
            "up" => self.rate_up = Some(value::capacity(tokens, folder)?),
            "rtt" => {
                let rtt = value::delay(tokens)?;
                self.delay = Some(rtt.map(|ns| ns / 2));
                self.delay_up = Some(rtt.map(|ns| ns - ns / 2));
            }
            "delay" => self.delay = Some(value::delay(tokens)?),
            "delay-up" => self.delay_up = Some(value::delay(tokens)?),
            "jitter" => self.jitter = Some(value::jitter(tokens)?),
            "jitter-up" => self.jitter_up = Some(value::jitter(tokens)?),
            "loss" => self.loss = Some(value::loss(tokens)?),
            "loss-up" => self.loss_up = Some(value::loss(tokens)?),
            "gemodel" => self.loss = Some(value::gemodel(tokens)?),
            "gemodel-up" => self.loss_up = Some(value::gemodel(tokens)?),
            "queue" => self.queue = Some(value::queue(tokens)?),
            "queue-up" => self.queue_up = Some(value::queue(tokens)?),
            "bucket" => self.bucket = Some(value::bucket(tokens)?),
            "bucket-up" => self.bucket_up = Some(value::bucket(tokens)?),
            _ => unreachable!("checked against the list of words"),
        }
        Ok(())
    }

    /// Returns `self` with the values given in `other` replaced.
    pub(super) fn replaced_by(self, other: Self) -> Self {
        Self {
            rate: other.rate.or(self.rate),
            rate_up: other.rate_up.or(self.rate_up),
            // `delay` alone sets both directions.
            delay_up: other
                .delay_up
                .or_else(|| other.delay.clone())
                .or(self.delay_up),
            delay: other.delay.or(self.delay),
            jitter: other.jitter.or(self.jitter),
            jitter_up: other.jitter_up.or(self.jitter_up),
            loss: other.loss.or(self.loss),
            loss_up: other.loss_up.or(self.loss_up),
            queue: other.queue.or(self.queue),
            queue_up: other.queue_up.or(self.queue_up),
            bucket: other.bucket.or(self.bucket),
            bucket_up: other.bucket_up.or(self.bucket_up),
        }
    }

    pub(super) fn build(self, name: String) -> Result<Network, NetworkError> {
        let lacks = |what: &str, example: &str| {
            NetworkError(format!(
                "the network has no {what}; add for example `{example}`"
            ))
        };
        let rate = self.rate.ok_or_else(|| lacks("rate", "rate 2mbit"))?;
        let delay = self.delay.ok_or_else(|| lacks("delay", "rtt 100ms"))?;
        let loss = self.loss.unwrap_or_default();
        let queue = self.queue.unwrap_or(Queue::ONE_BDP);
        let bucket = self.bucket.flatten();
        let capacity_up = self.rate_up.unwrap_or_else(|| rate.clone());
        // A changing rate does not inherit the other direction's bucket.
        let bucket_up = match (self.bucket_up, &capacity_up) {
            (Some(own), _) => own,
            (None, Capacity::Constant(_)) => bucket,
            (None, Capacity::Changing(_) | Capacity::Trace(_)) => None,
        };
        let down = LinkConfig {
            rate: rate.with(bucket, "the downlink")?,
            delay: delay.clone(),
            jitter: self.jitter,
            queue,
            loss,
        };
        let up = LinkConfig {
            rate: capacity_up.with(bucket_up, "the uplink")?,
            delay: self.delay_up.unwrap_or(delay),
            jitter: self.jitter_up.or(self.jitter),
            queue: self.queue_up.unwrap_or(queue),
            loss: self.loss_up.unwrap_or(loss),
        };
        Ok(Network::new(name, down, up).expect("every value was checked when it was read"))
    }
}

/// Returns true if two words of one description repeat or contradict each other.
fn says_the_same(a: &str, b: &str) -> bool {
    let group = |word| match word {
        "gemodel" => "loss",
        "gemodel-up" => "loss-up",
        other => other,
    };
    let one_way = |word: &str| word.starts_with("delay");
    group(a) == group(b) || (a == "rtt" && one_way(b)) || (b == "rtt" && one_way(a))
}

fn expected_word(found: &str) -> String {
    let before = match found {
        "burst" => "`loss` and a percentage before it, as in `loss 2% burst 10`",
        "for" | "then" | "repeat" => {
            "a value with its time before it, as in `rtt 10ms for 5s then 100ms`"
        }
        "over" | "after" => "a ramp before it, as in `rtt 50ms..250ms over 10s after 2s`",
        "normal" | "reorder" => "`jitter` and a time before it, as in `jitter 10ms reorder`",
        "codel" | "fq-codel" => "`queue` before it, as in `queue codel`",
        "target" | "interval" | "limit" => {
            "`queue codel` before it, as in `queue codel target 5ms`"
        }
        "quantum" => "`queue fq-codel` before it, as in `queue fq-codel quantum 300b`",
        _ => "",
    };
    if !before.is_empty() {
        return before.to_owned();
    }
    match nearest(found, WORDS.into_iter()).first() {
        Some(word) => format!("`{word}`, or another of {}", WORDS.join(", ")),
        None => format!("one of {}", WORDS.join(", ")),
    }
}
