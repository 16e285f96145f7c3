//! The tap around other keys: null keys or those of real TLS.

use std::any::Any;
use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey,
    ServerConfig, Session, UnsupportedVersion,
};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId, Side, TransportError};

use crate::quic::tap::{Space, Tap};

struct TappedKey {
    inner: Box<dyn PacketKey>,
    space: Space,
    tap: Arc<Tap>,
}

impl PacketKey for TappedKey {
    fn encrypt(&self, number: u64, buf: &mut [u8], header_len: usize) {
        self.tap
            .sealing(self.space, number, buf, header_len, self.inner.tag_len());
        self.inner.encrypt(number, buf, header_len);
    }
    fn decrypt(
        &self,
        number: u64,
        header: &[u8],
        payload: &mut BytesMut,
    ) -> Result<(), CryptoError> {
        self.inner.decrypt(number, header, payload)?;
        self.tap.opened(
            self.space,
            number,
            payload,
            header.len() + self.inner.tag_len(),
        );
        Ok(())
    }
    fn tag_len(&self) -> usize {
        self.inner.tag_len()
    }
    fn confidentiality_limit(&self) -> u64 {
        self.inner.confidentiality_limit()
    }
    fn integrity_limit(&self) -> u64 {
        self.inner.integrity_limit()
    }
}

fn tap_pair(
    pair: KeyPair<Box<dyn PacketKey>>,
    space: Space,
    tap: &Arc<Tap>,
) -> KeyPair<Box<dyn PacketKey>> {
    let wrap = |inner| {
        Box::new(TappedKey {
            inner,
            space,
            tap: tap.clone(),
        }) as _
    };
    KeyPair {
        local: wrap(pair.local),
        remote: wrap(pair.remote),
    }
}

fn tap_keys(keys: Keys, space: Space, tap: &Arc<Tap>) -> Keys {
    Keys {
        header: keys.header,
        packet: tap_pair(keys.packet, space, tap),
    }
}

struct TappedSession {
    inner: Box<dyn Session>,
    tap: Arc<Tap>,
    /// Encryption level of the keys that the handshake returns next.
    next: Space,
}

impl TappedSession {
    fn boxed(inner: Box<dyn Session>, tap: Arc<Tap>) -> Box<dyn Session> {
        Box::new(Self {
            inner,
            tap,
            next: Space::Handshake,
        })
    }
}

impl Session for TappedSession {
    fn initial_keys(&self, dst_cid: &ConnectionId, side: Side) -> Keys {
        tap_keys(
            self.inner.initial_keys(dst_cid, side),
            Space::Initial,
            &self.tap,
        )
    }
    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.inner.handshake_data()
    }
    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.inner.peer_identity()
    }
    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        let (header, inner) = self.inner.early_crypto()?;
        let key = TappedKey {
            inner,
            space: Space::ZeroRtt,
            tap: self.tap.clone(),
        };
        Some((header, Box::new(key)))
    }
    fn early_data_accepted(&self) -> Option<bool> {
        self.inner.early_data_accepted()
    }
    fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }
    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        self.inner.read_handshake(buf)
    }
    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }
    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let keys = self.inner.write_handshake(buf)?;
        let space = std::mem::replace(&mut self.next, Space::OneRtt);
        Some(tap_keys(keys, space, &self.tap))
    }
    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(tap_pair(
            self.inner.next_1rtt_keys()?,
            Space::OneRtt,
            &self.tap,
        ))
    }
    fn is_valid_retry(&self, orig_dst_cid: &ConnectionId, header: &[u8], payload: &[u8]) -> bool {
        self.inner.is_valid_retry(orig_dst_cid, header, payload)
    }
    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(output, label, context)
    }
}

pub(super) struct TappedClient {
    pub(super) inner: Arc<dyn ClientConfig>,
    pub(super) tap: Arc<Tap>,
}

impl ClientConfig for TappedClient {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let inner = self
            .inner
            .clone()
            .start_session(version, server_name, params)?;
        Ok(TappedSession::boxed(inner, self.tap.clone()))
    }
}

pub(super) struct TappedServer {
    pub(super) inner: Arc<dyn ServerConfig>,
    pub(super) tap: Arc<Tap>,
}

impl ServerConfig for TappedServer {
    fn initial_keys(
        &self,
        version: u32,
        dst_cid: &ConnectionId,
    ) -> Result<Keys, UnsupportedVersion> {
        Ok(tap_keys(
            self.inner.initial_keys(version, dst_cid)?,
            Space::Initial,
            &self.tap,
        ))
    }
    fn retry_tag(&self, version: u32, orig_dst_cid: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.inner.retry_tag(version, orig_dst_cid, packet)
    }
    fn start_session(
        self: Arc<Self>,
        version: u32,
        params: &TransportParameters,
    ) -> Box<dyn Session> {
        TappedSession::boxed(
            self.inner.clone().start_session(version, params),
            self.tap.clone(),
        )
    }
}
