//! Dates in header fields: the three formats of RFC 9110, section 5.6.7.
//!
//! <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7>. The day of the week is not
//! checked.

use super::clock::days_since_1970;

/// Returns seconds since 1970; `None` if `text` is not a valid date.
pub(super) fn parse(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text
        .split([' ', ',', '-'])
        .filter(|part| !part.is_empty())
        .collect();
    // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT;
    // Sun Nov  6 08:49:37 1994
    let ([_, day, month, year, clock, "GMT" | "UTC"] | [_, month, day, clock, year]) = parts[..]
    else {
        return None;
    };
    let month = month_number(month)?;
    let day = number(day, 1..=31)?;
    let year = match (year.len(), number(year, 0..=9999)?) {
        (4, year) => year,
        // Two-digit years from 70 on belong to the last century.
        (2, year) if year < 70 => 2000 + year,
        (2, year) => 1900 + year,
        _ => return None,
    };
    let mut clock = clock.split(':');
    let hour = number(clock.next()?, 0..=23)?;
    let minute = number(clock.next()?, 0..=59)?;
    let second = number(clock.next()?, 0..=60)?;
    let ended = clock.next().is_none();
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute;
    ended.then_some((minutes * 60 + second) as f64)
}

fn month_number(name: &str) -> Option<i64> {
    let names = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let index = names.iter().position(|n| n.eq_ignore_ascii_case(name))?;
    Some(index as i64 + 1)
}

fn number(text: &str, allowed: std::ops::RangeInclusive<i64>) -> Option<i64> {
    let digits = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    let number = digits.then(|| text.parse().ok())??;
    allowed.contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_of_the_rfc_are_one_time() {
        // The example of RFC 9110, section 5.6.7.
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(parse(text), Some(784_111_777.0), "{text}");
        }
        let after_2000 = parse("Sat, 01 Jan 2000 00:00:00 GMT");
        assert_eq!(after_2000, Some(946_684_800.0));
    }

    #[test]
    fn everything_else_is_no_date() {
        for text in [
            "",
            "0",
            "-1",
            "Thu, 01 Jan 1970",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 32 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 08:49:37:01 GMT",
            "Sun, 06 Nov 194 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
