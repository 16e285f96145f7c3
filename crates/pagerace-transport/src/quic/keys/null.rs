//! Keys that seal nothing: the handshake's messages and every packet have the
//! sizes of real TLS 1.3, but no byte is encrypted.
//!
//! Everything that delivery depends on still runs: the three packet number
//! spaces, the anti-amplification limit, acknowledgements, key phases. What is
//! missing is the time a cipher takes, and secrecy.

use std::any::Any;
use std::io::Cursor;
use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey,
    ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

use crate::quic::tap::{Space, Tap};

/// Bytes of AEAD tag in every packet (RFC 9001, section 5.3).
const TAG: usize = 16;

/// Sizes of the handshake's flights in CRYPTO bytes, without the transport
/// parameters that two of them carry (whose size varies: RFC 9000, section
/// 18.1, wants a reserved one of any length).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlightSizes {
    /// `ClientHello`.
    pub client_hello: usize,
    /// `ServerHello`.
    pub server_hello: usize,
    /// `EncryptedExtensions` to the server's `Finished`: mostly the
    /// certificate chain.
    pub server_flight: usize,
    /// The client's `Finished`.
    pub client_finished: usize,
    /// `NewSessionTicket`s, sent with the first 1-RTT packets; each.
    pub ticket: usize,
    /// How many tickets.
    pub tickets: usize,
}

impl Default for FlightSizes {
    /// What rustls sends with the certificate of [`super::Identity`]; a test
    /// keeps the two equal.
    fn default() -> Self {
        Self {
            client_hello: 192,
            server_hello: 90,
            server_flight: 2298,
            client_finished: 52,
            ticket: 81,
            tickets: 2,
        }
    }
}

struct NullKey {
    space: Space,
    tap: Arc<Tap>,
}

impl PacketKey for NullKey {
    fn encrypt(&self, number: u64, buf: &mut [u8], header_len: usize) {
        self.tap.sealing(self.space, number, buf, header_len, TAG);
        let n = buf.len();
        buf[n - TAG..].fill(self.space as u8 + 1);
    }

    fn decrypt(
        &self,
        number: u64,
        header: &[u8],
        payload: &mut BytesMut,
    ) -> Result<(), CryptoError> {
        let n = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        // A packet of another level must fail to open, as it would with TLS.
        if payload[n] != self.space as u8 + 1 {
            return Err(CryptoError);
        }
        payload.truncate(n);
        self.tap
            .opened(self.space, number, payload, header.len() + TAG);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }
    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }
    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

struct NullHeader;

impl HeaderKey for NullHeader {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}
    fn encrypt(&self, _: usize, _: &mut [u8]) {}
    fn sample_size(&self) -> usize {
        16
    }
}

fn packet_keys(space: Space, tap: &Arc<Tap>) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair {
        local: Box::new(NullKey {
            space,
            tap: tap.clone(),
        }),
        remote: Box::new(NullKey {
            space,
            tap: tap.clone(),
        }),
    }
}

fn keys(space: Space, tap: &Arc<Tap>) -> Keys {
    Keys {
        header: KeyPair {
            local: Box::new(NullHeader),
            remote: Box::new(NullHeader),
        },
        packet: packet_keys(space, tap),
    }
}

pub(super) struct NullClient {
    pub(super) sizes: FlightSizes,
    pub(super) tap: Arc<Tap>,
}

pub(super) struct NullServer {
    pub(super) sizes: FlightSizes,
    pub(super) tap: Arc<Tap>,
}

impl ClientConfig for NullClient {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(Box::new(NullSession::new(
            Side::Client,
            self.sizes,
            self.tap.clone(),
            params,
        )))
    }
}

impl ServerConfig for NullServer {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys(Space::Initial, &self.tap))
    }
    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }
    fn start_session(self: Arc<Self>, _: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(NullSession::new(
            Side::Server,
            self.sizes,
            self.tap.clone(),
            params,
        ))
    }
}

/// Where a side is in the handshake; each step writes one flight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    ClientHello,
    AwaitServerHello,
    ClientHandshakeKeys,
    AwaitServerFinished,
    ClientFinished,
    AwaitClientHello,
    ServerHello,
    ServerFlight,
    AwaitClientFinished,
    Tickets,
    Done,
}

struct NullSession {
    side: Side,
    sizes: FlightSizes,
    tap: Arc<Tap>,
    ours: TransportParameters,
    peers: Option<TransportParameters>,
    received: Vec<u8>,
    step: Step,
    finished: bool,
}

impl NullSession {
    fn new(side: Side, sizes: FlightSizes, tap: Arc<Tap>, ours: &TransportParameters) -> Self {
        let step = if side.is_client() {
            Step::ClientHello
        } else {
            Step::AwaitClientHello
        };
        let received = Vec::new();
        Self {
            side,
            sizes,
            tap,
            ours: *ours,
            peers: None,
            received,
            step,
            finished: false,
        }
    }

    /// Appends a message: its size, the size of its parameters, the
    /// parameters, filler.
    fn write_message(&self, buf: &mut Vec<u8>, size: usize, with_parameters: bool) {
        let mut parameters = Vec::new();
        if with_parameters {
            self.ours.write(&mut parameters);
        }
        let size = size.max(MESSAGE_HEAD) + parameters.len();
        let end = buf.len() + size;
        buf.extend((size as u16).to_be_bytes());
        buf.extend((parameters.len() as u16).to_be_bytes());
        buf.extend(&parameters);
        buf.resize(end, 0xaa);
    }

    /// Takes one whole message off what was received; its parameters.
    fn take_message(&mut self) -> Option<Vec<u8>> {
        let head = self.received.get(..MESSAGE_HEAD)?;
        let size = usize::from(u16::from_be_bytes([head[0], head[1]]));
        let parameters = usize::from(u16::from_be_bytes([head[2], head[3]]));
        if self.received.len() < size {
            return None;
        }
        let message: Vec<u8> = self.received.drain(..size).collect();
        Some(
            message
                .get(MESSAGE_HEAD..MESSAGE_HEAD + parameters)?
                .to_vec(),
        )
    }
}

const MESSAGE_HEAD: usize = 4;

impl Session for NullSession {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys(Space::Initial, &self.tap)
    }
    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }
    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }
    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }
    fn early_data_accepted(&self) -> Option<bool> {
        self.side.is_client().then_some(false)
    }
    fn is_handshaking(&self) -> bool {
        !self.finished
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        if self.step == Step::Done {
            return Ok(false); // session tickets
        }
        self.received.extend_from_slice(buf);
        while let Some(parameters) = self.take_message() {
            if !parameters.is_empty() {
                let read = TransportParameters::read(self.side, &mut Cursor::new(parameters))?;
                self.peers = Some(read);
            }
            match self.step {
                Step::AwaitClientHello => self.step = Step::ServerHello,
                Step::AwaitClientFinished => {
                    self.step = Step::Tickets;
                    self.finished = true;
                }
                Step::AwaitServerHello => {
                    // The rest is of the next level: keys first.
                    self.step = Step::ClientHandshakeKeys;
                    break;
                }
                Step::AwaitServerFinished => {
                    self.step = Step::ClientFinished;
                    self.finished = true;
                }
                _ => {}
            }
        }
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        Ok(self.peers)
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let sizes = self.sizes;
        match self.step {
            Step::ClientHello => {
                self.write_message(buf, sizes.client_hello, true);
                self.step = Step::AwaitServerHello;
                None
            }
            Step::ClientHandshakeKeys => {
                self.step = Step::AwaitServerFinished;
                Some(keys(Space::Handshake, &self.tap))
            }
            Step::ClientFinished => {
                self.write_message(buf, sizes.client_finished, false);
                self.step = Step::Done;
                Some(keys(Space::OneRtt, &self.tap))
            }
            Step::ServerHello => {
                self.write_message(buf, sizes.server_hello, false);
                self.step = Step::ServerFlight;
                Some(keys(Space::Handshake, &self.tap))
            }
            Step::ServerFlight => {
                self.write_message(buf, sizes.server_flight, true);
                self.step = Step::AwaitClientFinished;
                Some(keys(Space::OneRtt, &self.tap))
            }
            Step::Tickets => {
                for _ in 0..sizes.tickets {
                    self.write_message(buf, sizes.ticket, false);
                }
                self.step = Step::Done;
                None
            }
            _ => None,
        }
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(packet_keys(Space::OneRtt, &self.tap))
    }
    fn is_valid_retry(&self, _: &ConnectionId, _: &[u8], _: &[u8]) -> bool {
        true
    }
    fn export_keying_material(
        &self,
        output: &mut [u8],
        _: &[u8],
        _: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        output.fill(0);
        Ok(())
    }
}
