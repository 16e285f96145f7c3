//! Null keys: handshake messages and packets have the sizes of real TLS 1.3, but nothing is
//! encrypted.
//!
//! All mechanisms that affect delivery still run: the three packet number spaces, the
//! anti-amplification limit, acknowledgements and key phases. Only the run time of a cipher
//! and secrecy are missing.

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

use super::sizes::FlightSizes;
use crate::quic::tap::Space;
use crate::tls::Handshake;

/// Bytes of AEAD tag in every packet (RFC 9001, section 5.3).
const TAG: usize = 16;

struct NullKey(Space);

impl NullKey {
    /// Returns the tag of packet `number`. As with TLS, packets of another encryption level, and
    /// those whose number was decoded wrongly because many others overtook them, fail to open.
    fn tag(&self, number: u64) -> [u8; TAG] {
        let mut tag = [self.0 as u8 + 1; TAG];
        tag[TAG - 8..].copy_from_slice(&number.to_be_bytes());
        tag
    }
}

impl PacketKey for NullKey {
    fn encrypt(&self, number: u64, buf: &mut [u8], _: usize) {
        let n = buf.len();
        buf[n - TAG..].copy_from_slice(&self.tag(number));
    }

    fn decrypt(&self, number: u64, _: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let n = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        if payload[n..] != self.tag(number) {
            return Err(CryptoError);
        }
        payload.truncate(n);
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

fn packet_keys(space: Space) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair {
        local: Box::new(NullKey(space)),
        remote: Box::new(NullKey(space)),
    }
}

fn keys(space: Space) -> Keys {
    Keys {
        header: KeyPair {
            local: Box::new(NullHeader),
            remote: Box::new(NullHeader),
        },
        packet: packet_keys(space),
    }
}

pub(super) struct NullClient {
    pub(super) sizes: FlightSizes,
    pub(super) handshake: Handshake,
    /// The server's transport parameters from the previous visit.
    pub(super) remembered: TransportParameters,
}

pub(super) struct NullServer {
    pub(super) sizes: FlightSizes,
}

impl ClientConfig for NullClient {
    fn start_session(
        self: Arc<Self>,
        _version: u32,
        _server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let mut session = NullSession::new(Side::Client, self.sizes, params);
        session.handshake = self.handshake;
        if self.handshake == Handshake::EarlyData {
            session.peers = Some(self.remembered);
        }
        Ok(Box::new(session))
    }
}

impl ServerConfig for NullServer {
    fn initial_keys(&self, _: u32, _: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys(Space::Initial))
    }
    fn retry_tag(&self, _: u32, _: &ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }
    fn start_session(self: Arc<Self>, _: u32, params: &TransportParameters) -> Box<dyn Session> {
        Box::new(NullSession::new(Side::Server, self.sizes, params))
    }
}

/// The state of a side in the handshake. Each step writes one flight.
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
    /// The client's type of handshake. A server learns it from the first message.
    handshake: Handshake,
    ours: TransportParameters,
    peers: Option<TransportParameters>,
    received: Vec<u8>,
    step: Step,
    finished: bool,
}

impl NullSession {
    fn new(side: Side, sizes: FlightSizes, ours: &TransportParameters) -> Self {
        let step = if side.is_client() {
            Step::ClientHello
        } else {
            Step::AwaitClientHello
        };
        Self {
            side,
            sizes,
            handshake: Handshake::Full,
            ours: *ours,
            peers: None,
            received: Vec::new(),
            step,
            finished: false,
        }
    }

    /// Appends a message: its size, the size of its parameters, the client's type of
    /// handshake, the parameters, and filler.
    fn write_message(&self, buf: &mut Vec<u8>, size: usize, with_parameters: bool) {
        let mut parameters = Vec::new();
        if with_parameters {
            self.ours.write(&mut parameters);
        }
        let size = size.max(MESSAGE_HEAD) + parameters.len();
        let end = buf.len() + size;
        buf.extend((size as u16).to_be_bytes());
        buf.extend((parameters.len() as u16).to_be_bytes());
        buf.push(self.handshake as u8);
        buf.extend(&parameters);
        buf.resize(end, 0xaa);
    }

    /// Removes one complete message from the received bytes. Returns its parameters and the
    /// client's type of handshake.
    fn take_message(&mut self) -> Option<(Vec<u8>, u8)> {
        let head = self.received.get(..MESSAGE_HEAD)?;
        let size = usize::from(u16::from_be_bytes([head[0], head[1]]));
        let parameters = usize::from(u16::from_be_bytes([head[2], head[3]]));
        if self.received.len() < size {
            return None;
        }
        let message: Vec<u8> = self.received.drain(..size).collect();
        let parameters = message.get(MESSAGE_HEAD..MESSAGE_HEAD + parameters)?;
        Some((parameters.to_vec(), message[MESSAGE_HEAD - 1]))
    }
}

const MESSAGE_HEAD: usize = 5;

impl Session for NullSession {
    fn initial_keys(&self, _: &ConnectionId, _: Side) -> Keys {
        keys(Space::Initial)
    }
    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }
    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }
    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        // A client has these keys from the start, and a server after the ClientHello.
        (self.handshake == Handshake::EarlyData).then(|| {
            let key = NullKey(Space::ZeroRtt);
            (Box::new(NullHeader) as _, Box::new(key) as _)
        })
    }
    fn early_data_accepted(&self) -> Option<bool> {
        let asked = self.handshake == Handshake::EarlyData;
        self.side.is_client().then_some(asked)
    }
    fn is_handshaking(&self) -> bool {
        !self.finished
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        if self.step == Step::Done {
            return Ok(false); // session tickets
        }
        self.received.extend_from_slice(buf);
        while let Some((parameters, handshake)) = self.take_message() {
            if !parameters.is_empty() {
                let read = TransportParameters::read(self.side, &mut Cursor::new(parameters))?;
                self.peers = Some(read);
            }
            match self.step {
                Step::AwaitClientHello => {
                    self.step = Step::ServerHello;
                    self.handshake = [Handshake::Resumed, Handshake::EarlyData]
                        .into_iter()
                        .find(|h| *h as u8 == handshake)
                        .unwrap_or_default();
                }
                Step::AwaitClientFinished => {
                    self.step = Step::Tickets;
                    self.finished = true;
                }
                Step::AwaitServerHello => {
                    // The rest belongs to the next encryption level, which needs its keys
                    // first.
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
        let sizes = self.sizes.of(self.handshake);
        match self.step {
            Step::ClientHello => {
                self.write_message(buf, sizes.client_hello, true);
                self.step = Step::AwaitServerHello;
                None
            }
            Step::ClientHandshakeKeys => {
                self.step = Step::AwaitServerFinished;
                Some(keys(Space::Handshake))
            }
            Step::ClientFinished => {
                self.write_message(buf, sizes.client_finished, false);
                self.step = Step::Done;
                Some(keys(Space::OneRtt))
            }
            Step::ServerHello => {
                self.write_message(buf, sizes.server_hello, false);
                self.step = Step::ServerFlight;
                Some(keys(Space::Handshake))
            }
            Step::ServerFlight => {
                self.write_message(buf, sizes.server_flight, true);
                self.step = Step::AwaitClientFinished;
                Some(keys(Space::OneRtt))
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
        Some(packet_keys(Space::OneRtt))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_opens_at_its_own_level_and_number_only() {
        let sealed = || {
            let mut packet = vec![7; 40];
            NullKey(Space::OneRtt).encrypt(300, &mut packet, 0);
            BytesMut::from(&packet[..])
        };
        let opens = |key: NullKey, number| key.decrypt(number, &[], &mut sealed()).is_ok();
        assert!(opens(NullKey(Space::OneRtt), 300));
        assert!(
            !opens(NullKey(Space::OneRtt), 300 + 256),
            "a byte of the number was sent"
        );
        assert!(!opens(NullKey(Space::Handshake), 300));
    }
}
