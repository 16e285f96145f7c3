//! A UDP socket that waits no longer than told.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use bytes::BytesMut;

use crate::LiveError;

/// Largest UDP payload, in bytes.
const DATAGRAM_MAX: usize = 65_535;

/// A bound socket and its receive buffer.
pub(crate) struct Socket {
    udp: UdpSocket,
    buffer: Box<[u8]>,
}

impl Socket {
    pub(crate) fn bind(address: SocketAddr) -> Result<Self, LiveError> {
        let udp = UdpSocket::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        Ok(Self {
            udp,
            buffer: vec![0; DATAGRAM_MAX].into(),
        })
    }

    pub(crate) fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.udp.local_addr().map_err(LiveError::Socket)
    }

    /// Sends a datagram. What the network refuses is lost, as datagrams may be.
    pub(crate) fn send(&self, data: &[u8], to: SocketAddr) -> Result<(), LiveError> {
        match self.udp.send_to(data, to) {
            Ok(_) => Ok(()),
            Err(error) if is_passing(&error) => Ok(()),
            Err(error) => Err(LiveError::Socket(error)),
        }
    }

    /// The next datagram, if one comes within `wait`.
    pub(crate) fn receive(
        &mut self,
        wait: Duration,
    ) -> Result<Option<(SocketAddr, BytesMut)>, LiveError> {
        // Zero would mean to wait for ever.
        let wait = wait.max(Duration::from_micros(1));
        self.udp
            .set_read_timeout(Some(wait))
            .map_err(LiveError::Socket)?;
        match self.udp.recv_from(&mut self.buffer) {
            Ok((len, from)) => Ok(Some((from, BytesMut::from(&self.buffer[..len])))),
            Err(error) if is_passing(&error) => Ok(None),
            Err(error) => Err(LiveError::Socket(error)),
        }
    }
}

/// Errors that say something of one datagram, or of none yet.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock
            | ErrorKind::TimedOut
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}
