//! Servers that behave: hyper over TCP, quinn with the crate `h3` over QUIC.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use quinn::crypto::rustls::QuicServerConfig;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::certificate::{Identities, config};
use super::path;

/// Which certificate a server has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    #[default]
    Good,
    SelfSigned,
    Expired,
    WrongName,
    Fat,
    Giant,
}

/// What a server does over QUIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quic {
    pub retry: bool,
    pub no_tickets: bool,
    pub early_data: bool,
    /// Refuses early data although its tickets offer it: as after a restart, it lost the keys.
    pub forgets: bool,
}

/// What a server does.
#[derive(Clone, Debug, Default)]
pub struct Web {
    pub h2: bool,
    pub tls12: bool,
    pub alt_svc: Option<&'static str>,
    pub server: Option<&'static str>,
    pub location: Option<&'static str>,
    pub identity: Identity,
    pub quic: Option<Quic>,
    /// UDP is open and silent, so that a handshake times out.
    pub udp_silent: bool,
    /// The DNS has an HTTPS record that announces HTTP/3.
    pub record: bool,
    /// The DNS has an alias.
    pub alias: bool,
    /// The DNS has an IPv6 address, `::1`.
    pub six: bool,
    /// One way.
    pub delay: Duration,
    /// Share of datagrams lost each way.
    pub loss: f64,
}

pub fn serve(web: &Web, at: SocketAddr, identities: &Identities) {
    let key = match web.identity {
        Identity::Good => &identities.good,
        Identity::SelfSigned => &identities.self_signed,
        Identity::Expired => &identities.expired,
        Identity::WrongName => &identities.wrong_name,
        Identity::Fat => &identities.fat,
        Identity::Giant => &identities.giant,
    };
    let alpn: &[&str] = if web.h2 {
        &["h2", "http/1.1"]
    } else {
        &["http/1.1"]
    };
    let acceptor = TlsAcceptor::from(Arc::new(config(key, alpn, web.tls12)));
    tcp(web.clone(), at, acceptor);
    if let Some(quic) = web.quic {
        let mut tls = config(key, &["h3"], false);
        tls.send_tls13_tickets = if quic.no_tickets { 0 } else { 2 };
        if quic.early_data {
            tls.max_early_data_size = u32::MAX;
        }
        let shaped = !web.delay.is_zero() || web.loss > 0.0;
        let place = if shaped {
            "127.0.0.1:0".parse().unwrap()
        } else {
            at
        };
        let actual = udp(quic, place, tls, web.server);
        if shaped {
            path::carry(at, actual, web.delay, web.loss);
        }
    } else if web.udp_silent {
        let socket = std::net::UdpSocket::bind(at).unwrap();
        // Held open until the runtime ends.
        tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(socket);
        });
    }
}

fn listener(at: SocketAddr) -> TcpListener {
    let listener = std::net::TcpListener::bind(at).unwrap();
    listener.set_nonblocking(true).unwrap();
    TcpListener::from_std(listener).unwrap()
}

fn tcp(web: Web, at: SocketAddr, acceptor: TlsAcceptor) {
    let listener = listener(at);
    let web = Arc::new(web);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, web) = (acceptor.clone(), Arc::clone(&web));
            tokio::spawn(async move {
                tokio::time::sleep(2 * web.delay).await;
                let Ok(stream) = acceptor.accept(stream).await else {
                    return;
                };
                let two = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                let io = TokioIo::new(stream);
                let service = service_fn(move |_: Request<_>| {
                    let web = Arc::clone(&web);
                    async move {
                        tokio::time::sleep(2 * web.delay).await;
                        Ok::<_, Infallible>(response(&web))
                    }
                });
                if two {
                    let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                    let _ = server.serve_connection(io, service).await;
                } else {
                    let server = hyper::server::conn::http1::Builder::new();
                    let _ = server.serve_connection(io, service).await;
                }
            });
        }
    });
}

fn response(web: &Web) -> Response<Empty<Bytes>> {
    let mut response = Response::builder().status(if web.location.is_some() { 301 } else { 200 });
    for (name, value) in [
        ("alt-svc", web.alt_svc),
        ("server", web.server),
        ("location", web.location),
    ] {
        if let Some(value) = value {
            response = response.header(name, value);
        }
    }
    response.body(Empty::new()).unwrap()
}

/// Starts an endpoint, and returns where it listens.
fn udp(
    quic: Quic,
    at: SocketAddr,
    tls: rustls::ServerConfig,
    server: Option<&'static str>,
) -> SocketAddr {
    // Tickets of the first configuration are unknown to the other.
    let mut other = tls.clone();
    other.session_storage = rustls::server::ServerSessionMemoryCache::new(32);
    let other = QuicServerConfig::try_from(other).unwrap();
    let other = Arc::new(quinn::ServerConfig::with_crypto(Arc::new(other)));
    let config = QuicServerConfig::try_from(tls).unwrap();
    let config = quinn::ServerConfig::with_crypto(Arc::new(config));
    let endpoint = quinn::Endpoint::server(config, at).unwrap();
    let actual = endpoint.local_addr().unwrap();
    tokio::spawn(async move {
        let mut count = 0_u64;
        while let Some(incoming) = endpoint.accept().await {
            if quic.retry && !incoming.remote_address_validated() {
                let _ = incoming.retry();
                continue;
            }
            count += 1;
            let connecting = if quic.forgets && count.is_multiple_of(2) {
                incoming.accept_with(Arc::clone(&other))
            } else {
                incoming.accept()
            };
            tokio::spawn(async move {
                let connecting = connecting.ok()?;
                let connection = match connecting.into_0rtt() {
                    Ok((connection, _)) => connection,
                    Err(connecting) => connecting.await.ok()?,
                };
                http3(connection, server).await
            });
        }
    });
    actual
}

async fn http3(connection: quinn::Connection, server: Option<&'static str>) -> Option<()> {
    let connection = h3_quinn::Connection::new(connection);
    let mut connection: h3::server::Connection<_, Bytes> =
        h3::server::builder().build(connection).await.ok()?;
    while let Some(resolver) = connection.accept().await.ok()? {
        let (_, mut stream) = resolver.resolve_request().await.ok()?;
        let mut response = Response::builder().status(200);
        if let Some(server) = server {
            response = response.header("server", server);
        }
        stream
            .send_response(response.body(()).unwrap())
            .await
            .ok()?;
        stream.finish().await.ok()?;
    }
    Some(())
}
