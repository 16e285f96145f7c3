//! An HTTP/3 server made of quinn and h3, with a congestion controller of quinn's.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use hyper::Response;
use pagerace_transport::quic::keys::Identity;
use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Endpoint, ServerConfig, TransportConfig};
use rustls::pki_types::PrivateKeyDer;
use tokio::runtime::{Builder, Runtime};

/// The server, which runs until it is dropped.
pub(crate) struct QuinnServer {
    pub(crate) address: SocketAddr,
    pub(crate) certificate: Vec<u8>,
    _runtime: Runtime,
}

impl QuinnServer {
    /// Starts a server that answers every request with so many bytes.
    pub(crate) fn start(controller: &str, length: u64) -> Self {
        let factory: Arc<dyn ControllerFactory + Send + Sync> = match controller {
            "newreno" => Arc::new(NewRenoConfig::default()),
            "cubic" => Arc::new(CubicConfig::default()),
            "bbr" => Arc::new(BbrConfig::default()),
            _ => panic!("quinn has no controller {controller}"),
        };
        let identity = Identity::new(&["localhost"]).unwrap();
        let key = PrivateKeyDer::from(identity.key());
        let tls = rustls::ServerConfig::builder().with_no_client_auth();
        let mut tls = tls.with_single_cert(identity.chain(), key).unwrap();
        tls.alpn_protocols = vec![b"h3".to_vec()];
        let crypto = QuicServerConfig::try_from(tls).unwrap();
        let mut config = ServerConfig::with_crypto(Arc::new(crypto));
        let mut transport = TransportConfig::default();
        transport.congestion_controller_factory(factory);
        config.transport_config(Arc::new(transport));
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let endpoint = {
            let _inside = runtime.enter();
            Endpoint::server(config, any).unwrap()
        };
        let address = endpoint.local_addr().unwrap();
        let body = Bytes::from(vec![b'q'; length as usize]);
        runtime.spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                tokio::spawn(serve(incoming, body.clone()));
            }
        });
        Self {
            address,
            certificate: identity.certificate().to_vec(),
            _runtime: runtime,
        }
    }
}

/// Serves a connection. Whatever ends it, the client is gone.
async fn serve(incoming: quinn::Incoming, body: Bytes) -> Option<()> {
    let connection = h3_quinn::Connection::new(incoming.await.ok()?);
    let mut connection: h3::server::Connection<_, Bytes> =
        h3::server::builder().build(connection).await.ok()?;
    while let Some(resolver) = connection.accept().await.ok()? {
        let body = body.clone();
        tokio::spawn(async move {
            let (_, mut stream) = resolver.resolve_request().await.ok()?;
            let head = Response::builder()
                .header("content-type", "image/png")
                .header("content-length", body.len());
            stream.send_response(head.body(()).unwrap()).await.ok()?;
            stream.send_data(body).await.ok()?;
            stream.finish().await.ok()
        });
    }
    Some(())
}
