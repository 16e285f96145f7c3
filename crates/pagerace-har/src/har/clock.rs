//! Conversion of `startedDateTime` from an RFC 3339 date and time to milliseconds since
//! 1970.
//!
//! Leap seconds count as the preceding second. Named zones other than UTC and GMT are not
//! supported.

use serde::Deserialize;

use crate::lenient::Written;

/// Milliseconds since 1970, from a text or from the milliseconds that some proxies write. A number
/// that denotes a time before 1973 is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub(super) struct Date(pub(super) f64);

impl TryFrom<Written> for Date {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let millis = match written {
            Written::Text(text) => parse_millis(&text),
            Written::Number(ms) => Some(ms).filter(|ms| (1e11..1e14).contains(ms)),
        };
        millis.map(Self).ok_or("no date")
    }
}

/// Returns milliseconds since 1970-01-01T00:00Z; `None` if `text` is not a valid time. A
/// time without a zone counts as UTC, because only differences matter.
pub(super) fn parse_millis(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = ["UTC", "GMT"]
        .iter()
        .find_map(|zone| text.strip_suffix(zone))
        .unwrap_or(text)
        .trim_end();
    if !text.is_ascii() || text.len() < 16 {
        return None;
    }
    let (date, clock) = (text.get(..10)?, text.get(11..)?);
    let mut parts = date.split('-');
    let year: i64 = digits(parts.next()?, 4)?;
    let month: i64 = digits(parts.next()?, 2)?;
    let day: i64 = digits(parts.next()?, 2)?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || parts.next().is_some() {
        return None;
    }
    let zone_at = clock.find(['Z', 'z', '+', '-']).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at(zone_at);
    let mut parts = clock.split(':');
    let hour: i64 = digits(parts.next()?, 2)?;
    let minute: i64 = digits(parts.next()?, 2)?;
    let second: f64 = parts
        .next()
        .map_or(Some(0.0), |s| s.replace(',', ".").trim_end().parse().ok())?;
    if hour > 24 || minute > 59 || !(0.0..61.0).contains(&second) {
        return None;
    }
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset(zone)?;
    Some(minutes as f64 * 60_000.0 + second.min(59.999_999) * 1_000.0)
}

fn digits(text: &str, len: usize) -> Option<i64> {
    (text.len() == len && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Returns the minutes east of UTC for `Z`, `+hh:mm`, `+hhmm`, `+hh` or an empty zone.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.bytes().next() {
        None | Some(b'Z' | b'z') => return Some(0),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let hours = digits(zone.get(1..3)?, 2)?;
    let rest = zone.get(3..)?;
    let minutes = if rest.is_empty() {
        0
    } else {
        digits(rest.trim_start_matches(':'), 2)?
    };
    Some(sign * (hours * 60 + minutes))
}

/// Returns the days since 1970-01-01 in the proleptic Gregorian calendar. Years count
/// from March, so that the leap day comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests;
