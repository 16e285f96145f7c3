//! Questions to the DNS and its answers, as bytes.
//!
//! A stub resolver: it asks a recursive one, which follows aliases and puts the whole chain into
//! its answer. Nothing here follows a name that an answer has.

mod resolver;

use std::collections::BTreeMap;
use std::net::IpAddr;

use hickory_proto::op::{Edns, Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::rdata::svcb::{SVCB, SvcParamKey, SvcParamValue};
use hickory_proto::rr::{Name, RData, RecordType};

pub use resolver::system_resolvers;
pub(crate) use resolver::{Lookup, check, lookup};

use crate::error::{Failure, Kind, one_line};

/// Largest answer over UDP in bytes: avoids fragments on all common paths (DNS flag day 2020).
const PAYLOAD_MAX: u16 = 1232;
/// Most aliases of a chain.
const ALIASES_MAX: usize = 8;
/// Most addresses that are kept.
const ADDRESSES_MAX: usize = 16;

/// The records that are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// HTTPS records (RFC 9460).
    Https,
}

impl Question {
    /// All questions about a domain.
    pub(crate) const ALL: [Self; 3] = [Self::A, Self::Aaaa, Self::Https];

    const fn record_type(self) -> RecordType {
        match self {
            Self::A => RecordType::A,
            Self::Aaaa => RecordType::AAAA,
            Self::Https => RecordType::HTTPS,
        }
    }
}

/// An HTTPS record in service mode; the one with the lowest priority number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpsRecord {
    /// The protocols that it announces.
    pub alpn: Vec<String>,
    /// The name of the server, if it is another than the domain.
    pub target: Option<String>,
    /// The port, if it gives one.
    pub port: Option<u16>,
    /// True if it has addresses, so that browsers need not ask for them.
    pub hints: bool,
    /// True if it has keys for Encrypted Client Hello.
    pub ech: bool,
}

/// The content of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The aliases (CNAME) from the domain on, in order.
    pub aliases: Vec<String>,
    /// The addresses, at most 16.
    pub addresses: Vec<IpAddr>,
    /// The HTTPS record.
    pub https: Option<HttpsRecord>,
    /// The name to which an HTTPS record in alias mode leads.
    pub https_alias: Option<String>,
}

/// The relation of a datagram to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The datagram answers another question, or none.
    Foreign,
    /// The answer did not fit; ask over TCP.
    Truncated,
    /// The answer.
    Answer(Answer),
}

/// Returns the bytes of a question.
///
/// # Errors
/// The domain cannot be a name in the DNS.
pub fn question(id: u16, domain: &str, question: Question) -> Result<Vec<u8>, Failure> {
    let bad = |error: &dyn std::fmt::Display| Failure::new(Kind::Dns, error);
    let mut name = Name::from_ascii(domain).map_err(|error| bad(&error))?;
    name.set_fqdn(true);
    let mut message = Message::new(id, MessageType::Query, OpCode::Query);
    message.metadata.recursion_desired = true;
    message.add_query(Query::query(name, question.record_type()));
    let mut edns = Edns::new();
    edns.set_max_payload(PAYLOAD_MAX).set_version(0);
    message.set_edns(edns);
    message.to_vec().map_err(|error| bad(&error))
}

/// Reads what came for a question.
///
/// # Errors
/// The answer is an error or malformed, or its aliases are a loop.
pub fn read(bytes: &[u8], id: u16, domain: &str, question: Question) -> Result<Reply, Failure> {
    if bytes.len() < 12 || bytes[..2] != id.to_be_bytes() {
        return Ok(Reply::Foreign);
    }
    let message = Message::from_vec(bytes)
        .map_err(|error| Failure::new(Kind::Dns, format_args!("malformed answer: {error}")))?;
    let asked = message.queries.first().is_some_and(|query| {
        query.query_type() == question.record_type() && same_name(query.name(), domain)
    });
    if message.metadata.message_type != MessageType::Response || !asked {
        return Ok(Reply::Foreign);
    }
    if message.metadata.truncation {
        return Ok(Reply::Truncated);
    }
    match message.metadata.response_code {
        ResponseCode::NoError => {}
        ResponseCode::NXDomain => return Err(Failure::new(Kind::Dns, "no such domain")),
        other => return Err(Failure::new(Kind::Dns, other)),
    }
    answer(&message, domain, question).map(Reply::Answer)
}

fn answer(message: &Message, domain: &str, question: Question) -> Result<Answer, Failure> {
    let mut aliases: BTreeMap<String, String> = BTreeMap::new();
    for record in &message.answers {
        if let RData::CNAME(target) = &record.data {
            aliases.insert(plain(&record.name), plain(&target.0));
        }
    }
    let mut found = Answer::default();
    let mut owner = domain.to_owned();
    while let Some(target) = aliases.get(&owner) {
        if found.aliases.len() == ALIASES_MAX || target == domain || found.aliases.contains(target)
        {
            return Err(Failure::new(Kind::Dns, "a loop of aliases, or more than 8"));
        }
        found.aliases.push(target.clone());
        owner.clone_from(target);
    }
    let mut best = u16::MAX;
    for record in message.answers.iter().filter(|r| plain(&r.name) == owner) {
        match &record.data {
            RData::A(a) if question == Question::A => found.addresses.push(IpAddr::V4(a.0)),
            RData::AAAA(a) if question == Question::Aaaa => found.addresses.push(IpAddr::V6(a.0)),
            RData::HTTPS(https) if https.0.svc_priority == 0 => {
                found.https_alias = Some(plain(&https.0.target_name));
            }
            RData::HTTPS(https) if found.https.is_none() || https.0.svc_priority < best => {
                best = https.0.svc_priority;
                found.https = Some(service(&https.0));
            }
            _ => {}
        }
    }
    found.addresses.truncate(ADDRESSES_MAX);
    Ok(found)
}

fn service(record: &SVCB) -> HttpsRecord {
    let mut service = HttpsRecord::default();
    let target = plain(&record.target_name);
    service.target = (!target.is_empty()).then_some(target);
    for (key, value) in &record.svc_params {
        match value {
            SvcParamValue::Alpn(alpn) => {
                let short = alpn.0.iter().take(16).map(|name| one_line(name, 64));
                service.alpn = short.collect();
            }
            SvcParamValue::Port(port) => service.port = Some(*port),
            SvcParamValue::Ipv4Hint(_) | SvcParamValue::Ipv6Hint(_) => service.hints = true,
            SvcParamValue::EchConfigList(_) => service.ech = true,
            _ => service.ech |= matches!(key, SvcParamKey::EchConfigList),
        }
    }
    service
}

/// Returns a name in lower case without the dot at its end; empty for the root.
fn plain(name: &Name) -> String {
    let mut text = name.to_lowercase().to_ascii();
    if text.ends_with('.') {
        text.pop();
    }
    text
}

fn same_name(name: &Name, domain: &str) -> bool {
    plain(name) == domain
}

#[cfg(test)]
mod tests;
