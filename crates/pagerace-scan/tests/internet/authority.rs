//! The DNS of the test's Internet. Answers follow from the name, so that there are as many
//! domains as a list asks for.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::rdata::svcb::{Alpn, SVCB, SvcParamKey, SvcParamValue};
use hickory_proto::rr::rdata::{A, AAAA, CNAME, HTTPS};
use hickory_proto::rr::{Name, RData, Record, RecordType};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};

use super::hostile::{Hostile, noise};
use super::{Kind, Server, address};

/// What the authority saw.
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
            for bytes in answers(&kinds2, &log2, &buffer[..length], false) {
                let _ = socket.try_send_to(&bytes, from);
            }
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
                let answer = answers(&kinds, &log, &bytes, true).pop()?;
                stream.write_u16(answer.len() as u16).await.ok()?;
                stream.write_all(&answer).await.ok()
            });
        }
    });
    (at, log)
}

fn answers(kinds: &[Kind], log: &Log, bytes: &[u8], tcp: bool) -> Vec<Vec<u8>> {
    let Ok(asked) = Message::from_vec(bytes) else {
        return Vec::new();
    };
    let id = asked.metadata.id;
    let Some(query) = asked.queries.first().cloned() else {
        return Vec::new();
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
        return vec![message.to_vec().unwrap()];
    };
    let kind = &kinds[index];
    let owner = query.name().clone();
    let mut add = |data: RData| {
        message.add_answer(Record::from_rdata(owner.clone(), 60, data));
    };
    let web = match &kind.server {
        Server::Web(web) => Some(web),
        _ => None,
    };
    if let Server::Hostile(hostile) = kind.server {
        match hostile {
            Hostile::NoDomain => {
                message.metadata.response_code = ResponseCode::NXDomain;
                return vec![message.to_vec().unwrap()];
            }
            Hostile::ServFail => {
                message.metadata.response_code = ResponseCode::ServFail;
                return vec![message.to_vec().unwrap()];
            }
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
                add(RData::CNAME(CNAME(other.clone())));
                message.add_answer(Record::from_rdata(other, 60, RData::CNAME(CNAME(owner))));
                return vec![message.to_vec().unwrap()];
            }
            Hostile::TruncatedDns | Hostile::DripDns if !tcp => {
                message.metadata.truncation = true;
                return vec![message.to_vec().unwrap()];
            }
            Hostile::TruncatedDns if query.query_type() == RecordType::A => {
                for i in 0..200 {
                    add(RData::A(A(address(index, i))));
                }
                message.edns = None;
                return vec![message.to_vec().unwrap()];
            }
            _ => {}
        }
    }
    match query.query_type() {
        RecordType::A => {
            let target = Name::from_ascii(format!("edge{number}.cdn.test.")).unwrap();
            let data = RData::A(A(address(index, number % kind.addresses.max(1))));
            if web.is_some_and(|web| web.alias) {
                add(RData::CNAME(CNAME(target.clone())));
                message.add_answer(Record::from_rdata(target, 60, data));
            } else {
                add(data);
            }
        }
        RecordType::AAAA if web.is_some_and(|web| web.six) => {
            add(RData::AAAA(AAAA::new(0, 0, 0, 0, 0, 0, 0, 1)));
        }
        RecordType::HTTPS if web.is_some_and(|web| web.record) => {
            let alpn = Alpn(vec!["h3".to_owned(), "h2".to_owned()]);
            let params = vec![(SvcParamKey::Alpn, SvcParamValue::Alpn(alpn))];
            add(RData::HTTPS(HTTPS(SVCB::new(1, Name::root(), params))));
        }
        _ => {}
    }
    vec![message.to_vec().unwrap()]
}
