//! The values after each keyword.

use std::path::Path;
use std::sync::Arc;

use pagerace_core::Duration;

use super::keyword;
use super::series::Series;
use super::tokens::{Token, Tokens};
use crate::delay::{DELAY_MAX, Delay, Distribution, Jitter};
use crate::error::NetworkError;
use crate::link::Rate;
use crate::loss::Loss;
use crate::queue::{CodelConfig, FqCodelConfig, MTU, Queue, QueueLimit};
use crate::schedule::Schedule;
use crate::trace::Trace;
use crate::units::{self, BitRate, Probability};

/// A rate without its token bucket.
#[derive(Clone, Debug)]
pub(super) enum Capacity {
    Constant(BitRate),
    Changing(Schedule),
    Trace(Arc<Trace>),
}

/// The size of a token bucket in bytes, or `None` for no bucket.
pub(super) type Bucket = Option<u32>;

impl Capacity {
    pub(super) fn with(
        self,
        bucket: Bucket,
        direction: &'static str,
    ) -> Result<Rate, NetworkError> {
        let follows = match (self, bucket) {
            (Self::Constant(rate), None) => return Ok(Rate::Constant(rate)),
            (Self::Constant(rate), Some(burst)) => return Ok(Rate::TokenBucket { rate, burst }),
            (Self::Changing(schedule), None) => return Ok(Rate::Changing(schedule)),
            (Self::Trace(trace), None) => return Ok(Rate::Trace(trace)),
            (Self::Changing(_), Some(_)) => "schedule",
            (Self::Trace(_), Some(_)) => "trace",
        };
        Err(NetworkError(format!(
            "a token bucket needs a constant rate, and {direction} follows a {follows}; remove \
             `bucket`, or write `bucket none`"
        )))
    }
}

pub(super) fn unexpected(token: Token<'_>, expected: &str) -> NetworkError {
    NetworkError(format!(
        "column {} of the network: found `{}`, expected {expected}",
        token.column, token.text
    ))
}

/// Returns the error of a text that ends after `word`, where a value is required.
pub(super) fn unfinished(word: &str, expected: &str) -> NetworkError {
    NetworkError(format!(
        "the network ends after `{word}`, which needs {expected}"
    ))
}

/// Returns the error of a keyword that repeats or contradicts an earlier one.
pub(super) fn conflict(token: Token<'_>, earlier: &str) -> NetworkError {
    NetworkError(format!(
        "column {} of the network: `{}` after `{earlier}`; keep one of them",
        token.column, token.text
    ))
}

/// Reads the next word with `parse`; `expected` describes the value in the error if no
/// word is left.
pub(super) fn value<T>(
    tokens: &mut Tokens<'_>,
    expected: &'static str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, NetworkError> {
    let word = tokens.last_word();
    let token = tokens.next().ok_or_else(|| unfinished(word, expected))?;
    parse(token.text).map_err(|expected| unexpected(token, &expected))
}

/// Reads a rate, or the trace in a file, whose path is relative to `folder`.
pub(super) fn capacity(tokens: &mut Tokens<'_>, folder: &Path) -> Result<Capacity, NetworkError> {
    let first = tokens.peek();
    if let Some(path) = first.and_then(|t| t.text.strip_prefix("trace:")) {
        tokens.next();
        let path = path.replace('"', "");
        let trace = Trace::read(&folder.join(&path).to_string_lossy())?;
        return Ok(Capacity::Trace(Arc::new(trace.named(path))));
    }
    let expected = "a rate such as `2mbit`, or `trace:` and a path";
    let series = Series::parse(tokens, expected, units::parse_rate_or_zero)?;
    let token = first.expect("a series has a word");
    match series {
        // Zero is not a valid constant rate; `parse_rate` returns the usual error for it.
        Series::Constant(_) => units::parse_rate(token.text)
            .map(Capacity::Constant)
            .map_err(|expected| unexpected(token, &expected)),
        Series::Changing(schedule) => {
            let rate = Rate::Changing(schedule.clone());
            rate.check()
                .map_err(|why| unexpected(token, &format!("valid rates; {why}")))?;
            Ok(Capacity::Changing(schedule))
        }
    }
}

pub(super) fn delay(tokens: &mut Tokens<'_>) -> Result<Delay, NetworkError> {
    let parse = |text: &str| units::parse_delay(text).map(Duration::as_nanos);
    let series = Series::parse(tokens, "a time such as `50ms`", parse)?;
    Ok(match series {
        Series::Constant(ns) => Delay::Constant(Duration::from_nanos(ns)),
        Series::Changing(schedule) => Delay::Changing(schedule),
    })
}

/// Reads a jitter. A jitter without effect means no jitter.
pub(super) fn jitter(tokens: &mut Tokens<'_>) -> Result<Jitter, NetworkError> {
    let spread = value(tokens, "a time such as `10ms`", units::parse_delay)?;
    debug_assert!(spread <= DELAY_MAX, "no delay is read that is longer");
    let mut jitter = Jitter {
        spread,
        distribution: Distribution::default(),
        reorder: false,
    };
    let mut said = Vec::new();
    while let Some(token) = option(tokens, &["normal", "reorder"], &mut said)? {
        match token.text {
            "normal" => jitter.distribution = Distribution::Normal,
            _ => jitter.reorder = true,
        }
    }
    Ok(jitter)
}

fn percent(tokens: &mut Tokens<'_>) -> Result<Probability, NetworkError> {
    value(tokens, "a percentage such as `2%`", units::parse_percent)
}

pub(super) fn loss(tokens: &mut Tokens<'_>) -> Result<Loss, NetworkError> {
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
            .map_err(|why| unexpected(token, &format!("a valid burst; {why}")))?;
        loss
    } else {
        Loss::Random(mean)
    };
    Ok(if mean.is_zero() { Loss::None } else { loss })
}

pub(super) fn gemodel(tokens: &mut Tokens<'_>) -> Result<Loss, NetworkError> {
    let here = tokens.peek();
    let p = percent(tokens)?;
    let mut more = || match tokens.peek() {
        Some(next) if keyword(next.text).is_none() => percent(tokens).map(Some),
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
        (Err(why), Some(token)) => Err(unexpected(token, &format!("a chain that moves; {why}"))),
        _ => Ok(loss),
    }
}

pub(super) fn queue(tokens: &mut Tokens<'_>) -> Result<Queue, NetworkError> {
    const EXPECTED: &str = "a queue such as `1bdp`, `100p`, `64kb`, `codel` or `fq-codel`";
    let kind = tokens.peek().map(|t| t.text);
    if kind == Some("codel") {
        tokens.next();
        let mut codel = CodelConfig::default();
        parameters(tokens, &mut codel, None)?;
        return Ok(Queue::Codel(codel));
    }
    if kind == Some("fq-codel") {
        tokens.next();
        let mut fq = FqCodelConfig::default();
        parameters(tokens, &mut fq.codel, Some(&mut fq.quantum))?;
        return Ok(Queue::FqCodel(fq));
    }
    value(tokens, EXPECTED, |text| {
        let limit = QueueLimit::parse(text);
        limit.map_err(|why| why.replace(QueueLimit::EXPECTED, EXPECTED))
    })
    .map(Queue::TailDrop)
}

/// Reads the parameters after `codel`, or after `fq-codel` if `quantum` is given.
fn parameters(
    tokens: &mut Tokens<'_>,
    codel: &mut CodelConfig,
    mut quantum: Option<&mut u32>,
) -> Result<(), NetworkError> {
    const NAMES: [&str; 4] = ["target", "interval", "limit", "quantum"];
    let names = &NAMES[..if quantum.is_some() { 4 } else { 3 }];
    let mut said = Vec::new();
    while let Some(token) = option(tokens, names, &mut said)? {
        match (token.text, &mut quantum) {
            ("target", _) => codel.target = above_zero(tokens)?,
            ("interval", _) => codel.interval = above_zero(tokens)?,
            ("quantum", Some(quantum)) => **quantum = size(tokens)?,
            _ => {
                let expected = "a limit such as `1000p`, `64kb` or `1bdp`";
                codel.limit = value(tokens, expected, QueueLimit::parse)?;
            }
        }
    }
    Ok(())
}

/// Takes the next word if it is in `names` and not in `said`; a repeated word is an error.
fn option<'a>(
    tokens: &mut Tokens<'a>,
    names: &[&'static str],
    said: &mut Vec<&'a str>,
) -> Result<Option<Token<'a>>, NetworkError> {
    let Some(token) = tokens.peek().filter(|t| names.contains(&t.text)) else {
        return Ok(None);
    };
    if said.contains(&token.text) {
        return Err(conflict(token, token.text));
    }
    said.push(token.text);
    tokens.next();
    Ok(Some(token))
}

pub(super) fn above_zero(tokens: &mut Tokens<'_>) -> Result<Duration, NetworkError> {
    let expected = "a time above zero, such as `5ms`";
    value(tokens, expected, |text| {
        let time = units::parse_delay(text)?;
        if time.is_zero() {
            Err(expected.to_owned())
        } else {
            Ok(time)
        }
    })
}

fn size(tokens: &mut Tokens<'_>) -> Result<u32, NetworkError> {
    let expected = "a size such as `1514b`, at least 256b";
    value(tokens, expected, |text| {
        units::parse_bytes(text)
            .and_then(|bytes| u32::try_from(bytes).ok())
            .filter(|&bytes| bytes >= FqCodelConfig::QUANTUM_MIN)
            .ok_or_else(|| expected.to_owned())
    })
}

pub(super) fn bucket(tokens: &mut Tokens<'_>) -> Result<Bucket, NetworkError> {
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
