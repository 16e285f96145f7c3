//! Errors of a scan, and failures of one step, which are data.

use std::fmt;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The reason why a scan cannot begin or go on, with what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ScanError(String);

impl ScanError {
    pub(crate) fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }

    /// Describes what is wrong with a file.
    pub(crate) fn at(file: &Path, reason: impl fmt::Display) -> Self {
        Self(format!("{}: {reason}", file.display()))
    }

    /// Describes a line of a list.
    pub(crate) fn at_line(file: &Path, line: usize, found: &str, problem: &str) -> Self {
        let found: String = found.chars().take(80).collect();
        Self(format!(
            "{}, line {line}: {found}: {problem}",
            file.display()
        ))
    }
}

/// Reasons why a step failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// No answer in time.
    Timeout,
    /// The host refused: nothing listens there.
    Refused,
    /// The host ended the connection before the answer was complete.
    Closed,
    /// This machine has no way to the address.
    NoRoute,
    /// The DNS answered with an error.
    Dns,
    /// The TLS handshake failed.
    Tls,
    /// The QUIC connection failed.
    Quic,
    /// The answer breaks the rules of HTTP.
    Http,
    /// The answer has too many bytes.
    TooLarge,
    /// The address is not one of the public Internet.
    NotPublic,
    /// The exclusion list has the domain or the address.
    Excluded,
    /// The line of the list has no domain name.
    Malformed,
    /// This machine failed.
    Local,
}

impl Kind {
    /// Returns the word for tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Refused => "refused",
            Self::Closed => "closed",
            Self::NoRoute => "no-route",
            Self::Dns => "dns",
            Self::Tls => "tls",
            Self::Quic => "quic",
            Self::Http => "http",
            Self::TooLarge => "too-large",
            Self::NotPublic => "not-public",
            Self::Excluded => "excluded",
            Self::Malformed => "malformed",
            Self::Local => "local",
        }
    }

    /// Returns true if a second attempt may succeed.
    pub const fn is_passing(self) -> bool {
        matches!(self, Self::Timeout | Self::Closed | Self::Local)
    }
}

/// Most characters of a failure's detail.
const DETAIL_MAX: usize = 160;

/// A step that failed: one line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The kind.
    pub kind: Kind,
    /// A description of the failure, without line breaks.
    pub detail: String,
}

impl Failure {
    /// Creates a failure. Texts of servers are cut and freed of control characters.
    pub fn new(kind: Kind, detail: impl fmt::Display) -> Self {
        let detail = one_line(&detail.to_string(), DETAIL_MAX);
        Self { kind, detail }
    }

    /// Creates the failure of a system call.
    pub(crate) fn of_io(error: &io::Error, doing: &str) -> Self {
        use io::ErrorKind as E;
        let kind = match error.kind() {
            E::ConnectionRefused => Kind::Refused,
            E::ConnectionReset | E::ConnectionAborted | E::BrokenPipe | E::UnexpectedEof => {
                Kind::Closed
            }
            E::NetworkUnreachable | E::HostUnreachable | E::AddrNotAvailable => Kind::NoRoute,
            E::TimedOut => Kind::Timeout,
            _ => Kind::Local,
        };
        if kind == Kind::Local {
            return Self::new(kind, format_args!("{doing}: {error}"));
        }
        // The kind says it without the number of the system.
        Self::new(kind, format_args!("{doing}: {}", error.kind()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.word(), self.detail)
    }
}

/// Returns the first characters of a text, with other signs in place of control characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().take(most).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::{Failure, Kind};

    #[test]
    fn a_failure_is_one_short_line() {
        let failure = Failure::new(Kind::Http, "a\r\nb\u{1b}[31m".repeat(1000));
        let text = failure.to_string();
        assert!(text.starts_with("http: a\u{fffd}\u{fffd}b"));
        assert!(!text.contains('\n') && !text.contains('\u{1b}') && text.chars().count() < 200);
    }
}
