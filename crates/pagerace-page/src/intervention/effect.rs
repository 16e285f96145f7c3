//! Effects on a request: failure or a late response.

use std::fmt;
use std::str::FromStr;

use pagerace_core::Duration;

/// The maximum delay, one hour, is longer than any page load.
pub const LONGEST_DELAY: Duration = Duration::from_secs(3_600);

/// An effect on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The request is never answered successfully.
    Block(Failure),
    /// The response begins later by this time. Written as a time: `140ms`, `1.5s`.
    Delay(Duration),
}

/// The two ways of blocking a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// The request fails at once, before it leaves the browser, as with an ad blocker.
    /// Written `refused`.
    Refused,
    /// The request is sent but never answered, as by a server that is down; its
    /// dependents wait forever. Written `hang`; `timeout` is accepted as well.
    ///
    /// # Source
    /// WebPageTest's SPOF test, which maps hosts to a server that drops all packets.
    /// Deviation: connections are established, only responses are missing.
    Hang,
}

/// Error of parsing an effect. The caller adds the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoEffect;

/// Units of time with their length in nanoseconds, largest first.
const UNITS: [(&str, u64); 5] = [
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

impl FromStr for Effect {
    type Err = NoEffect;

    fn from_str(text: &str) -> Result<Self, NoEffect> {
        match text {
            "refused" => Ok(Self::Block(Failure::Refused)),
            "hang" | "timeout" => Ok(Self::Block(Failure::Hang)),
            _ => delay(text).map(Self::Delay).ok_or(NoEffect),
        }
    }
}

/// Parses a number with optional decimals and a unit, without rounding.
fn delay(text: &str) -> Option<Duration> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit_at);
    let (_, nanos) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 9 {
        return None;
    }
    let scale = 10_u64.pow(decimals.len() as u32);
    let parts = decimals.parse::<u64>().ok()?.checked_mul(nanos)?;
    if !parts.is_multiple_of(scale) {
        return None;
    }
    let all = whole.parse::<u64>().ok()?.checked_mul(nanos)?;
    let delay = Duration::from_nanos(all.checked_add(parts / scale)?);
    (!delay.is_zero() && delay <= LONGEST_DELAY).then_some(delay)
}

impl fmt::Display for Effect {
    /// Writes the effect as [`FromStr`] reads it; a delay uses the largest unit that
    /// needs no decimals.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(Failure::Refused) => f.write_str("refused"),
            Self::Block(Failure::Hang) => f.write_str("hang"),
            Self::Delay(delay) => {
                let nanos = delay.as_nanos();
                let whole = |(_, size): &(&str, u64)| nanos.is_multiple_of(*size);
                let (unit, size) = UNITS
                    .into_iter()
                    .find(whole)
                    .expect("nanoseconds are whole");
                write!(f, "{}{unit}", nanos / size)
            }
        }
    }
}
