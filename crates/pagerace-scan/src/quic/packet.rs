//! QUIC packets as anybody on the path sees them: long headers, which are not encrypted.
//!
//! Source: RFC 8999 and RFC 9000, section 17.

use pagerace_http::varint;

/// The version that the scan speaks (RFC 9000).
const V1: u32 = 1;
/// A version of the form that no server may support (RFC 9000, section 15): servers answer it
/// with the versions that they support.
const RESERVED_VERSION: u32 = 0x1a2a_3a4a;
/// Length of a datagram that servers must answer (RFC 9000, section 14.1).
const INITIAL_BYTES: usize = 1200;
/// Most versions that are read from an answer.
const VERSIONS_MAX: usize = 64;

/// The kinds of packets that a datagram can begin with or have one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Version negotiation.
    Versions,
    /// Initial.
    Initial,
    /// 0-RTT.
    Early,
    /// Handshake.
    Handshake,
    /// Retry.
    Retry,
    /// 1-RTT, or no QUIC packet.
    Other,
}

/// Returns the kinds of the packets of a datagram, in order.
pub fn kinds(datagram: &[u8]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut rest = datagram;
    while !rest.is_empty() {
        let Some((kind, length)) = packet(rest) else {
            kinds.push(Kind::Other);
            break;
        };
        kinds.push(kind);
        rest = &rest[length.min(rest.len())..];
    }
    kinds
}

/// Returns the kind and the length of the first packet; `None` without a long header.
fn packet(bytes: &[u8]) -> Option<(Kind, usize)> {
    let first = *bytes.first()?;
    if first & 0x80 == 0 {
        return None;
    }
    let version = u32::from_be_bytes(bytes.get(1..5)?.try_into().ok()?);
    let mut at = 5;
    for _ in 0..2 {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
    }
    if version == 0 {
        return Some((Kind::Versions, bytes.len()));
    }
    if version != V1 {
        return None;
    }
    let kind = match first >> 4 & 3 {
        0 => {
            let (token, size) = varint::decode(bytes.get(at..)?)?;
            at = at
                .checked_add(size)?
                .checked_add(usize::try_from(token).ok()?)?;
            Kind::Initial
        }
        1 => Kind::Early,
        2 => Kind::Handshake,
        _ => return Some((Kind::Retry, bytes.len())),
    };
    let (length, size) = varint::decode(bytes.get(at..)?)?;
    let end = at
        .checked_add(size)?
        .checked_add(usize::try_from(length).ok()?)?;
    Some((kind, end))
}

/// Returns a datagram that makes a server name its versions. `ids` are the connection ids of
/// destination and source.
pub fn version_question(ids: &[u8; 16]) -> Vec<u8> {
    let mut bytes = vec![0xc0];
    bytes.extend(RESERVED_VERSION.to_be_bytes());
    for id in ids.chunks(8) {
        bytes.push(8);
        bytes.extend(id);
    }
    bytes.resize(INITIAL_BYTES, 0);
    bytes
}

/// Reads the versions in the answer to [`version_question`]; `None` if it is none. Reserved
/// versions, with which servers test clients, are left out.
pub fn versions(datagram: &[u8], ids: &[u8; 16]) -> Option<Vec<u32>> {
    if packet(datagram)?.0 != Kind::Versions {
        return None;
    }
    // The answer has the ids the other way round (RFC 9000, section 17.2.1).
    let (destination, source) = ids.split_at(8);
    let expected = [&[8], source, &[8], destination].concat();
    let list = datagram.get(5..)?.strip_prefix(&expected[..])?;
    let words = list.chunks_exact(4).take(VERSIONS_MAX);
    let all = words.map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
    Some(
        all.filter(|version| version & 0x0f0f_0f0f != 0x0a0a_0a0a)
            .collect(),
    )
}

/// Returns the name of a version: `1` and `2` of the RFCs, `draft-29`, or a number.
pub(crate) fn version_name(version: u32) -> String {
    match version {
        1 => "1".to_owned(),
        // RFC 9369.
        0x6b33_43cf => "2".to_owned(),
        0xff00_0000..=0xff00_00ff => format!("draft-{}", version & 0xff),
        _ => format!("0x{version:08x}"),
    }
}

/// Bytes to and from a server before it knows that the client's address is genuine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    sent: u64,
    received: u64,
    /// True once the client has proven its address: by a Handshake packet, or by the token of
    /// a Retry (RFC 9000, section 8.1).
    validated: bool,
    /// True if a Retry came.
    pub retry: bool,
    ratio_max: f64,
}

impl Meter {
    /// Counts a datagram to the server.
    pub fn handle_sent(&mut self, datagram: &[u8]) {
        if !self.validated && kinds(datagram).contains(&Kind::Handshake) {
            self.validated = true;
        }
        self.sent += datagram.len() as u64;
    }

    /// Counts a datagram from the server.
    pub fn handle_received(&mut self, datagram: &[u8]) {
        self.received += datagram.len() as u64;
        if !self.validated && self.sent > 0 {
            let ratio = self.received as f64 / self.sent as f64;
            self.ratio_max = self.ratio_max.max(ratio);
        }
        if kinds(datagram).first() == Some(&Kind::Retry) {
            self.retry = true;
            self.validated = true;
        }
    }

    /// Returns the largest ratio of received to sent bytes before the address was validated;
    /// `None` if nothing came. A server must keep it at three or less.
    pub fn amplification(&self) -> Option<f64> {
        (self.ratio_max > 0.0).then_some(self.ratio_max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns a packet with a long header and `length` bytes of payload.
    fn long(kind: u8, length: u8) -> Vec<u8> {
        let mut bytes = vec![0xc0 | kind << 4, 0, 0, 0, 1, 2, 9, 9, 1, 7];
        if kind == 0 {
            bytes.extend([3, 1, 2, 3]);
        }
        if kind < 3 {
            bytes.push(length);
        }
        bytes.resize(bytes.len() + usize::from(length), 0xff);
        bytes
    }

    #[test]
    fn packets_of_a_datagram_are_told_apart() {
        let datagram = [long(0, 20), long(2, 30), vec![0x40; 50]].concat();
        assert_eq!(
            kinds(&datagram),
            [Kind::Initial, Kind::Handshake, Kind::Other]
        );
        assert_eq!(kinds(&long(3, 40)), [Kind::Retry]);
        assert_eq!(kinds(&long(1, 40)), [Kind::Early]);
        assert_eq!(kinds(&[0x40, 1, 2]), [Kind::Other]);
        assert_eq!(kinds(&[0xc0]), [Kind::Other]);
    }

    #[test]
    fn versions_are_read_from_the_answer_alone() {
        let ids: [u8; 16] = std::array::from_fn(|i| i as u8);
        let question = version_question(&ids);
        assert_eq!(question.len(), 1200);
        assert_eq!(versions(&question, &ids), None);
        let mut answer = vec![0x80, 0, 0, 0, 0, 8];
        answer.extend(&ids[8..]);
        answer.push(8);
        answer.extend(&ids[..8]);
        for version in [0x0a1a_2a3a_u32, 1, 0x6b33_43cf, 0xff00_001d, 0x5130_3530] {
            answer.extend(version.to_be_bytes());
        }
        let names: Vec<String> = versions(&answer, &ids)
            .unwrap()
            .into_iter()
            .map(version_name)
            .collect();
        assert_eq!(names, ["1", "2", "draft-29", "0x51303530"]);
        assert_eq!(versions(&answer, &[0; 16]), None);
    }

    #[test]
    fn amplification_ends_with_the_first_handshake_packet() {
        let mut meter = Meter::default();
        assert_eq!(meter.amplification(), None);
        meter.handle_sent(&vec![0; 1200]);
        meter.handle_received(&vec![0; 1200]);
        meter.handle_received(&vec![0; 1800]);
        assert!((meter.amplification().unwrap() - 2.5).abs() < 1e-9);
        meter.handle_sent(&long(2, 60));
        meter.handle_received(&vec![0; 60_000]);
        assert!((meter.amplification().unwrap() - 2.5).abs() < 1e-9);
        assert!(!meter.retry);
    }

    #[test]
    fn a_retry_validates_the_address() {
        let mut meter = Meter::default();
        meter.handle_sent(&vec![0; 1200]);
        meter.handle_received(&long(3, 40));
        meter.handle_received(&vec![0; 60_000]);
        assert!(meter.retry && meter.amplification().unwrap() < 0.1);
    }

    proptest! {
        #[test]
        fn no_datagram_panics(mut bytes in prop::collection::vec(any::<u8>(), 0..80), long in any::<bool>()) {
            if long && bytes.len() > 5 {
                bytes[0] |= 0x80;
                let version = bytes[1] & 1;
                bytes[1..5].copy_from_slice(&[0, 0, 0, version]);
            }
            prop_assert!(kinds(&bytes).len() <= bytes.len());
            let _ = versions(&bytes, &[0; 16]);
        }
    }
}
