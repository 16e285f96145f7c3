//! The static table of HPACK.
//!
//! Source: RFC 7541, appendix A, <https://www.rfc-editor.org/rfc/rfc7541#appendix-A>.

use std::sync::LazyLock;

use crate::literal::table::Index;

/// Names and values. The index of an entry in HPACK is its position plus one.
#[rustfmt::skip]
pub(super) const ENTRIES: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

/// Finds field lines. Positions in results count from zero.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(|| Index::new(&ENTRIES));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::table::Found;

    #[test]
    fn every_entry_finds_itself() {
        for (at, (name, value)) in ENTRIES.iter().enumerate() {
            assert_eq!(
                INDEX.find(name.as_bytes(), value.as_bytes()),
                Found::Line(at)
            );
        }
        assert_eq!(INDEX.find(b":status", b"418"), Found::Name(7));
        assert_eq!(INDEX.find(b"x-unknown", b""), Found::Nothing);
    }
}
