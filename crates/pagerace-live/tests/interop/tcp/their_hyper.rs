//! Tests with hyper as the client.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use pagerace_core::Protocol;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::{BOTH, OurServer};
use crate::client::client_tls;
use crate::ours::SIZES;
use crate::peers::pattern;

fn get(path: &str, protocol: Protocol) -> Request<Full<Bytes>> {
    let request = Request::get(match protocol {
        Protocol::H1 => path.to_owned(),
        _ => format!("https://localhost{path}"),
    });
    let request = match protocol {
        Protocol::H1 => request.header("host", "localhost"),
        _ => request,
    };
    request.body(Full::default()).unwrap()
}

async fn fetch(server: &OurServer, protocol: Protocol) {
    let socket = TcpStream::connect(("127.0.0.1", server.port))
        .await
        .unwrap();
    let tls: Arc<rustls::ClientConfig> = client_tls(&server.certificate, protocol).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TlsConnector::from(tls).connect(name, socket).await.unwrap();
    let io = TokioIo::new(stream);
    if protocol == Protocol::H1 {
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        for (path, size) in SIZES {
            sender.ready().await.unwrap();
            let response = sender.send_request(get(path, protocol)).await.unwrap();
            assert_eq!(response.status(), 200);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert!(body == pattern(size), "{path}");
        }
        return;
    }
    let (sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
        .await
        .unwrap();
    tokio::spawn(connection);
    let all = SIZES.map(|(path, size)| {
        let mut sender = sender.clone();
        tokio::spawn(async move {
            let response = sender.send_request(get(path, Protocol::H2)).await.unwrap();
            assert_eq!(response.status(), 200);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert!(body == pattern(size), "{path}");
        })
    });
    for one in all {
        one.await.unwrap();
    }
}

#[test]
fn hyper_gets_everything() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    for protocol in BOTH {
        for strategy in ["eps", "round-robin", "h2-tree"] {
            let server = OurServer::start(strategy);
            runtime.block_on(fetch(&server, protocol));
        }
    }
}
