//! Servers that misbehave.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicServerConfig;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::certificate::{Identities, config};

/// Misbehaviour of a server, or of the DNS of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hostile {
    // The DNS.
    NoDomain,
    ServFail,
    SilentDns,
    GarbageDns,
    WrongIdDns,
    LoopDns,
    TruncatedDns,
    DripDns,
    // TCP before TLS.
    Tarpit,
    GarbageTcp,
    Closer,
    /// A TLS record at a time, of one byte, forever.
    DripTls,
    /// A good handshake of TLS, byte by byte.
    SlowTls,
    /// Two thousand tickets of TLS at once.
    TicketsTls,
    /// New keys of TLS without end.
    KeysTls,
    /// The end of TLS, and noise in the same write.
    EndTls,
    // HTTP over TLS.
    DripHead,
    EndlessHead,
    EndlessInterim,
    EndlessBody,
    GarbageHttp,
    FloodHttp2,
    /// A field section of 16 kB that means 60 MB.
    BombHttp2,
    /// Interim responses of a thousand tiny fields each, which the table has.
    InterimHttp2,
    /// A field section that never ends.
    ContinuedHttp2,
    /// A dynamic table of 256 MB.
    TableHttp2,
    // UDP.
    GarbageUdp,
    EchoUdp,
    /// A thousand datagrams for each.
    AmplifyUdp,
    VersionsUdp,
    RetryUdp,
    // HTTP/3 on a good QUIC connection.
    SilentQuic,
    CloseQuic,
    WrongAlpnQuic,
    EndlessQuic,
    ManyStreamsQuic,
    BadSettingsQuic,
    EndlessHeadQuic,
    /// A field section of 16 kB that means 1.6 MB: an entry of the static table, many times.
    BombQuic,
    /// An entry of 4,000 bytes in the dynamic table, which the client does not allow.
    TableQuic,
    DripQuic,
}

/// Tickets of a server that sends too many.
const TICKETS: usize = 2_000;

/// Returns bytes that look like noise.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

pub fn serve(hostile: Hostile, at: SocketAddr, identities: &Identities) {
    use Hostile as H;
    match hostile {
        H::GarbageUdp | H::EchoUdp | H::AmplifyUdp | H::VersionsUdp | H::RetryUdp => {
            udp(hostile, at);
        }
        H::SilentQuic
        | H::CloseQuic
        | H::WrongAlpnQuic
        | H::EndlessQuic
        | H::ManyStreamsQuic
        | H::BadSettingsQuic
        | H::EndlessHeadQuic
        | H::BombQuic
        | H::TableQuic
        | H::DripQuic => {
            let alpn = if hostile == H::WrongAlpnQuic {
                "hq"
            } else {
                "h3"
            };
            quic(hostile, at, config(&identities.good, &[alpn], false));
        }
        _ => {
            let alpn: &[&str] = match hostile {
                H::FloodHttp2
                | H::BombHttp2
                | H::InterimHttp2
                | H::ContinuedHttp2
                | H::TableHttp2 => &["h2"],
                _ => &["http/1.1"],
            };
            let mut config = config(&identities.good, alpn, false);
            if hostile == H::TicketsTls {
                config.send_tls13_tickets = TICKETS;
            }
            tcp(hostile, at, TlsAcceptor::from(Arc::new(config)));
        }
    }
}

fn tcp(hostile: Hostile, at: SocketAddr, acceptor: TlsAcceptor) {
    let listener = std::net::TcpListener::bind(at).unwrap();
    listener.set_nonblocking(true).unwrap();
    let listener = TcpListener::from_std(listener).unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            // No server outlives its client by much.
            let handled = async move { handle(hostile, stream, acceptor).await };
            tokio::spawn(tokio::time::timeout(Duration::from_mins(1), handled));
        }
    });
}

async fn handle(hostile: Hostile, mut stream: TcpStream, acceptor: TlsAcceptor) -> Option<()> {
    match hostile {
        Hostile::Tarpit => std::future::pending().await,
        Hostile::Closer => return None,
        Hostile::GarbageTcp => {
            stream.write_all(&noise(1, 4000)).await.ok()?;
            return std::future::pending().await;
        }
        Hostile::DripTls => loop {
            // A handshake record with one byte of a message that never ends.
            stream.write_all(&[22, 3, 3, 0, 1, 2]).await.ok()?;
            tokio::time::sleep(Duration::from_millis(50)).await;
        },
        _ => {}
    }
    if hostile == Hostile::SlowTls {
        return slow_handshake(stream, acceptor).await;
    }
    let mut stream = acceptor.accept(stream).await.ok()?;
    if matches!(
        hostile,
        Hostile::FloodHttp2
            | Hostile::BombHttp2
            | Hostile::InterimHttp2
            | Hostile::ContinuedHttp2
            | Hostile::TableHttp2
    ) {
        return http2(hostile, stream).await;
    }
    let mut request = [0; 2048];
    let _ = stream.read(&mut request).await.ok()?;
    if hostile == Hostile::KeysTls {
        loop {
            stream.get_mut().1.refresh_traffic_keys().ok()?;
            stream.flush().await.ok()?;
        }
    }
    if hostile == Hostile::EndTls {
        let (tcp, tls) = stream.get_mut();
        tls.send_close_notify();
        let mut bytes = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut bytes).ok()?;
        }
        bytes.extend(noise(3, 8000));
        tcp.write_all(&bytes).await.ok()?;
        return std::future::pending().await;
    }
    let (first, rest): (&[u8], Vec<u8>) = match hostile {
        Hostile::DripHead => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nx: ").await.ok()?;
            loop {
                stream.write_all(b"a").await.ok()?;
                stream.flush().await.ok()?;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        Hostile::EndlessHead => (
            b"HTTP/1.1 200 OK\r\n",
            b"x-a: bbbbbbbbbbbbbbbbbbbbbbbb\r\n".repeat(200),
        ),
        Hostile::EndlessInterim => (b"", b"HTTP/1.1 100 Continue\r\n\r\n".repeat(200)),
        Hostile::EndlessBody => (
            b"HTTP/1.1 200 OK\r\nserver: endless\r\n\r\n",
            vec![b'x'; 16_000],
        ),
        Hostile::GarbageHttp => (b"", noise(2, 4000)),
        _ => return std::future::pending().await,
    };
    stream.write_all(first).await.ok()?;
    loop {
        stream.write_all(&rest).await.ok()?;
    }
}

/// Sends the first flight of TLS a byte at a time.
async fn slow_handshake(mut stream: TcpStream, acceptor: TlsAcceptor) -> Option<()> {
    let mut tls = rustls::ServerConnection::new(Arc::clone(acceptor.config())).ok()?;
    let mut flight = Vec::new();
    while !tls.wants_write() {
        let mut hello = [0; 2048];
        let length = stream.read(&mut hello).await.ok().filter(|n| *n > 0)?;
        tls.read_tls(&mut &hello[..length]).ok()?;
        tls.process_new_packets().ok()?;
    }
    while tls.wants_write() {
        tls.write_tls(&mut flight).ok()?;
    }
    for byte in flight {
        stream.write_all(&[byte]).await.ok()?;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Some(())
}

/// A frame of HTTP/2 (RFC 9113, section 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

async fn http2(hostile: Hostile, mut stream: TlsStream<TcpStream>) -> Option<()> {
    stream.write_all(&frame(4, 0, 0, &[])).await.ok()?;
    if hostile == Hostile::FloodHttp2 {
        let pings = frame(6, 0, 0, &[0; 8]).repeat(100);
        loop {
            stream.write_all(&pings).await.ok()?;
        }
    }
    let mut request = [0; 2048];
    let _ = stream.read(&mut request).await.ok()?;
    let (first, rest) = match hostile {
        Hostile::InterimHttp2 => {
            // :status 103, "x: " into the table, and its index.
            let many = |first: &[u8]| [first, &[0xbe; 950]].concat();
            let first = many(&[0x08, 3, b'1', b'0', b'3', 0x40, 1, b'x', 0]);
            let rest = many(&[0x08, 3, b'1', b'0', b'3']);
            (frame(1, 4, 1, &first), frame(1, 4, 1, &rest))
        }
        Hostile::ContinuedHttp2 => (frame(1, 0, 1, &[0x88]), frame(9, 0, 1, b"")),
        // A change of the table's size (RFC 7541, section 6.3).
        Hostile::TableHttp2 => (
            frame(1, 4, 1, &[0x3f, 0xe1, 0xff, 0xff, 0x7f, 0x88]),
            Vec::new(),
        ),
        _ => {
            // :status 200, a literal field of 4,000 bytes into the table, and its index many
            // times.
            let mut block = vec![0x88, 0x40, 1, b'x', 0x7f, 0xa1, 0x1e];
            block.extend(vec![b'y'; 4000]);
            block.resize(16_000, 0xbe);
            (frame(1, 4, 1, &block), Vec::new())
        }
    };
    stream.write_all(&first).await.ok()?;
    while !rest.is_empty() {
        stream.write_all(&rest).await.ok()?;
    }
    std::future::pending().await
}

fn udp(hostile: Hostile, at: SocketAddr) {
    let socket = std::net::UdpSocket::bind(at).unwrap();
    socket.set_nonblocking(true).unwrap();
    let socket = UdpSocket::from_std(socket).unwrap();
    tokio::spawn(async move {
        let mut buffer = [0; 2048];
        let mut count = 0;
        loop {
            let Ok((length, from)) = socket.recv_from(&mut buffer).await else {
                continue;
            };
            count += 1;
            let sent = &buffer[..length];
            let ids = sent.get(5..).and_then(|rest| {
                let (d, rest) = rest.split_at_checked(1 + usize::from(*rest.first()?))?;
                let (s, _) = rest.split_at_checked(1 + usize::from(*rest.first()?))?;
                Some([s, d].concat())
            });
            let ids = ids.unwrap_or_default();
            let (many, reply) = match hostile {
                Hostile::EchoUdp => (1, sent.to_vec()),
                Hostile::VersionsUdp => (
                    1,
                    [
                        &[0x80, 0, 0, 0, 0][..],
                        &ids,
                        &[0xff, 0, 0, 0x1d, 0xff, 0, 0, 0x1c],
                    ]
                    .concat(),
                ),
                Hostile::RetryUdp => (
                    1,
                    [&[0xf0, 0, 0, 0, 1][..], &ids, &noise(count, 60)].concat(),
                ),
                Hostile::AmplifyUdp => (1000, noise(count, 1200)),
                _ => (5, noise(count, 600)),
            };
            for _ in 0..many {
                let _ = socket.send_to(&reply, from).await;
            }
        }
    });
}

fn quic(hostile: Hostile, at: SocketAddr, tls: rustls::ServerConfig) {
    let config = QuicServerConfig::try_from(tls).unwrap();
    let config = quinn::ServerConfig::with_crypto(Arc::new(config));
    let endpoint = quinn::Endpoint::server(config, at).unwrap();
    tokio::spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            tokio::spawn(tokio::time::timeout(Duration::from_mins(1), async move {
                let connection = incoming.await.ok()?;
                speak(hostile, connection).await
            }));
        }
    });
}

async fn speak(hostile: Hostile, connection: quinn::Connection) -> Option<()> {
    match hostile {
        Hostile::CloseQuic => connection.close(7u32.into(), b"go away\r\nplease"),
        Hostile::EndlessQuic => {
            // A stream of unknown type, which clients must discard.
            let mut stream = connection.open_uni().await.ok()?;
            stream.write_all(&[0x40, 0x40]).await.ok()?;
            loop {
                stream.write_all(&[0; 4096]).await.ok()?;
            }
        }
        Hostile::ManyStreamsQuic => loop {
            let mut stream = connection.open_uni().await.ok()?;
            stream.write_all(&[0x40, 0x40, 1]).await.ok()?;
            stream.finish().ok()?;
        },
        Hostile::BadSettingsQuic => {
            let mut stream = connection.open_uni().await.ok()?;
            // A setting of HTTP/2.
            stream.write_all(&[0, 4, 2, 2, 0]).await.ok()?;
        }
        Hostile::EndlessHeadQuic => {
            let (mut stream, _) = connection.accept_bi().await.ok()?;
            // HEADERS of a gigabyte.
            stream
                .write_all(&[1, 0x80 | 0x3f, 0xff, 0xff, 0xff])
                .await
                .ok()?;
            loop {
                stream.write_all(&[0; 4096]).await.ok()?;
            }
        }
        Hostile::BombQuic => {
            let (mut stream, _) = connection.accept_bi().await.ok()?;
            // HEADERS of 16,000 bytes (RFC 9204, section 4.5): no dynamic table, :status 200, and
            // strict-transport-security with its longest value.
            let mut frame = vec![1, 0x7e, 0x80, 0, 0, 0xd9];
            frame.resize(3 + 16_000, 0xfa);
            stream.write_all(&frame).await.ok()?;
            stream.finish().ok()?;
        }
        Hostile::TableQuic => {
            let mut stream = connection.open_uni().await.ok()?;
            // The encoder's stream (RFC 9204, section 4.3): a capacity of 4,096 bytes, and a
            // literal field that is inserted.
            let mut instructions = vec![2, 0x3f, 0xe1, 0x1f, 0x41, b'x', 0x7f, 0xa1, 0x1e];
            instructions.extend(vec![b'y'; 4000]);
            stream.write_all(&instructions).await.ok()?;
        }
        Hostile::DripQuic => {
            let (mut stream, _) = connection.accept_bi().await.ok()?;
            stream.write_all(&[1, 0x7f, 0xff]).await.ok()?;
            loop {
                stream.write_all(&[0]).await.ok()?;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        _ => {}
    }
    connection.closed().await;
    Some(())
}
