//! Asking a recursive resolver over UDP, and over TCP what does not fit.

use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Instant;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{Answer, Question, Reply, question, read};
use crate::ScanError;
use crate::client::{Client, ms_since, now, within};
use crate::error::{Failure, Kind};
use crate::udp;

/// Most datagrams that are read for the questions about one domain.
const DATAGRAMS_MAX: usize = 64;
/// The file that names the resolvers.
const RESOLV_CONF: &str = "/etc/resolv.conf";

/// The answer to one question, or its failure; and the time in ms.
pub(crate) type Lookup = (Result<Answer, Failure>, Option<f64>);

/// Returns the resolvers of this machine.
///
/// # Errors
/// The machine names none.
pub fn system_resolvers() -> Result<Vec<SocketAddr>, ScanError> {
    let text = fs::read_to_string(Path::new(RESOLV_CONF)).unwrap_or_default();
    let named = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        words.next().filter(|word| *word == "nameserver")?;
        words.next()
    });
    let addresses = named.filter_map(|word| word.parse::<IpAddr>().ok());
    let all: Vec<SocketAddr> = addresses.map(|ip| SocketAddr::new(ip, 53)).collect();
    if all.is_empty() {
        return Err(ScanError::new(format_args!(
            "no DNS resolver: {RESOLV_CONF} names none; give one, such as --resolver 192.0.2.53:53"
        )));
    }
    Ok(all)
}

/// Checks that a resolver answers at all, with questions about some domains of the list: those
/// of one may have no working authority.
///
/// # Errors
/// No resolver answers.
pub(crate) async fn check(client: &Client, domains: &[&str]) -> Result<(), ScanError> {
    let mut why = String::new();
    for domain in domains {
        let answers = lookup(client, domain).await;
        let silent =
            |(answer, _): &&Lookup| matches!(answer, Err(failure) if failure.kind != Kind::Dns);
        match answers.iter().find(silent) {
            Some((Err(failure), _)) if answers.iter().all(|answer| silent(&answer)) => {
                why = failure.to_string();
            }
            _ => return Ok(()),
        }
    }
    let named: Vec<String> = client.resolvers.iter().map(ToString::to_string).collect();
    Err(ScanError::new(format_args!(
        "the DNS resolver {} does not answer ({why}), so no domain can be looked up; check that this \
         machine is online, or name another resolver with --resolver ADDRESS:PORT",
        named.join(", ")
    )))
}

/// Asks all questions about a domain, side by side; those without an answer once more.
pub(crate) async fn lookup(client: &Client, domain: &str) -> [Lookup; 3] {
    let start = now();
    let mut answers = Question::ALL.map(|_| {
        let failure = Failure::new(Kind::Timeout, "no answer of the DNS");
        (Err(failure), None)
    });
    let mut open = Question::ALL.to_vec();
    let mut truncated = Vec::new();
    for attempt in 0..2 {
        // The next resolver of the machine, if there is one.
        let resolver = client.resolvers[attempt % client.resolvers.len()];
        let end = now() + client.step();
        let mut asked = Asked {
            client,
            domain,
            resolver,
            start,
            answers: &mut answers,
            truncated: &mut truncated,
        };
        if let Err(failure) = asked.udp(&mut open, end).await {
            for question in &open {
                answers[*question as usize].0 = Err(failure.clone());
            }
        }
        for question in truncated.drain(..) {
            let answer = within(
                client.step(),
                "answer of the DNS over TCP",
                over_tcp(client, domain, resolver, question),
            );
            answers[question as usize] = (answer.await, Some(ms_since(start)));
        }
        if open.is_empty() {
            break;
        }
    }
    answers
}

/// Questions about a domain that are under way.
struct Asked<'a> {
    client: &'a Client,
    domain: &'a str,
    resolver: SocketAddr,
    start: Instant,
    answers: &'a mut [Lookup; 3],
    truncated: &'a mut Vec<Question>,
}

impl Asked<'_> {
    /// Asks the open questions, and removes those that are answered.
    async fn udp(&mut self, open: &mut Vec<Question>, end: Instant) -> Result<(), Failure> {
        let io = |error: io::Error| Failure::of_io(&error, "DNS");
        let socket = udp::connect(self.resolver).await.map_err(io)?;
        let ids: [u8; 6] = self.client.random();
        let id = |q: Question| u16::from_be_bytes([ids[2 * q as usize], ids[2 * q as usize + 1]]);
        for q in open.iter() {
            let bytes = question(id(*q), self.domain, *q)?;
            socket.send(&bytes).await.map_err(io)?;
        }
        let mut buffer = Box::new([0; 4096]);
        for _ in 0..DATAGRAMS_MAX {
            let received =
                tokio::time::timeout_at(end.into(), udp::receive(&socket, &mut buffer[..]));
            let Ok(length) = received.await else {
                return Ok(());
            };
            let bytes = &buffer[..length.map_err(io)?];
            let mut answered = None;
            for q in open.iter() {
                match read(bytes, id(*q), self.domain, *q) {
                    Ok(Reply::Foreign) => continue,
                    Ok(Reply::Truncated) => self.truncated.push(*q),
                    Ok(Reply::Answer(answer)) => {
                        self.answers[*q as usize] = (Ok(answer), Some(ms_since(self.start)));
                    }
                    Err(failure) => {
                        self.answers[*q as usize] = (Err(failure), Some(ms_since(self.start)));
                    }
                }
                answered = Some(*q);
                break;
            }
            open.retain(|q| Some(*q) != answered);
            if open.is_empty() {
                return Ok(());
            }
        }
        Err(Failure::new(Kind::Dns, "too many foreign answers"))
    }
}

async fn over_tcp(
    client: &Client,
    domain: &str,
    resolver: SocketAddr,
    asked: Question,
) -> Result<Answer, Failure> {
    let io = |error: io::Error| Failure::of_io(&error, "DNS over TCP");
    let mut stream = TcpStream::connect(resolver).await.map_err(io)?;
    let id = u16::from_be_bytes(client.random());
    let bytes = question(id, domain, asked)?;
    let length = u16::try_from(bytes.len()).unwrap_or_default();
    let framed = [&length.to_be_bytes()[..], &bytes].concat();
    stream.write_all(&framed).await.map_err(io)?;
    let length = stream.read_u16().await.map_err(io)?;
    let mut bytes = vec![0; usize::from(length)];
    stream.read_exact(&mut bytes).await.map_err(io)?;
    match read(&bytes, id, domain, asked)? {
        Reply::Answer(answer) => Ok(answer),
        Reply::Foreign | Reply::Truncated => {
            Err(Failure::new(Kind::Dns, "no answer over TCP either"))
        }
    }
}
