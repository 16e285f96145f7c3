//! Comparison with rustls: every flight has the same records.

use std::io::Write;
use std::sync::Arc;

use rustls::pki_types::{PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};

use super::*;
use crate::quic::keys::Identity;

/// Returns the rustls configuration of both ends, and the size of the certificate.
fn configs(
    version: Version,
    handshake: Handshake,
) -> (Arc<ClientConfig>, Arc<ServerConfig>, usize) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = match version {
        Version::Tls12 => [&rustls::version::TLS12],
        Version::Tls13 => [&rustls::version::TLS13],
    };
    let identity = Identity::new(&["localhost"]).unwrap();
    let chain = identity.certificate().len();
    let mut roots = RootCertStore::empty();
    roots.add(identity.chain()[0].clone()).unwrap();
    let mut client = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut server = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(identity.chain(), PrivateKeyDer::Pkcs8(identity.key()))
        .unwrap();
    server.alpn_protocols = vec![b"h2".to_vec()];
    match version {
        Version::Tls12 => server.ticketer = rustls::crypto::ring::Ticketer::new().unwrap(),
        Version::Tls13 if handshake == Handshake::EarlyData => {
            client.enable_early_data = true;
            server.max_early_data_size = 14_336;
            server.send_half_rtt_data = true;
        }
        Version::Tls13 => {}
    }
    (Arc::new(client), Arc::new(server), chain)
}

const BODY: [u8; 100] = [0x42; 100];

/// Returns the lengths of the records that rustls sends in each turn.
fn rustls_turns(
    client: &Arc<ClientConfig>,
    server: &Arc<ServerConfig>,
    early: bool,
) -> Vec<Vec<usize>> {
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = ClientConnection::new(client.clone(), name).unwrap();
    let mut server = ServerConnection::new(server.clone()).unwrap();
    if early && let Some(mut data) = client.early_data() {
        data.write_all(&BODY).unwrap();
    }
    let mut turns = Vec::new();
    for turn in 0..6 {
        let mut bytes = Vec::new();
        if turn % 2 == 0 {
            while client.wants_write() {
                client.write_tls(&mut bytes).unwrap();
            }
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                server.read_tls(&mut rest).unwrap();
                server.process_new_packets().unwrap();
            }
        } else {
            while server.wants_write() {
                server.write_tls(&mut bytes).unwrap();
            }
            let mut rest = &bytes[..];
            while !rest.is_empty() {
                client.read_tls(&mut rest).unwrap();
                client.process_new_packets().unwrap();
            }
        }
        turns.push(record_lengths(&bytes));
    }
    turns
}

fn our_turns(settings: &TlsSettings, early: bool) -> Vec<Vec<usize>> {
    let mut ends = [Session::client(settings), Session::server(settings)];
    if early {
        ends[0].write(Bytes::from_static(&BODY));
    }
    (0..6)
        .map(|turn| {
            let bytes = drain(&mut ends[turn % 2]);
            ends[1 - turn % 2]
                .handle_data(bytes.clone().into())
                .unwrap();
            record_lengths(&bytes)
        })
        .collect()
}

#[test]
fn flights_have_the_records_of_rustls() {
    for version in VERSIONS {
        for handshake in HANDSHAKES {
            let early = version == Version::Tls13 && handshake == Handshake::EarlyData;
            let (client, server, certificate) = configs(version, handshake);
            let mut theirs = rustls_turns(&client, &server, early);
            if handshake != Handshake::Full {
                // The second visit uses a ticket.
                theirs = rustls_turns(&client, &server, early);
            }
            let ours = TlsSettings {
                certificate,
                ..settings(version, handshake)
            };
            assert_eq!(our_turns(&ours, early), theirs, "{version} {handshake:?}");
            assert_eq!(certificate, TlsSettings::default().certificate);
        }
    }
}
