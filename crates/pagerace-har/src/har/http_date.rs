//! Dates in header fields: the three formats of RFC 9110, section 5.6.7.
//!
//! <https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7>. The day of the week is not
//! checked.

use super::clock::parse_millis;

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
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = 1 + months.iter().position(|m| m.eq_ignore_ascii_case(month))?;
    // Two-digit years from 70 on belong to the last century.
    let century = match year.len() {
        2 if year < "70" => "20",
        2 => "19",
        _ => "",
    };
    let text = format!("{century}{year}-{month:02}-{day:0>2}T{clock:0>8}Z");
    // HAR's dates may end a day at 24:00, those of HTTP may not.
    (clock.len() <= 8 && !clock.starts_with("24"))
        .then(|| parse_millis(&text))?
        .map(|ms| ms / 1e3)
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
