//! A non-blocking UDP socket.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use bytes::BytesMut;
use mio::net::UdpSocket;
use mio::{Interest, Registry, Token};

use crate::LiveError;

/// Maximum UDP payload, in bytes.
const DATAGRAM_MAX: usize = 65_535;

/// Requested size of the kernel's buffer in each direction, in bytes; the kernel may
/// grant less (`net.core.rmem_max`). It holds about 2,800 full-size packets, more than
/// the congestion window on any emulated path.
pub(crate) const KERNEL_BUFFER: usize = 4 << 20;

/// A bound socket and its receive buffer.
pub(crate) struct Socket {
    udp: UdpSocket,
    buffer: Box<[u8]>,
    /// True if the socket may have more to read.
    pub(crate) readable: bool,
    /// A datagram that the kernel has not accepted yet.
    waiting: Option<(Vec<u8>, SocketAddr)>,
}

impl Socket {
    pub(crate) fn bind(address: SocketAddr) -> Result<Self, LiveError> {
        let udp = UdpSocket::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        let system = socket2::SockRef::from(&udp);
        // Smaller buffers are not an error: they only make losses more likely.
        let _ = system.set_recv_buffer_size(KERNEL_BUFFER);
        let _ = system.set_send_buffer_size(KERNEL_BUFFER);
        Ok(Self {
            udp,
            buffer: vec![0; DATAGRAM_MAX].into(),
            readable: true,
            waiting: None,
        })
    }

    pub(crate) fn register(&mut self, registry: &Registry, token: Token) -> Result<(), LiveError> {
        let both = Interest::READABLE | Interest::WRITABLE;
        let registered = registry.register(&mut self.udp, token, both);
        registered.map_err(LiveError::Socket)
    }

    pub(crate) fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.udp.local_addr().map_err(LiveError::Socket)
    }

    /// Returns true if a datagram may be sent because none is waiting for the kernel.
    pub(crate) fn is_free(&mut self) -> Result<bool, LiveError> {
        if let Some((data, to)) = self.waiting.take() {
            self.send(&data, to)?;
        }
        Ok(self.waiting.is_none())
    }

    /// Sends a datagram, or keeps it until the kernel accepts it. A datagram that the
    /// network rejects is lost, as datagrams may be.
    pub(crate) fn send(&mut self, data: &[u8], to: SocketAddr) -> Result<(), LiveError> {
        debug_assert!(self.waiting.is_none(), "one datagram waits at most");
        match self.udp.send_to(data, to) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.waiting = Some((data.to_vec(), to));
                Ok(())
            }
            Err(error) if is_passing(&error) => Ok(()),
            Err(error) => Err(LiveError::Socket(error)),
        }
    }

    /// Returns the next received datagram, if any.
    pub(crate) fn receive(&mut self) -> Result<Option<(SocketAddr, BytesMut)>, LiveError> {
        while self.readable {
            match self.udp.recv_from(&mut self.buffer) {
                Ok((len, from)) => return Ok(Some((from, BytesMut::from(&self.buffer[..len])))),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
                // The error concerns a datagram that was sent earlier. Others may follow.
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(LiveError::Socket(error)),
            }
        }
        Ok(None)
    }
}

/// Returns true for errors that concern a single datagram and leave the socket usable.
pub(crate) fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}
