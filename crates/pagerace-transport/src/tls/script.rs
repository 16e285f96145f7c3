//! The script of the handshake: the messages of each side, their order and their sizes.
//!
//! The sizes are those of rustls 0.23 with X25519, Ed25519, AES-256-GCM and ALPN, for a
//! server named `localhost` and a client that offers `h2` and `http/1.1`. A server that
//! selects the latter sends six bytes more. A test runs handshakes of rustls and compares
//! the sizes.

use super::settings::{Handshake, TlsSettings, Version};

/// Handshake messages (RFC 8446, section 4; RFC 5246, section 7.4), by their
/// type on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    ClientHello = 1,
    ServerHello = 2,
    NewSessionTicket = 4,
    EndOfEarlyData = 5,
    EncryptedExtensions = 8,
    Certificate = 11,
    ServerKeyExchange = 12,
    ServerHelloDone = 14,
    CertificateVerify = 15,
    ClientKeyExchange = 16,
    Finished = 20,
}

/// Bytes of a handshake message's header: type and length.
pub(super) const MESSAGE_HEAD: usize = 4;

/// A message and its size, including the header.
pub(super) type Sized = (Message, usize);

/// One record of a flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Messages in an unprotected record.
    Clear(Vec<Sized>),
    /// Messages in a protected record.
    Sealed(Vec<Sized>),
    /// `ChangeCipherSpec`. In TLS 1.2 the following records are protected. In TLS 1.3 it
    /// only disguises the handshake (RFC 8446, appendix D.4).
    ChangeCipherSpec,
}

/// The records that one side sends before the other side answers. Clients and servers take
/// turns, starting with the client.
pub(super) type Flight = Vec<Part>;

use Message as M;
use Part::{ChangeCipherSpec, Clear, Sealed};

/// Returns the handshake's flights. Tickets of TLS 1.3 come [after](tickets).
pub(super) fn flights(settings: &TlsSettings) -> Vec<Flight> {
    let chain = settings.certificate;
    let mut flights = match (settings.version, settings.handshake) {
        (Version::Tls13, handshake) => tls13(handshake, chain),
        (Version::Tls12, Handshake::Full) => tls12_full(chain),
        (Version::Tls12, Handshake::Resumed | Handshake::EarlyData) => tls12_resumed(),
    };
    if let Some(Clear(messages)) = flights.first_mut().and_then(|flight| flight.first_mut()) {
        for (_, size) in messages {
            *size += settings.client_hello.extra();
        }
    }
    flights
}

/// Returns the flight that a TLS 1.3 server sends once the handshake is complete: two
/// tickets (RFC 8446, section 4.6.1). A ticket that allows early data also contains its
/// limit.
pub(super) fn tickets(settings: &TlsSettings) -> Option<Flight> {
    let size = match (settings.version, settings.handshake) {
        (Version::Tls12, _) => return None,
        (Version::Tls13, Handshake::EarlyData) => 89,
        (Version::Tls13, Handshake::Full | Handshake::Resumed) => 81,
    };
    Some(vec![Sealed(vec![(M::NewSessionTicket, size); 2])])
}

/// Returns the flights of RFC 8446, section 2, figures 1, 3 and 4.
fn tls13(handshake: Handshake, chain: usize) -> Vec<Flight> {
    const FINISHED: Sized = (M::Finished, 52);
    let answer = |hello, extensions, proof: &[Sized]| {
        let mut sealed = vec![(M::EncryptedExtensions, extensions)];
        sealed.extend(proof);
        sealed.push(FINISHED);
        vec![
            Clear(vec![(M::ServerHello, hello)]),
            ChangeCipherSpec,
            Sealed(sealed),
        ]
    };
    let proof = [
        // Lengths of the context, the list and the entry. There are no extensions.
        (M::Certificate, MESSAGE_HEAD + 1 + 3 + 3 + chain + 2),
        (M::CertificateVerify, 72),
    ];
    let finish = vec![ChangeCipherSpec, Sealed(vec![FINISHED])];
    match handshake {
        Handshake::Full => vec![
            vec![Clear(vec![(M::ClientHello, 241)])],
            answer(122, 19, &proof),
            finish,
        ],
        Handshake::Resumed => vec![
            vec![Clear(vec![(M::ClientHello, 336)])],
            answer(128, 15, &[]),
            finish,
        ],
        Handshake::EarlyData => vec![
            vec![Clear(vec![(M::ClientHello, 340)]), ChangeCipherSpec],
            answer(128, 19, &[]),
            vec![
                Sealed(vec![(M::EndOfEarlyData, MESSAGE_HEAD)]),
                Sealed(vec![FINISHED]),
            ],
        ],
    }
}

/// The verify data of TLS 1.2 has twelve bytes (RFC 5246, section 7.4.9).
const TLS12_FINISHED: Sized = (M::Finished, MESSAGE_HEAD + 12);

/// Returns the flights of RFC 5246, section 7.3, figure 1, with the ticket of RFC 5077,
/// section 3.1.
fn tls12_full(chain: usize) -> Vec<Flight> {
    vec![
        vec![Clear(vec![(M::ClientHello, 167)])],
        vec![Clear(vec![
            (M::ServerHello, 102),
            (M::Certificate, MESSAGE_HEAD + 3 + 3 + chain),
            (M::ServerKeyExchange, 108),
            (M::ServerHelloDone, MESSAGE_HEAD),
        ])],
        vec![
            Clear(vec![(M::ClientKeyExchange, 37)]),
            ChangeCipherSpec,
            Sealed(vec![TLS12_FINISHED]),
        ],
        vec![
            Clear(vec![(M::NewSessionTicket, 138)]),
            ChangeCipherSpec,
            Sealed(vec![TLS12_FINISHED]),
        ],
    ]
}

/// Returns the flights of RFC 5077, section 3.1, figure 2. The server issues a new ticket.
fn tls12_resumed() -> Vec<Flight> {
    vec![
        vec![Clear(vec![(M::ClientHello, 327)])],
        vec![
            Clear(vec![(M::ServerHello, 98)]),
            Clear(vec![(M::NewSessionTicket, 138)]),
            ChangeCipherSpec,
            Sealed(vec![TLS12_FINISHED]),
        ],
        vec![ChangeCipherSpec, Sealed(vec![TLS12_FINISHED])],
    ]
}

/// The next step that the reader of a flight expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Message { kind: Message, sealed: bool },
    ChangeCipherSpec,
}

/// Returns the steps of a flight. `ChangeCipherSpec` is optional in TLS 1.3 and not part of
/// the steps.
pub(super) fn steps(version: Version, flight: &Flight) -> Vec<Expected> {
    let mut steps = Vec::new();
    for part in flight {
        let (messages, sealed) = match part {
            ChangeCipherSpec => {
                if version == Version::Tls12 {
                    steps.push(Expected::ChangeCipherSpec);
                }
                continue;
            }
            Clear(messages) => (messages, false),
            Sealed(messages) => (messages, true),
        };
        let each = messages.iter();
        steps.extend(each.map(|&(kind, _)| Expected::Message { kind, sealed }));
    }
    steps
}
