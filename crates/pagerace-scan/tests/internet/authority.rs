//! The DNS of the test's Internet. Answers follow from the name, so that there are as many
//! domains as a list asks for.

use std::net::{Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hickory_proto::op::{Message, Query, ResponseCode};
use hickory_proto::rr::rdata::svcb::{
    Alpn, EchConfigList, IpHint, SVCB, SvcParamKey, SvcParamValue,
};
use hickory_proto::rr::rdata::{A, AAAA, CNAME, HTTPS};
use hickory_proto::rr::{Name, RData, Record, RecordType};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};

use super::hostile::{Hostile, noise};
use super::web::Web;
use super::{Kind, Server, address};

/// Records of a domain in the DNS, beside the addresses of its servers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub record: Option<HttpsRecord>,
    /// The IPv4 address stands behind an alias.
    pub alias: bool,
    /// The server has no IPv4 address.
    pub no_a: bool,
    /// Addresses of each family after the first.
    pub more: u8,
    /// The DNS answers this question with an error.
    pub fails: Option<RecordType>,
}

/// An HTTPS record (RFC 9460).
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpsRecord {
    /// In alias mode; it has a target only.
    pub alias: bool,
    pub alpn: &'static [&'static str],
    pub target: Option<&'static str>,
    pub port: Option<u16>,
    pub hints: bool,
    pub ech: bool,
}

/// A record that announces HTTP/3.
pub const ANNOUNCING: HttpsRecord = HttpsRecord {
    alias: false,
    alpn: &["h3", "h2"],
    target: None,
    port: None,
    hints: false,
    ech: false,
};

impl HttpsRecord {
    fn data(self) -> RData {
        use SvcParamValue as V;
        let target = self.target.unwrap_or(".");
        let target = Name::from_ascii(target).unwrap();
        let mut params = Vec::new();
        if !self.alpn.is_empty() {
            let alpn = self.alpn.iter().map(|name| (*name).to_owned()).collect();
            params.push((SvcParamKey::Alpn, V::Alpn(Alpn(alpn))));
        }
        if let Some(port) = self.port {
            params.push((SvcParamKey::Port, V::Port(port)));
        }
        if self.hints {
            let hint = IpHint(vec![A::new(127, 59, 0, 2)]);
            params.push((SvcParamKey::Ipv4Hint, V::Ipv4Hint(hint)));
        }
        if self.ech {
            let keys = EchConfigList(vec![0; 8]);
            params.push((SvcParamKey::EchConfigList, V::EchConfigList(keys)));
        }
        RData::HTTPS(HTTPS(SVCB::new(u16::from(!self.alias), target, params)))
    }
}

/// Questions that the authority received.
#[derive(Debug, Default)]
pub struct Log {
    pub questions: AtomicU64,
    /// Names that no domain of a list has: somebody followed them.
    pub trapped: Mutex<Vec<String>>,
}

pub fn start(kinds: Vec<Kind>) -> (SocketAddr, Arc<Log>) {
    let log = Arc::new(Log::default());
    // The port of UDP may be taken over TCP.
    let (at, socket, listener) = (0..100)
        .find_map(|_| {
            let socket = std::net::UdpSocket::bind("127.0.0.53:0").unwrap();
            let at = socket.local_addr().unwrap();
            Some((at, socket, std::net::TcpListener::bind(at).ok()?))
        })
        .unwrap();
    socket.set_nonblocking(true).unwrap();
    let socket = Arc::new(UdpSocket::from_std(socket).unwrap());
    listener.set_nonblocking(true).unwrap();
    let listener = TcpListener::from_std(listener).unwrap();
    let kinds = Arc::new(kinds);
    let (kinds2, log2) = (Arc::clone(&kinds), Arc::clone(&log));
    tokio::spawn(async move {
        let mut buffer = [0; 2048];
        while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
            log2.questions.fetch_add(1, Ordering::Relaxed);
            let Answers { delay, messages } = answers(&kinds2, &log2, &buffer[..length], false);
            let socket = Arc::clone(&socket);
            tokio::spawn(async move {
                if !delay.is_zero() {
                    tokio::time::sleep(delay).await;
                }
                for bytes in messages {
                    let _ = socket.try_send_to(&bytes, from);
                }
            });
        }
    });
    let log2 = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (kinds, log) = (Arc::clone(&kinds), Arc::clone(&log2));
            tokio::spawn(async move {
                let length = stream.read_u16().await.ok()?;
                let mut bytes = vec![0; usize::from(length)];
                stream.read_exact(&mut bytes).await.ok()?;
                let drip = Message::from_vec(&bytes).ok()?.queries[0].name().to_ascii();
                if drip.contains(".dns-drip.") {
                    stream.write_u16(60_000).await.ok()?;
                    for _ in 0..600 {
                        stream.write_u8(0).await.ok()?;
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                }
                let answer = answers(&kinds, &log, &bytes, true).messages.pop()?;
                stream.write_u16(answer.len() as u16).await.ok()?;
                stream.write_all(&answer).await.ok()
            });
        }
    });
    (at, log)
}

/// Answers to a question.
#[derive(Default)]
struct Answers {
    delay: Duration,
    messages: Vec<Vec<u8>>,
}

impl From<Vec<Vec<u8>>> for Answers {
    fn from(messages: Vec<Vec<u8>>) -> Self {
        Self {
            delay: Duration::ZERO,
            messages,
        }
    }
}

fn answers(kinds: &[Kind], log: &Log, bytes: &[u8], tcp: bool) -> Answers {
    let Ok(asked) = Message::from_vec(bytes) else {
        return Answers::default();
    };
    let Some(query) = asked.queries.first().cloned() else {
        return Answers::default();
    };
    let mut message = asked.into_response();
    let name = query.name().to_lowercase().to_ascii();
    let labels: Vec<&str> = name.trim_end_matches('.').split('.').collect();
    let known = match labels[..] {
        [number, kind, "test"] => kinds
            .iter()
            .position(|k| k.name == kind)
            .zip(number.parse::<u32>().ok()),
        _ => None,
    };
    let Some((index, number)) = known else {
        log.trapped.lock().unwrap().push(name);
        message.metadata.response_code = ResponseCode::NXDomain;
        return vec![message.to_vec().unwrap()].into();
    };
    let kind = &kinds[index];
    let at = RData::A(A(address(index, number % kind.addresses.max(1))));
    match &kind.server {
        Server::Web(web) => {
            describe(&mut message, &query, web, number, at);
            Answers {
                delay: 2 * web.delay,
                messages: vec![message.to_vec().unwrap()],
            }
        }
        Server::Hostile(hostile) => mislead(message, &query, *hostile, at, tcp).into(),
        Server::Dead => {
            add_address(&mut message, &query, at);
            vec![message.to_vec().unwrap()].into()
        }
    }
}

fn add(message: &mut Message, owner: &Name, data: RData) {
    message.add_answer(Record::from_rdata(owner.clone(), 60, data));
}

/// Adds the address of a server, if that is the question.
fn add_address(message: &mut Message, query: &Query, at: RData) {
    if query.query_type() == RecordType::A {
        add(message, query.name(), at);
    }
}

/// Answers for a server that behaves.
fn describe(message: &mut Message, query: &Query, web: &Web, number: u32, at: RData) {
    let names = &web.names;
    if names.fails == Some(query.query_type()) {
        message.metadata.response_code = ResponseCode::ServFail;
        return;
    }
    let target = Name::from_ascii(format!("edge{number}.cdn.test.")).unwrap();
    let owner = if names.alias {
        add(message, query.name(), RData::CNAME(CNAME(target.clone())));
        &target
    } else {
        query.name()
    };
    match query.query_type() {
        RecordType::A if !names.no_a => {
            add(message, owner, at);
            for last in 1..=names.more {
                add(message, owner, RData::A(A::new(127, 59, 1, last)));
            }
        }
        RecordType::AAAA if web.six.is_some() => {
            add(message, owner, RData::AAAA(AAAA(Ipv6Addr::LOCALHOST)));
            for last in 1..=u16::from(names.more) {
                let other = AAAA::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last);
                add(message, owner, RData::AAAA(other));
            }
        }
        RecordType::HTTPS => {
            if let Some(record) = names.record {
                add(message, owner, record.data());
            }
        }
        _ => {}
    }
}

/// Answers for a server that misbehaves, or misbehaves itself.
fn mislead(
    mut message: Message,
    query: &Query,
    hostile: Hostile,
    at: RData,
    tcp: bool,
) -> Vec<Vec<u8>> {
    let id = message.metadata.id;
    let owner = query.name();
    match hostile {
        Hostile::NoDomain => message.metadata.response_code = ResponseCode::NXDomain,
        Hostile::ServFail => message.metadata.response_code = ResponseCode::ServFail,
        Hostile::SilentDns => return Vec::new(),
        Hostile::GarbageDns => {
            return vec![[&id.to_be_bytes()[..], &noise(u64::from(id), 400)].concat()];
        }
        Hostile::WrongIdDns => {
            message.metadata.id = id.wrapping_add(1);
            return vec![message.to_vec().unwrap(); 80];
        }
        Hostile::LoopDns => {
            let other = Name::from_ascii("loop.dns-loop.test.").unwrap();
            add(&mut message, owner, RData::CNAME(CNAME(other.clone())));
            add(&mut message, &other, RData::CNAME(CNAME(owner.clone())));
        }
        Hostile::TruncatedDns | Hostile::DripDns if !tcp => message.metadata.truncation = true,
        Hostile::TruncatedDns if query.query_type() == RecordType::A => {
            add(&mut message, owner, at);
            for last in 1..200 {
                add(&mut message, owner, RData::A(A::new(127, 59, 1, last)));
            }
            message.edns = None;
        }
        _ => add_address(&mut message, query, at),
    }
    vec![message.to_vec().unwrap()]
}
