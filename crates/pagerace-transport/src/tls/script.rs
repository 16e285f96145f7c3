//! Who says what, in which order, in how many bytes.
//!
//! The sizes are what rustls 0.23 sends with X25519, Ed25519, AES-256-GCM and
//! ALPN, to a server named `localhost`, from a client that offers `h2` and
//! `http/1.1` (a server that picks the latter sends six bytes more). A test
//! lets it shake hands and compares.

use super::settings::{Handshake, Settings, Version};

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

/// Type and length of a handshake message.
pub(super) const MESSAGE_HEAD: usize = 4;

/// A message and its bytes, head included.
pub(super) type Sized = (Message, usize);

/// One record of a flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Messages in the clear.
    Clear(Vec<Sized>),
    /// Messages in a protected record.
    Sealed(Vec<Sized>),
    /// `ChangeCipherSpec`: in TLS 1.2 what follows is protected; in TLS 1.3
    /// only a disguise (RFC 8446, appendix D.4).
    ChangeCipherSpec,
}

/// What one side says before the other speaks; clients and servers take turns,
/// clients first.
pub(super) type Flight = Vec<Part>;

use Message as M;
use Part::{ChangeCipherSpec, Clear, Sealed};

/// The handshake's flights. Tickets of TLS 1.3 come [after](tickets).
pub(super) fn flights(settings: &Settings) -> Vec<Flight> {
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

/// What a server of TLS 1.3 sends once the handshake is complete: two tickets
/// (RFC 8446, section 4.6.1). One that allows early data says how much.
pub(super) fn tickets(settings: &Settings) -> Option<Flight> {
    let size = match (settings.version, settings.handshake) {
        (Version::Tls12, _) => return None,
        (Version::Tls13, Handshake::EarlyData) => 89,
        (Version::Tls13, Handshake::Full | Handshake::Resumed) => 81,
    };
    Some(vec![Sealed(vec![(M::NewSessionTicket, size); 2])])
}

/// RFC 8446, section 2, figures 1, 3 and 4.
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
        // Lengths of the context, the list and the entry; no extensions.
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

/// Verify data of TLS 1.2 has twelve bytes (RFC 5246, section 7.4.9).
const TLS12_FINISHED: Sized = (M::Finished, MESSAGE_HEAD + 12);

/// RFC 5246, section 7.3, figure 1, with the ticket of RFC 5077, section 3.1.
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

/// RFC 5077, section 3.1, figure 2: the server gives a new ticket.
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

/// What the reader of a flight waits for, step by step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Message { kind: Message, sealed: bool },
    ChangeCipherSpec,
}

/// The steps of a flight. TLS 1.3 lets `ChangeCipherSpec` come or not.
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
