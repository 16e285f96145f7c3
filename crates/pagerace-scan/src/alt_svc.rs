//! The field `alt-svc` (RFC 7838): what a server announces of other protocols.

/// Most alternatives that are read.
const ALTERNATIVES_MAX: usize = 32;

/// An alternative service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The protocol's name in ALPN.
    pub protocol: String,
    /// The host; empty for that of the origin.
    pub host: String,
    /// The port.
    pub port: u16,
}

impl Alternative {
    /// Returns true for HTTP/3 as published (RFC 9114), not for its drafts.
    pub fn is_http3(&self) -> bool {
        self.protocol == "h3"
    }
}

/// Reads the value of the field. Alternatives that are malformed do not count; `clear` is none.
pub fn parse(value: &str) -> Vec<Alternative> {
    let mut found = Vec::new();
    let mut rest = value;
    while found.len() < ALTERNATIVES_MAX {
        let (entry, after) = split_entry(rest);
        found.extend(alternative(entry));
        match after {
            Some(after) => rest = after,
            None => break,
        }
    }
    found
}

/// Splits at the first comma outside of quotes.
fn split_entry(text: &str) -> (&str, Option<&str>) {
    let mut quoted = false;
    let mut escaped = false;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b',' if !quoted => return (&text[..i], Some(&text[i + 1..])),
            _ => {}
        }
    }
    (text, None)
}

/// Reads `protocol="host:port"`; the parameters after it say nothing of the protocol.
fn alternative(entry: &str) -> Option<Alternative> {
    let (protocol, rest) = entry.trim().split_once('=')?;
    let rest = rest.strip_prefix('"')?;
    let (authority, _) = rest.split_once('"')?;
    let (host, port) = authority.rsplit_once(':')?;
    let port = port.parse().ok().filter(|port| *port > 0)?;
    let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let good = !protocol.is_empty() && protocol.len() <= 255 && protocol.chars().all(token);
    good.then(|| Alternative {
        protocol: protocol.to_owned(),
        host: host.to_owned(),
        port,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::parse;

    fn show(value: &str) -> Vec<String> {
        let shown = |a: &super::Alternative| format!("{} {} {}", a.protocol, a.host, a.port);
        parse(value).iter().map(shown).collect()
    }

    #[test]
    fn alternatives_are_read() {
        let value = r#"h3=":443"; ma=86400,h3-29=":443";ma=86400, h2="alt.example:8000", clear"#;
        assert_eq!(
            show(value),
            ["h3  443", "h3-29  443", "h2 alt.example 8000"]
        );
        assert_eq!(show("clear"), [""; 0]);
        assert_eq!(show(r#"w%3Dx="[::1]:443"; persist=1"#), ["w%3Dx [::1] 443"]);
        assert_eq!(show(r#"h3=":443"; v="46,43""#), ["h3  443"]);
    }

    #[test]
    fn malformed_alternatives_do_not_count() {
        for value in [
            "h3",
            "h3=443",
            "h3=\":0\"",
            "h3=\":70000\"",
            "=\":443\"",
            "h3=\":443",
            "h3=\"443\"",
        ] {
            assert_eq!(show(value), [""; 0], "{value}");
        }
        let many = r#"h3=":443","#.repeat(10_000);
        assert!(parse(&many).len() <= 32);
    }

    proptest! {
        #[test]
        fn no_value_panics(value in "[h3=\":;,\\\\ 0-9ü]{0,40}") {
            for alternative in parse(&value) {
                prop_assert!(alternative.port > 0);
            }
        }
    }
}
