//! Numbers that are typed into the text of a plan.
//!
//! Results are references, so that they follow the loads. A number that is typed has to stand
//! elsewhere in the plan, as a condition or a published number, or be marked as `{=18 s}`.

use toml::{Table, Value};

/// Checks that the text has no number that could be a result.
///
/// # Errors
/// The first such number, and what to do.
pub(super) fn check(plan: &Table) -> Result<(), String> {
    let Some(Value::String(text)) = plan.get("text") else {
        return Ok(());
    };
    let mut known = Vec::new();
    for (_, value) in plan.iter().filter(|(key, _)| *key != "text") {
        collect(value, &mut known);
    }
    let text = without_references(text);
    let mut typed = tokens(&text).filter(|(before, _)| starts_a_word(*before));
    let unknown = typed.find(|(_, token)| !known.iter().any(|one| one.is(token)));
    match unknown {
        None => Ok(()),
        Some((_, token)) => Err(format!(
            "text: the number {token} stands nowhere else in the plan; refer to the result that it \
             is, or mark a condition or published number as {{={token}}}"
        )),
    }
}

/// A number of a plan.
enum Known {
    /// As it is written.
    Written(f64),
    /// A value, which a text may round, or write in per cent.
    Value(f64),
}

impl Known {
    fn is(&self, token: &str) -> bool {
        let Some(typed) = parse(token) else {
            return false;
        };
        let decimals = token.split_once('.').map_or(0, |(_, end)| end.len());
        match self {
            Self::Written(number) => same(*number, typed),
            Self::Value(number) => [number.abs(), 100.0 * number.abs()]
                .iter()
                .any(|one| format!("{one:.decimals$}").parse() == Ok(typed)),
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn parse(token: &str) -> Option<f64> {
    token.replace(',', "").parse().ok()
}

/// Collects the numbers of a value, and those in its texts.
fn collect(value: &Value, known: &mut Vec<Known>) {
    match value {
        Value::String(text) => {
            let all = tokens(text).filter_map(|(_, token)| parse(token));
            known.extend(all.map(Known::Written));
        }
        Value::Integer(number) => known.push(Known::Value(*number as f64)),
        Value::Float(number) => known.push(Known::Value(*number)),
        Value::Array(all) => all.iter().for_each(|one| collect(one, known)),
        Value::Table(all) => {
            for (key, one) in all {
                collect(&Value::String(key.clone()), known);
                collect(one, known);
            }
        }
        Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

/// Leaves out what stands in braces.
fn without_references(text: &str) -> String {
    let mut inside = false;
    let kept = text.chars().filter(|c| {
        let was = inside;
        inside = *c == '{' || inside && *c != '}';
        !was && !inside
    });
    kept.collect()
}

/// The numbers of a text, with the character before each.
fn tokens(text: &str) -> impl Iterator<Item = (Option<char>, &str)> {
    let mut rest = text;
    let mut before = None;
    std::iter::from_fn(move || {
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        let mut earlier = rest[..start].chars().rev().chain(before);
        let before_it = match (earlier.next(), earlier.next()) {
            // A hyphen begins a number where a word could begin, and goes on with a word elsewhere.
            (Some('-'), sign) if sign.is_none_or(|c| c.is_whitespace() || c == '(') => sign,
            (c, _) => c,
        };
        let own = &rest[start..];
        let bytes = own.as_bytes();
        let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
        let goes_on = |place: usize| {
            is_digit(place) || matches!(bytes.get(place), Some(b'.' | b',')) && is_digit(place + 1)
        };
        let end = (1..=bytes.len()).find(|place| !goes_on(*place))?;
        before = own[..end].chars().next_back();
        rest = &own[end..];
        Some((before_it, &own[..end]))
    })
}

/// Returns true if a number stands for itself, and is no part of a name such as HTTP/3.
fn starts_a_word(before: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || "([+−–~≈×*_\"“|".contains(c))
}

#[cfg(test)]
mod tests {
    fn check(text: &str) -> Result<(), String> {
        let plan = format!(
            "about = \"A testbed of 2,500 hosts\"\nruns = 30\nnetwork = \"rate 2mbit loss 0.5%\"\n\
             published = [[0.176, nan]]\ntext = '{text}'"
        );
        super::check(&plan.parse().unwrap())
    }

    #[test]
    fn conditions_and_published_numbers_may_be_typed() {
        for text in [
            "At 2 Mbit/s and 0.5 % loss, over HTTP/3 (`h3`) and HTTP/2-3, 30 runs of 2500 hosts.",
            "The paper has 17.6 % or (18 %).",
            "Ours is {gain @ 7mbit}, of {=RFC 9438} and {=3} more.",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_bare_number_is_a_mistake() {
        for (text, number) in [
            ("It gains 12 %.", "12"),
            ("It gains {x}, not 17 %.", "17"),
            ("{=2} of (1.5 s).", "1.5"),
            ("A window of 430,000 bytes", "430,000"),
            ("FCP changes by -1.2 %.", "1.2"),
            ("FCP changes by **12.5** %.", "12.5"),
        ] {
            let error = check(text).unwrap_err();
            assert!(error.contains(&format!("the number {number} ")), "{error}");
            assert!(error.contains(&format!("as {{={number}}}")), "{error}");
        }
    }
}
