//! The DNS server of the live world, which knows only the hosts of the page.
//!
//! A first visit resolves every host. Chromium sends its queries over the emulated link,
//! and the responses return over it.
//!
//! [`answer`] turns a query datagram into a response (RFC 1035; `A` queries). Other types
//! of a known name (`AAAA`, `HTTPS`) get an empty answer, as for a site without such
//! records; unknown names get `NXDOMAIN`. It is written here because it only reads the
//! header and one question: a DNS library would bring far more code.
//!
//! Left out: TCP, as no answer is too long for UDP, and EDNS options, which a server may
//! ignore (RFC 6891, section 7).

mod serve;

use std::collections::BTreeMap;
use std::net::IpAddr;

pub use serve::NameServer;

/// The UDP port of DNS.
pub(crate) const DNS_PORT: u16 = 53;

/// Length of a header in bytes: identifier, flags, four counts.
const HEADER: usize = 12;
/// Maximum length of a name with its length bytes (RFC 1035, section 3.1).
const NAME_MAX: usize = 255;
const LABEL_MAX: u8 = 63;
const TYPE_A: u16 = 1;
const CLASS_IN: u16 = 1;
/// Time to live of an answer, longer than any load.
const TTL_SECONDS: u32 = 300;

/// The flag of a response (QR).
const RESPONSE: u16 = 0x8000;
/// The mask of the operation code, which is 0 for a standard query.
const OPCODE: u16 = 0x7800;
/// The flag by which a client requests recursion (RD). A response repeats it.
const RECURSION_DESIRED: u16 = 0x0100;
/// The flag by which a server offers recursion (RA).
const RECURSION_AVAILABLE: u16 = 0x0080;
const NAME_ERROR: u16 = 3;
const NOT_IMPLEMENTED: u16 = 4;

/// Answers one datagram; `None` if it is not a valid query.
///
/// `names` maps host names in lower case to addresses.
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
        // A compression pointer to the name in the question.
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

/// Returns the name at `at` in lower case, and the position after it. Names in questions
/// have no compression pointers.
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
