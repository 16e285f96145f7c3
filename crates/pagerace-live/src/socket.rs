//! A UDP socket that never blocks.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use bytes::BytesMut;
use mio::net::UdpSocket;
use mio::{Interest, Registry, Token};

use crate::LiveError;

/// Largest UDP payload, in bytes.
const DATAGRAM_MAX: usize = 65_535;

/// What the kernel is asked to buffer, in bytes each way; it may give less
/// (`net.core.rmem_max`). Some 2,800 full packets: more than a congestion window
/// on any path that we emulate.
const KERNEL_BUFFER: usize = 4 << 20;

/// A bound socket and its receive buffer.
pub(crate) struct Socket {
    udp: UdpSocket,
    buffer: Box<[u8]>,
    /// It may have more to read.
    pub(crate) readable: bool,
    /// A datagram that the kernel would not take yet.
    waiting: Option<(Vec<u8>, SocketAddr)>,
}

impl Socket {
    pub(crate) fn bind(address: SocketAddr) -> Result<Self, LiveError> {
        let udp = UdpSocket::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        let system = socket2::SockRef::from(&udp);
        // With less it is no less right: more may be lost.
        let _ = system.set_recv_buffer_size(KERNEL_BUFFER);
        let _ = system.set_send_buffer_size(KERNEL_BUFFER);
        Ok(Self {
            udp,
            buffer: vec![0; DATAGRAM_MAX].into(),
            readable: true,
            waiting: None,
        })
    }

    pub(crate) fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        let both = Interest::READABLE | Interest::WRITABLE;
        registry.register(&mut self.udp, token, both)
    }

    pub(crate) fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.udp.local_addr().map_err(LiveError::Socket)
    }

    /// Whether the next datagram may be sent: none waits for the kernel.
    pub(crate) fn is_free(&mut self) -> Result<bool, LiveError> {
        if let Some((data, to)) = self.waiting.take() {
            self.send(&data, to)?;
        }
        Ok(self.waiting.is_none())
    }

    /// Sends a datagram, or keeps it until the kernel takes it. What the network
    /// refuses is lost, as datagrams may be.
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

    /// The next datagram, if one is there.
    pub(crate) fn receive(&mut self) -> Result<Option<(SocketAddr, BytesMut)>, LiveError> {
        while self.readable {
            match self.udp.recv_from(&mut self.buffer) {
                Ok((len, from)) => return Ok(Some((from, BytesMut::from(&self.buffer[..len])))),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
                // Of a datagram that was sent before; others may follow.
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(LiveError::Socket(error)),
            }
        }
        Ok(None)
    }
}

/// Errors that say something of one datagram.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Interrupted
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}
