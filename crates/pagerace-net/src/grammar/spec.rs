//! A description word by word, before it becomes two links.

use std::sync::Arc;

use pagerace_core::Duration;

use super::tokens::{Token, Tokens};
use super::{WORDS, suggest};
use crate::error::NetworkError;
use crate::link::{LinkConfig, Rate};
use crate::loss::Loss;
use crate::network::Network;
use crate::queue::{MTU, QueueLimit};
use crate::trace::Trace;
use crate::units::{self, BitRate, Probability};

/// What was said; what was not is `None`.
#[derive(Clone, Debug, Default)]
pub(super) struct Spec {
    rate: Option<Capacity>,
    rate_up: Option<Capacity>,
    delay: Option<Duration>,
    delay_up: Option<Duration>,
    loss: Option<Loss>,
    loss_up: Option<Loss>,
    queue: Option<QueueLimit>,
    queue_up: Option<QueueLimit>,
    bucket: Option<Bucket>,
    bucket_up: Option<Bucket>,
}

#[derive(Clone, Debug)]
enum Capacity {
    Constant(BitRate),
    Trace(Arc<Trace>),
}

/// A token bucket's bytes, or that there is none.
type Bucket = Option<u32>;

impl Spec {
    pub(super) fn parse(tokens: &mut Tokens<'_>) -> Result<Self, NetworkError> {
        let mut spec = Self::default();
        let mut said: Vec<&str> = Vec::new();
        while let Some(token) = tokens.next() {
            if !WORDS.contains(&token.text) {
                return Err(unexpected(token, expected_word(token.text)));
            }
            if let Some(earlier) = said.iter().find(|e| says_the_same(e, token.text)) {
                return Err(NetworkError::Conflict {
                    column: token.column,
                    word: token.text.to_owned(),
                    earlier: (*earlier).to_owned(),
                });
            }
            said.push(token.text);
            spec.word(token.text, tokens)?;
        }
        Ok(spec)
    }

    /// Reads what belongs to `word`.
    fn word(&mut self, word: &str, tokens: &mut Tokens<'_>) -> Result<(), NetworkError> {
        match word {
            "rate" => self.rate = Some(capacity(tokens)?),
            "up" => self.rate_up = Some(capacity(tokens)?),
            "rtt" => {
                let rtt = value(tokens, "a time such as `100ms`", units::parse_delay)?.as_nanos();
                self.delay = Some(Duration::from_nanos(rtt / 2));
                self.delay_up = Some(Duration::from_nanos(rtt - rtt / 2));
            }
            "delay" => self.delay = Some(delay(tokens)?),
            "delay-up" => self.delay_up = Some(delay(tokens)?),
            "loss" => self.loss = Some(loss(tokens)?),
            "loss-up" => self.loss_up = Some(loss(tokens)?),
            "gemodel" => self.loss = Some(gemodel(tokens)?),
            "gemodel-up" => self.loss_up = Some(gemodel(tokens)?),
            "queue" => self.queue = Some(queue(tokens)?),
            "queue-up" => self.queue_up = Some(queue(tokens)?),
            "bucket" => self.bucket = Some(bucket(tokens)?),
            "bucket-up" => self.bucket_up = Some(bucket(tokens)?),
            _ => unreachable!("checked against the list of words"),
        }
        Ok(())
    }

    /// `self` with everything replaced that `other` says.
    pub(super) fn replaced_by(self, other: Self) -> Self {
        Self {
            rate: other.rate.or(self.rate),
            rate_up: other.rate_up.or(self.rate_up),
            // `delay` alone holds for both directions again.
            delay_up: other.delay_up.or(other.delay).or(self.delay_up),
            delay: other.delay.or(self.delay),
            loss: other.loss.or(self.loss),
            loss_up: other.loss_up.or(self.loss_up),
            queue: other.queue.or(self.queue),
            queue_up: other.queue_up.or(self.queue_up),
            bucket: other.bucket.or(self.bucket),
            bucket_up: other.bucket_up.or(self.bucket_up),
        }
    }

    pub(super) fn build(self, name: String) -> Result<Network, NetworkError> {
        let rate = self.rate.ok_or(NetworkError::Lacks {
            what: "rate",
            example: "rate 2mbit",
        })?;
        let delay = self.delay.ok_or(NetworkError::Lacks {
            what: "delay",
            example: "rtt 100ms",
        })?;
        let loss = self.loss.unwrap_or_default();
        let queue = self.queue.unwrap_or(QueueLimit::ONE_BDP);
        let bucket = self.bucket.flatten();
        let capacity_up = self.rate_up.unwrap_or_else(|| rate.clone());
        // A trace does not inherit the other direction's bucket.
        let bucket_up = match (self.bucket_up, &capacity_up) {
            (Some(own), _) => own,
            (None, Capacity::Trace(_)) => None,
            (None, Capacity::Constant(_)) => bucket,
        };
        let down = LinkConfig {
            rate: rate.with(bucket, "the downlink")?,
            delay,
            queue,
            loss,
        };
        let up = LinkConfig {
            rate: capacity_up.with(bucket_up, "the uplink")?,
            delay: self.delay_up.unwrap_or(delay),
            queue: self.queue_up.unwrap_or(queue),
            loss: self.loss_up.unwrap_or(loss),
        };
        Ok(Network::new(name, down, up).expect("every value was checked when it was read"))
    }
}

impl Capacity {
    fn with(self, bucket: Bucket, direction: &'static str) -> Result<Rate, NetworkError> {
        match (self, bucket) {
            (Self::Constant(rate), None) => Ok(Rate::Constant(rate)),
            (Self::Constant(rate), Some(burst)) => Ok(Rate::TokenBucket { rate, burst }),
            (Self::Trace(trace), None) => Ok(Rate::Trace(trace)),
            (Self::Trace(_), Some(_)) => Err(NetworkError::BucketOnTrace { direction }),
        }
    }
}

/// Whether two words of one text contradict or repeat each other.
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
    if found == "burst" {
        return "`loss` and a percentage before it, as in `loss 2% burst 10`".to_owned();
    }
    let near = suggest::nearest(found, WORDS.into_iter());
    match near.first() {
        Some(word) => format!("`{word}`, or another of {}", WORDS.join(", ")),
        None => format!("one of {}", WORDS.join(", ")),
    }
}

fn unexpected(token: Token<'_>, expected: String) -> NetworkError {
    NetworkError::Unexpected {
        column: token.column,
        found: token.text.to_owned(),
        expected,
    }
}

/// The next word, read by `parse`; `expected` is said if there is none.
fn value<T>(
    tokens: &mut Tokens<'_>,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, NetworkError> {
    let word = tokens.last_word();
    let token = tokens.next().ok_or_else(|| NetworkError::Unfinished {
        word: word.to_owned(),
        expected,
    })?;
    parse(token.text).map_err(|expected| unexpected(token, expected))
}

fn capacity(tokens: &mut Tokens<'_>) -> Result<Capacity, NetworkError> {
    if let Some(path) = tokens.peek().and_then(|t| t.text.strip_prefix("trace:")) {
        tokens.next();
        return Ok(Capacity::Trace(Arc::new(Trace::read(
            &path.replace('"', ""),
        )?)));
    }
    value(
        tokens,
        "a rate such as `2mbit`, or `trace:` and a path",
        units::parse_rate,
    )
    .map(Capacity::Constant)
}

fn delay(tokens: &mut Tokens<'_>) -> Result<Duration, NetworkError> {
    value(tokens, "a time such as `50ms`", units::parse_delay)
}

fn percent(tokens: &mut Tokens<'_>) -> Result<Probability, NetworkError> {
    value(tokens, "a percentage such as `2%`", units::parse_percent)
}

fn loss(tokens: &mut Tokens<'_>) -> Result<Loss, NetworkError> {
    let mean = percent(tokens)?;
    let burst = tokens.peek().filter(|t| t.text == "burst");
    let loss = if let Some(token) = burst {
        tokens.next();
        let expected = "the mean burst in packets, such as `10`";
        let length = value(tokens, expected, |text| {
            units::parse_number(text).ok_or_else(|| expected.to_owned())
        })?;
        let loss = Loss::Burst { mean, length };
        loss.check()
            .map_err(|why| unexpected(token, format!("a burst that can be; {why}")))?;
        loss
    } else {
        Loss::Random(mean)
    };
    Ok(if mean.is_zero() { Loss::None } else { loss })
}

fn gemodel(tokens: &mut Tokens<'_>) -> Result<Loss, NetworkError> {
    let here = tokens.peek();
    let p = percent(tokens)?;
    let mut more = || match tokens.peek() {
        Some(next) if !WORDS.contains(&next.text) => percent(tokens).map(Some),
        _ => Ok(None),
    };
    let r = more()?.unwrap_or(p.complement());
    let lose_bad = more()?.unwrap_or(Probability::ONE);
    let lose_good = more()?.unwrap_or(Probability::ZERO);
    let loss = Loss::GilbertElliott {
        p,
        r,
        lose_bad,
        lose_good,
    };
    match (loss.check(), here) {
        (Err(why), Some(token)) => Err(unexpected(token, format!("a chain that moves; {why}"))),
        _ => Ok(loss),
    }
}

fn queue(tokens: &mut Tokens<'_>) -> Result<QueueLimit, NetworkError> {
    value(
        tokens,
        "a limit such as `1bdp`, `100p` or `64kb`",
        QueueLimit::parse,
    )
}

fn bucket(tokens: &mut Tokens<'_>) -> Result<Bucket, NetworkError> {
    let expected = "a size such as `1514b`, at least 1500b, or `none`";
    value(tokens, expected, |text| {
        if text == "none" {
            return Ok(None);
        }
        units::parse_bytes(text)
            .filter(|&bytes| bytes >= MTU)
            .and_then(|bytes| u32::try_from(bytes).ok())
            .map(Some)
            .ok_or_else(|| expected.to_owned())
    })
}
