//! Spellings of HTTP versions in recordings.

/// An HTTP version, as far as coalescing and round trips depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Protocol {
    /// HTTP/0.9, 1.0 and 1.1.
    H1,
    /// HTTP/2, and its predecessor SPDY.
    H2,
    /// HTTP/3, and its predecessor gQUIC.
    H3,
}

impl Protocol {
    /// Parses the spellings of recorders: `h3`, `h3-Q050`, `HTTP/3`, `http/2+quic/46`,
    /// `h2`, `HTTP/2.0`, `spdy/3.1`, `us:` (WebPageTest 3 misreads the pseudo-field
    /// `:status:`), `HTTP/1.1`, `1.0`. Returns `None` for `unknown`, `?` and empty text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let version = text.strip_prefix("http/").unwrap_or(&text);
        if version.contains("quic") || version.starts_with("h3") || version.starts_with('3') {
            Some(Self::H3)
        } else if version.starts_with("h2")
            || version.starts_with('2')
            || version.starts_with("spdy")
            || version.starts_with("us:")
        {
            Some(Self::H2)
        } else if version.starts_with('1') || version.starts_with("0.9") {
            Some(Self::H1)
        } else {
            None
        }
    }

    /// Returns the name as in Resource Timing's `nextHopProtocol` and RFC 7301's ALPN
    /// registry.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::H1 => "http/1.1",
            Self::H2 => "h2",
            Self::H3 => "h3",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Protocol::{self, H1, H2, H3};

    #[test]
    fn all_spellings_of_the_wild_are_understood() {
        let cases = [
            ("h3", Some(H3)),
            ("h3-Q050", Some(H3)),
            ("HTTP/3", Some(H3)),
            ("http/2+quic/46", Some(H3)),
            ("quic/1+spdy/3", Some(H3)),
            ("h2", Some(H2)),
            ("HTTP/2.0", Some(H2)),
            ("http/2", Some(H2)),
            ("spdy", Some(H2)),
            ("spdy/3.1", Some(H2)),
            ("us:", Some(H2)),
            ("http/1.1", Some(H1)),
            ("HTTP/1.0", Some(H1)),
            ("1.0", Some(H1)),
            ("unknown", None),
            ("", None),
            ("?", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Protocol::parse(text), expected, "{text}");
        }
    }
}
