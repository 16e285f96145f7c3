//! HTTPS over TCP: connect, TLS with ALPN, one HEAD request.

use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Client, ms_since, now, within};
use crate::error::{Failure, Kind};
use crate::http::{Http, Response, request};
use crate::tls::{Certificate, Observer};

/// The answers of a server over TCP. Times are in ms.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// Attempts, at most two.
    pub attempts: u32,
    /// Failure of the last attempt.
    pub error: Option<String>,
    /// From the first packet to the established connection.
    pub connect_ms: Option<f64>,
    /// From there to the end of the TLS handshake.
    pub tls_ms: Option<f64>,
    /// From the request to the head of the response.
    pub response_ms: Option<f64>,
    /// Version of TLS.
    pub tls: Option<String>,
    /// The protocol that ALPN chose.
    pub alpn: Option<String>,
    /// `h1` or `h2`, if a response came.
    pub http: Option<String>,
    /// Status of the response.
    pub status: Option<u16>,
    /// The field `alt-svc`.
    pub alt_svc: Option<String>,
    /// The certificate.
    pub certificate: Option<Certificate>,
}

/// Makes one attempt. The response stays with the caller, who reads the provider from it.
pub(crate) async fn attempt(
    client: &Client,
    domain: &str,
    address: SocketAddr,
    found: &mut Tcp,
) -> Result<Response, Failure> {
    let start = now();
    let connect = async {
        let result = TcpStream::connect(address).await;
        result.map_err(|error| Failure::of_io(&error, "TCP"))
    };
    let mut stream = within(client.step(), "TCP connection", connect).await?;
    // Two writes, of a handshake's end and of a request, must not wait for each other.
    let _ = stream.set_nodelay(true);
    found.connect_ms = Some(ms_since(start));

    let observer = Observer::new(&client.trust);
    let name =
        ServerName::try_from(domain.to_owned()).map_err(|error| Failure::new(Kind::Tls, error))?;
    let tls = ClientConnection::new(client.trust.tcp(&observer), name);
    let mut link = Link {
        tls: tls.map_err(|error| Failure::new(Kind::Tls, error))?,
        stream: &mut stream,
        received: 0,
        bytes_max: client.settings.bytes_max,
    };
    let start = now();
    let result = within(client.step(), "TLS handshake", link.handshake()).await;
    found.certificate = observer.take();
    result?;
    found.tls_ms = Some(ms_since(start));
    found.tls = link
        .tls
        .protocol_version()
        .map(|version| format!("{version:?}").replace("TLSv1_", "1."));
    let alpn = link.tls.alpn_protocol().map(<[u8]>::to_vec);
    found.alpn = alpn.map(|name| String::from_utf8_lossy(&name).into_owned());

    let two = found.alpn.as_deref() == Some("h2");
    let fields = request(&client.authority(domain), &client.settings.user_agent);
    let mut http = Http::new(two, &fields)?;
    let start = now();
    let response = within(client.step(), "response", link.exchange(&mut http)).await?;
    found.response_ms = Some(ms_since(start));
    found.http = Some(if two { "h2" } else { "h1" }.to_owned());
    found.status = Some(response.status);
    found.alt_svc = response.field("alt-svc");
    link.tls.send_close_notify();
    let _ = within(client.step(), "end", link.flush()).await;
    Ok(response)
}

/// A TLS connection on a TCP one.
struct Link<'a> {
    tls: ClientConnection,
    stream: &'a mut TcpStream,
    received: u64,
    bytes_max: u64,
}

impl Link<'_> {
    async fn handshake(&mut self) -> Result<(), Failure> {
        loop {
            self.flush().await?;
            if !self.tls.is_handshaking() {
                return Ok(());
            }
            self.receive().await?;
        }
    }

    async fn exchange(&mut self, http: &mut Http) -> Result<Response, Failure> {
        // Bytes may have come with the end of the handshake; they are read first.
        loop {
            while let Some(bytes) = http.poll_write() {
                let written = self.tls.writer().write_all(&bytes);
                written.map_err(|error| Failure::of_io(&error, "TLS"))?;
            }
            self.flush().await?;
            let mut plain = Vec::new();
            let ended = match self.tls.reader().read_to_end(&mut plain) {
                Ok(_) => true,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => false,
                Err(error) => return Err(Failure::of_io(&error, "TLS")),
            };
            if !plain.is_empty() {
                if let Some(response) = http.handle_data(Bytes::from(plain))? {
                    return Ok(response);
                }
                continue;
            }
            if ended {
                return Err(Failure::new(Kind::Closed, "closed before the response"));
            }
            self.receive().await?;
        }
    }

    /// Sends what TLS has to say.
    async fn flush(&mut self) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        while self.tls.wants_write() {
            let written = self.tls.write_tls(&mut bytes);
            written.map_err(|error| Failure::of_io(&error, "TLS"))?;
        }
        let sent = self.stream.write_all(&bytes).await;
        sent.map_err(|error| Failure::of_io(&error, "TCP"))
    }

    /// Receives some bytes.
    async fn receive(&mut self) -> Result<(), Failure> {
        let mut buffer = Box::new([0; 8 * 1024]);
        let length = self.stream.read(&mut buffer[..]).await;
        let length = length.map_err(|error| Failure::of_io(&error, "TCP"))?;
        if length == 0 {
            return Err(Failure::new(Kind::Closed, "closed by the server"));
        }
        self.received += length as u64;
        if self.received > self.bytes_max {
            let text = format_args!("more than {} bytes", self.bytes_max);
            return Err(Failure::new(Kind::TooLarge, text));
        }
        let mut rest = &buffer[..length];
        while !rest.is_empty() {
            let read = self.tls.read_tls(&mut rest);
            // Not of the socket: the server sent more than TLS keeps.
            let read = read.map_err(|error| Failure::new(Kind::Tls, error))?;
            if let Err(error) = self.tls.process_new_packets() {
                // The server learns why.
                let _ = self.flush().await;
                return Err(Failure::new(Kind::Tls, error));
            }
            // After a server's close_notify, TLS takes no more bytes.
            if read == 0 {
                break;
            }
        }
        Ok(())
    }
}

/// Asks a server over TCP, twice if the first failure may pass.
pub(crate) async fn ask(
    client: &Arc<Client>,
    domain: &str,
    address: SocketAddr,
) -> (Tcp, Option<Response>) {
    let mut attempts = 0;
    loop {
        attempts += 1;
        client.turn(address.ip()).await;
        let mut found = Tcp {
            attempts,
            ..Tcp::default()
        };
        match attempt(client, domain, address, &mut found).await {
            Ok(response) => return (found, Some(response)),
            Err(failure) if attempts < 2 && failure.kind.is_passing() => {}
            Err(failure) => {
                found.error = Some(failure.to_string());
                return (found, None);
            }
        }
    }
}
