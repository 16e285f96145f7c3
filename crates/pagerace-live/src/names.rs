//! The name server of the live world: it knows the page's hosts and nothing else.
//!
//! A first visit asks for the address of every host. Chromium sends these
//! questions over the emulated link, and the answers come back over it.
//!
//! [`answer`] takes one datagram and gives one: RFC 1035, questions for `A`. All
//! other types of a known name (`AAAA`, `HTTPS`) have an empty answer, as for a
//! site without such records; unknown names do not exist (`NXDOMAIN`). Written
//! here because only the header and one question need to be read: a DNS library
//! would bring far more code than these lines.
//!
//! Left out: TCP, as no answer is too long for UDP, and EDNS options, which a
//! server may ignore (RFC 6891, section 7).

mod serve;

use std::collections::BTreeMap;
use std::net::IpAddr;

pub use serve::NameServer;

/// UDP port of DNS.
pub const DNS_PORT: u16 = 53;

/// Bytes of a header: identifier, flags, four counts.
const HEADER: usize = 12;
/// Longest name with its length bytes, RFC 1035, section 3.1.
const NAME_MAX: usize = 255;
const LABEL_MAX: u8 = 63;
const TYPE_A: u16 = 1;
const CLASS_IN: u16 = 1;
/// Longer than any load.
const TTL_SECONDS: u32 = 300;

/// This is a response (QR).
const RESPONSE: u16 = 0x8000;
/// The operation, which is 0 for a plain question.
const OPCODE: u16 = 0x7800;
/// The client wants recursion (RD), which a response repeats.
const RECURSION_DESIRED: u16 = 0x0100;
/// The server gives recursion (RA).
const RECURSION_AVAILABLE: u16 = 0x0080;
const NAME_ERROR: u16 = 3;
const NOT_IMPLEMENTED: u16 = 4;

/// Answers one datagram; `None` if it is no question.
///
/// `names` has host names in lower case.
pub fn answer(names: &BTreeMap<String, IpAddr>, query: &[u8]) -> Option<Vec<u8>> {
    let word = |at: usize| Some(u16::from_be_bytes(*query.get(at..)?.first_chunk()?));
    let (identifier, flags) = (word(0)?, word(2)?);
    if flags & RESPONSE != 0 || word(4)? != 1 {
        return None;
    }
    let (name, end) = name(query, HEADER)?;
    let (kind, class) = (word(end)?, word(end + 2)?);
    let known = names.get(&name);
    let code = match known {
        _ if flags & OPCODE != 0 => NOT_IMPLEMENTED,
        Some(_) => 0,
        None => NAME_ERROR,
    };
    let address = match known {
        Some(IpAddr::V4(v4)) if (code, kind, class) == (0, TYPE_A, CLASS_IN) => Some(v4),
        _ => None,
    };

    let flags = RESPONSE | flags & (OPCODE | RECURSION_DESIRED) | RECURSION_AVAILABLE | code;
    let mut response = Vec::with_capacity(end + 4 + 16);
    for word in [identifier, flags, 1, u16::from(address.is_some()), 0, 0] {
        response.extend(word.to_be_bytes());
    }
    response.extend(&query[HEADER..end + 4]);
    if let Some(address) = address {
        // The name is that of the question: a pointer to it.
        let pointer = 0xc000 | HEADER as u16;
        for word in [pointer, TYPE_A, CLASS_IN] {
            response.extend(word.to_be_bytes());
        }
        response.extend(TTL_SECONDS.to_be_bytes());
        response.extend(4_u16.to_be_bytes());
        response.extend(address.octets());
    }
    Some(response)
}

/// The name at `at` in lower case, and where it ends. A question has no pointers.
fn name(query: &[u8], mut at: usize) -> Option<(String, usize)> {
    let (start, mut name) = (at, String::new());
    loop {
        let length = *query.get(at)?;
        at += 1;
        if length == 0 {
            return Some((name, at));
        }
        let label = query.get(at..at + usize::from(length))?;
        at += label.len();
        if length > LABEL_MAX || at - start >= NAME_MAX {
            return None;
        }
        if !name.is_empty() {
            name.push('.');
        }
        let lower = label
            .iter()
            .map(|byte| char::from(byte.to_ascii_lowercase()));
        name.extend(lower);
    }
}

#[cfg(test)]
mod tests;
