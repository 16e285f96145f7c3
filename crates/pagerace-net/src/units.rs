//! Quantities in the notation of `tc(8)`, stored as whole numbers.
//!
//! Whole numbers ensure that a printed description parses back to exactly the same
//! network on every machine. Decimals beyond the resolution of a unit are rounded.
//!
//! Source: `tc(8)`, sections RATES, TIMES and SIZES. Deviations: a bare number is always
//! rejected (tc reads it as bit/s, microseconds or bytes). Rates in `bps`, `kbps` and
//! `mbps` are rejected too, because they mean *bytes* per second to tc and bits per
//! second to everybody else.

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

/// A rate in whole bits per second, from 1 to 10^12.
///
/// Zero is not allowed because such a link would never drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct BitRate(u64);

impl BitRate {
    /// The maximum rate, one terabit per second.
    pub const MAX: Self = Self(1_000_000_000_000);

    /// Creates a rate, or returns `None` outside 1 to 10^12 bits per second.
    pub const fn new(bits_per_second: u64) -> Option<Self> {
        if bits_per_second == 0 || bits_per_second > Self::MAX.0 {
            None
        } else {
            Some(Self(bits_per_second))
        }
    }

    /// Returns the rate, or the nearest valid one.
    pub(crate) fn clamped(bits_per_second: u128) -> Self {
        Self(bits_per_second.clamp(1, u128::from(Self::MAX.0)) as u64)
    }

    /// Returns the rate in bits per second.
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// Returns the bytes that pass in `span`, rounded down.
    pub(crate) fn bytes_in(self, span: Duration) -> u64 {
        let bytes = u128::from(self.0) * u128::from(span.as_nanos()) / 8_000_000_000;
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// Returns the rate for people: `1.6 Mbit/s`.
    pub(crate) fn to_human(self) -> String {
        let (scale, unit) = self.unit();
        format!(
            "{} {}/s",
            decimal(self.0, scale),
            unit.replacen('m', "M", 1).replacen('g', "G", 1)
        )
    }

    const fn unit(self) -> (u32, &'static str) {
        match self.0 {
            0..1_000 => (0, "bit"),
            1_000..1_000_000 => (3, "kbit"),
            1_000_000..1_000_000_000 => (6, "mbit"),
            _ => (9, "gbit"),
        }
    }
}

impl fmt::Display for BitRate {
    /// Writes the rate in the notation of `tc(8)`: `1.6mbit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = self.unit();
        write!(f, "{}{unit}", decimal(self.0, scale))
    }
}

impl From<BitRate> for u64 {
    fn from(rate: BitRate) -> Self {
        rate.0
    }
}

impl TryFrom<u64> for BitRate {
    type Error = String;
    fn try_from(bits: u64) -> Result<Self, String> {
        Self::new(bits).ok_or_else(|| format!("a rate of {bits} bit/s is not in 1 to 10^12"))
    }
}

/// A probability in billionths.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "u32", into = "u32")]
pub struct Probability(u32);

impl Probability {
    /// The probability of an event that never happens.
    pub const ZERO: Self = Self(0);
    /// The probability of a certain event.
    pub(crate) const ONE: Self = Self(1_000_000_000);

    /// Creates a probability, or returns `None` above one billion.
    pub(crate) const fn from_billionths(billionths: u32) -> Option<Self> {
        if billionths > Self::ONE.0 {
            None
        } else {
            Some(Self(billionths))
        }
    }

    /// Returns the probability in billionths.
    pub const fn billionths(self) -> u32 {
        self.0
    }

    /// Returns the probability as a fraction of one.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e9
    }

    /// Returns one minus the probability.
    #[must_use]
    pub(crate) const fn complement(self) -> Self {
        Self(Self::ONE.0 - self.0)
    }

    /// Returns true if the probability is zero.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Probability {
    /// Writes the probability as a percentage: `0.05%`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", decimal(u64::from(self.0), 7))
    }
}

impl From<Probability> for u32 {
    fn from(p: Probability) -> Self {
        p.0
    }
}

impl TryFrom<u32> for Probability {
    type Error = String;
    fn try_from(billionths: u32) -> Result<Self, String> {
        Self::from_billionths(billionths)
            .ok_or_else(|| format!("{billionths} billionths is more than certain"))
    }
}

/// Parses a rate such as `2mbit`. The error names the values that are expected.
pub(crate) fn parse_rate(text: &str) -> Result<BitRate, String> {
    const EXPECTED: &str = "a rate such as `2mbit` or `750kbit`";
    let (number, unit) = split(text);
    let scale = match unit.as_str() {
        "bit" => 0,
        "kbit" => 3,
        "mbit" => 6,
        "gbit" => 9,
        "" => return Err(format!("{EXPECTED}, with its unit")),
        "bps" | "kbps" | "mbps" | "gbps" => {
            return Err(format!(
                "{EXPECTED}; write `{number}{}`, as `{unit}` is bytes per second to tc",
                unit.replace("bps", "bit")
            ));
        }
        _ => return Err(format!("{EXPECTED}; the units are bit, kbit, mbit, gbit")),
    };
    scaled(number, scale)
        .and_then(BitRate::new)
        .ok_or_else(|| format!("{EXPECTED}, from 1bit to 1000gbit"))
}

/// Parses a rate in bits per second like [`parse_rate`], but accepts zero: `0bit`.
pub(crate) fn parse_rate_or_zero(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    if matches!(unit.as_str(), "bit" | "kbit" | "mbit" | "gbit") && scaled(number, 9) == Some(0) {
        return Ok(0);
    }
    parse_rate(text).map(BitRate::bits_per_second)
}

/// Parses a delay such as `50ms`, up to an hour.
pub(crate) fn parse_delay(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "a time such as `50ms`";
    let (number, unit) = split(text);
    let scale = match unit.as_str() {
        "ns" => 0,
        "us" => 3,
        "ms" => 6,
        "s" => 9,
        "" => return Err(format!("{EXPECTED}, with its unit")),
        _ => return Err(format!("{EXPECTED}; the units are ns, us, ms, s")),
    };
    scaled(number, scale)
        .filter(|&ns| ns <= 3_600_000_000_000)
        .map(Duration::from_nanos)
        .ok_or_else(|| format!("{EXPECTED}, from 0 to 3600s"))
}

/// Parses a percentage such as `2%`.
pub(crate) fn parse_percent(text: &str) -> Result<Probability, String> {
    const EXPECTED: &str = "a percentage such as `2%`, from 0% to 100%";
    let (number, unit) = split(text);
    if unit != "%" {
        return Err(EXPECTED.to_owned());
    }
    scaled(number, 7)
        .and_then(|b| u32::try_from(b).ok())
        .and_then(Probability::from_billionths)
        .ok_or_else(|| EXPECTED.to_owned())
}

/// Parses a size in bytes such as `1514b`; `kb` and `mb` are powers of 1024, as in
/// `tc(8)`. Returns `None` if the text is not a size.
pub(crate) fn parse_bytes(text: &str) -> Option<u64> {
    let (number, unit) = split(text);
    let factor = match unit.as_str() {
        "b" => 1,
        "k" | "kb" => 1 << 10,
        "m" | "mb" => 1 << 20,
        _ => return None,
    };
    let thousandths = scaled(number, 3)?.checked_mul(factor)?;
    Some(thousandths / 1_000)
}

/// Parses a plain positive number, `10` or `2.5`, up to a million.
pub(crate) fn parse_number(text: &str) -> Option<f64> {
    let (number, unit) = split(text);
    let number = number.parse().ok().filter(|n| *n > 0.0 && *n <= 1e6);
    if unit.is_empty() { number } else { None }
}

/// Formats a time in milliseconds with as many decimals as needed: `0.5ms`.
pub(crate) fn delay_text(delay: Duration) -> String {
    format!("{}ms", decimal(delay.as_nanos(), 6))
}

/// Formats a time span in `s` if it is a whole number of seconds, otherwise in `ms`.
pub(crate) fn span_text(span: Duration) -> String {
    let ns = span.as_nanos();
    if ns > 0 && ns.is_multiple_of(1_000_000_000) {
        format!("{}s", ns / 1_000_000_000)
    } else {
        delay_text(span)
    }
}

/// Formats a rate that may be zero in the syntax of the grammar of schedules.
pub(crate) fn rate_text(bits_per_second: u64) -> String {
    BitRate::new(bits_per_second).map_or_else(|| "0bit".to_owned(), |rate| rate.to_string())
}

/// Splits text into its leading number and its unit in lower case.
pub(crate) fn split(text: &str) -> (&str, String) {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.to_ascii_lowercase())
}

/// Returns `number` times ten to the power of `scale`, rounded half up, or `None` if the
/// text is not a plain decimal number or does not fit.
fn scaled(number: &str, scale: u32) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let mut value: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut digits = fraction.bytes();
    for _ in 0..scale {
        let digit = u64::from(digits.next().unwrap_or(b'0') - b'0');
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    let up = digits.next().is_some_and(|d| d >= b'5');
    value.checked_add(u64::from(up))
}

/// Formats `value` over ten to the power of `scale`, without trailing zeros.
fn decimal(value: u64, scale: u32) -> String {
    let unit = 10_u64.pow(scale);
    let (whole, rest) = (value / unit, value % unit);
    if rest == 0 {
        return whole.to_string();
    }
    let fraction = format!("{rest:0width$}", width = scale as usize);
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests;
