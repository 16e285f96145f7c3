//! HTTP/3 over QUIC: handshake, SETTINGS, one HEAD request, and a second connection that
//! resumes the first.

mod connection;
pub mod packet;
pub mod parameters;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn_proto::crypto::rustls::QuicClientConfig;
use serde::{Deserialize, Serialize};

use crate::client::{Client, within};
use crate::error::{Failure, Kind};
use crate::http::Response;
use crate::tls::{Certificate, Observer, Tickets};
use crate::udp;
use connection::{Connection, Report};
use parameters::Parameters;

/// Longest wait for the list of versions. It is not asked for again.
const VERSIONS_WAIT: Duration = Duration::from_secs(2);
/// Most datagrams that are read in search of it.
const VERSIONS_DATAGRAMS_MAX: usize = 8;

/// The settings of an HTTP/3 server (RFC 9114, section 7.2.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http3Settings {
    /// Bytes of QPACK's dynamic table.
    pub qpack_max_table_capacity: u64,
    /// Streams that may wait for QPACK.
    pub qpack_blocked_streams: u64,
    /// Largest field section in bytes; `None` for no limit.
    pub max_field_section_size: Option<u64>,
    /// True with extended CONNECT (RFC 9220).
    pub enable_connect_protocol: bool,
    /// True with HTTP datagrams (RFC 9297).
    pub h3_datagram: bool,
}

/// The answers of a server over QUIC. Times are in ms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quic {
    /// Attempts of the first connection, at most two.
    pub attempts: u32,
    /// Failure of the last attempt.
    pub error: Option<String>,
    /// True if any packet of the connection came.
    pub answered: bool,
    /// From the first packet to the end of the handshake.
    pub handshake_ms: Option<f64>,
    /// From the request to the head of the response.
    pub response_ms: Option<f64>,
    /// Status of the response over HTTP/3.
    pub status: Option<u16>,
    /// Versions that the server names; `None` if it named none.
    pub versions: Option<String>,
    /// True if the server made the client prove its address first.
    pub retry: bool,
    /// Bytes received for each byte sent before the address was proven.
    pub amplification: Option<f64>,
    /// The certificate.
    pub certificate: Option<Certificate>,
    /// Transport parameters.
    pub parameters: Option<Parameters>,
    /// SETTINGS of HTTP/3.
    pub settings: Option<Http3Settings>,
    /// True if the server gave a ticket; `None` without a handshake.
    pub ticket: Option<bool>,
    /// True if the ticket allows early data.
    pub early_data_offered: Option<bool>,
    /// The second connection; `None` without a ticket.
    pub again: Option<Again>,
}

/// A second connection, with the ticket of the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    /// Failure of the connection.
    pub error: Option<String>,
    /// From the first packet to the end of the handshake.
    pub handshake_ms: Option<f64>,
    /// From the first packet to the head of the response.
    pub response_ms: Option<f64>,
    /// True if the server took the ticket.
    pub resumed: Option<bool>,
    /// True if the server took early data; `None` if none was sent.
    pub early_data: Option<bool>,
}

/// Asks a server over QUIC, twice if the first failure may pass.
pub(crate) async fn ask(
    client: &Arc<Client>,
    domain: &str,
    address: SocketAddr,
) -> (Quic, Option<Response>) {
    let mut found = Quic::default();
    // The second attempt knows nothing of the first, so that both are full handshakes.
    let (observer, tickets, tls, mut report) = loop {
        let observer = Observer::new(&client.trust);
        let tickets = Arc::new(Tickets::default());
        let tls = client.trust.quic(&observer, &tickets);
        found.attempts += 1;
        client.turn(address.ip()).await;
        let report = Box::pin(connect(client, domain, address, &tls, Some(&tickets))).await;
        found.certificate = observer.take();
        found.answered |= report.meter.amplification().is_some();
        let again = report.failure.as_ref().is_some_and(|f| f.kind.is_passing());
        if !again || found.attempts == 2 {
            break (observer, tickets, tls, report);
        }
    };
    found.error = report.failure.as_ref().map(Failure::to_string);
    found.handshake_ms = report.handshake_ms;
    found.response_ms = report.response_ms;
    found.status = report.response.as_ref().map(|response| response.status);
    found.retry = report.meter.retry;
    found.amplification = report.meter.amplification();
    found.parameters = report.parameters.take();
    found.settings = report.settings.take();
    if found.handshake_ms.is_some() {
        found.ticket = Some(tickets.count() > 0);
        found.early_data_offered = Some(tickets.early_data());
    }
    if report.response.is_some() && tickets.count() > 0 {
        client.turn(address.ip()).await;
        let second = Box::pin(connect(client, domain, address, &tls, None)).await;
        found.again = Some(Again {
            error: second.failure.as_ref().map(Failure::to_string),
            handshake_ms: second.handshake_ms,
            response_ms: second.handshake_ms.and(second.total_ms),
            // A resumed handshake has no certificate.
            resumed: second.handshake_ms.map(|_| observer.take().is_none()),
            early_data: second.early_data,
        });
    }
    if found.answered {
        client.turn(address.ip()).await;
        found.versions = versions(client, address).await.ok();
    }
    (found, report.response)
}

/// Makes one connection. With `tickets`, it waits a moment for a ticket.
async fn connect(
    client: &Arc<Client>,
    domain: &str,
    address: SocketAddr,
    tls: &Arc<QuicClientConfig>,
    tickets: Option<&Arc<Tickets>>,
) -> Report {
    match Connection::open(client, domain, address, tls).await {
        Ok(connection) => Box::pin(connection.run(tickets)).await,
        Err(failure) => Report {
            failure: Some(failure),
            ..Report::default()
        },
    }
}

/// Asks for the versions of a server.
async fn versions(client: &Client, address: SocketAddr) -> Result<String, Failure> {
    let ids: [u8; 16] = client.random();
    let io = |error: std::io::Error| Failure::of_io(&error, "UDP");
    let socket = udp::connect(address).await.map_err(io)?;
    socket
        .send(&packet::version_question(&ids))
        .await
        .map_err(io)?;
    let answer = async {
        let mut buffer = [0; 1500];
        for _ in 0..VERSIONS_DATAGRAMS_MAX {
            let length = udp::receive(&socket, &mut buffer).await.map_err(io)?;
            if let Some(versions) = packet::versions(&buffer[..length], &ids) {
                let names: Vec<String> = versions.into_iter().map(packet::version_name).collect();
                return Ok(names.join(" "));
            }
        }
        Err(Failure::new(Kind::Quic, "no list of versions"))
    };
    within(VERSIONS_WAIT.min(client.step()), "list of versions", answer).await
}
