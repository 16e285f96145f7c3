//! The field `alt-svc` (RFC 7838): what a server announces of other protocols.

use std::num::NonZero;

/// Most alternatives that are read.
const ALTERNATIVES_MAX: usize = 32;

/// Returns true if the value of the field announces HTTP/3 as published (RFC 9114), not only
/// drafts of it. Alternatives that are malformed do not count.
pub fn announces_http3(value: &str) -> bool {
    let protocols = entries(value).filter_map(protocol);
    protocols.take(ALTERNATIVES_MAX).any(|name| name == "h3")
}

/// Splits at commas outside of quotes.
fn entries(value: &str) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    value.split(move |c: char| {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        c == ',' && !quoted
    })
}

/// Returns the protocol of `protocol="host:port"`; the parameters after it say nothing of it.
fn protocol(entry: &str) -> Option<&str> {
    let (protocol, rest) = entry.trim().split_once('=')?;
    let (authority, _) = rest.strip_prefix('"')?.split_once('"')?;
    let (_, port) = authority.rsplit_once(':')?;
    port.parse::<NonZero<u16>>().ok().map(|_| protocol)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::announces_http3;

    #[test]
    fn http3_is_found_among_other_protocols() {
        for value in [
            r#"h3=":443"; ma=86400,h3-29=":443";ma=86400, h2="alt.example:8000", clear"#,
            r#"h2="alt.example:8000",h3="[::1]:443"; persist=1"#,
            r#"h2=":443"; v="46,43", h3=":443""#,
            r#"h2=":443"; v="\",", h3="a.example:1""#,
        ] {
            assert!(announces_http3(value), "{value}");
        }
    }

    #[test]
    fn other_and_malformed_alternatives_do_not_count() {
        for value in [
            "",
            "clear",
            "h3-29=\":443\"",
            "h2=\":443\"; v=\", h3=\"",
            "h2=\", h3=\":443\"",
            "h3",
            "h3=443",
            "h3=\":0\"",
            "h3=\":70000\"",
            "=\":443\"",
            "h3=\":443",
            "h3=\"443\"",
        ] {
            assert!(!announces_http3(value), "{value}");
        }
        let many = r#"h2=":443","#.repeat(10_000) + r#"h3=":443""#;
        assert!(!announces_http3(&many), "only the first alternatives count");
    }

    proptest! {
        #[test]
        fn no_value_panics_and_none_without_h3_announces_it(value in "[h3=\":;,\\\\ 0-9ü]{0,40}") {
            prop_assert!(!announces_http3(&value) || value.contains("h3=\""));
        }
    }
}
