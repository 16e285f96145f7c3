//! A non-blocking UDP socket.

use std::io::{self, ErrorKind, IoSliceMut};
use std::net::SocketAddr;
use std::ops::Range;

use bytes::BytesMut;
use mio::net::UdpSocket;
use mio::{Interest, Registry, Token};
use quinn_udp::{RecvMeta, Transmit, UdpSocketState};

use crate::LiveError;

/// Maximum UDP payload, in bytes.
const DATAGRAM_MAX: usize = 65_535;

/// Maximum size of a batch in bytes: that of an IPv4 packet without the headers of IP and UDP.
const PAYLOAD_MAX: usize = DATAGRAM_MAX - 28;

/// Requested size of the kernel's buffer in each direction, in bytes; the kernel may
/// grant less (`net.core.rmem_max`). It holds about 2,800 full-size packets, more than
/// the congestion window on any emulated path.
pub(crate) const KERNEL_BUFFER: usize = 4 << 20;

/// Maximum number of datagrams that the kernel is given at once. More save little, and hold back
/// the first.
const BATCH_MAX: usize = 16;

/// A bound socket and its buffers. Where the system can, datagrams of the same size to the same
/// address are sent by one call, and received by one.
pub(crate) struct Socket {
    udp: UdpSocket,
    state: UdpSocketState,
    buffer: Box<[u8]>,
    /// The part of the buffer with datagrams that were received and not yet returned.
    unread: Range<usize>,
    /// Their sender, and the size of each but the last.
    from: RecvMeta,
    /// True if the socket may have more to read.
    pub(crate) readable: bool,
    /// Datagrams to send.
    batch: Batch,
    /// True if the kernel has not accepted the batch yet.
    blocked: bool,
    /// A datagram that follows a blocked batch.
    next: Option<(Vec<u8>, SocketAddr)>,
}

/// Datagrams to one address, all of the same size but the last, which may be smaller.
struct Batch {
    data: Vec<u8>,
    to: SocketAddr,
    size: usize,
    count: usize,
}

impl Batch {
    /// Returns true if a datagram of `size` bytes fits. Only full batches of at least two end
    /// with a smaller one: the first may be a probe that is larger than the path allows.
    fn fits(&self, size: usize, to: SocketAddr, max: usize) -> bool {
        let same = size == self.size || (size < self.size && self.count >= 2);
        self.count == 0
            || (self.to == to
                && same
                && self.count < max
                && self.data.len() == self.count * self.size
                && self.data.len() + size <= PAYLOAD_MAX)
    }

    fn push(&mut self, data: &[u8], to: SocketAddr) {
        if self.count == 0 {
            (self.to, self.size) = (to, data.len());
        }
        self.data.extend_from_slice(data);
        self.count += 1;
    }

    fn clear(&mut self) {
        self.data.clear();
        self.count = 0;
    }
}

impl Socket {
    pub(crate) fn bind(address: SocketAddr) -> Result<Self, LiveError> {
        let udp = UdpSocket::bind(address).map_err(|source| LiveError::Bind { address, source })?;
        let system = socket2::SockRef::from(&udp);
        // Smaller buffers are not an error: they only make losses more likely.
        let _ = system.set_recv_buffer_size(KERNEL_BUFFER);
        let _ = system.set_send_buffer_size(KERNEL_BUFFER);
        let state = UdpSocketState::new((&udp).into()).map_err(LiveError::Socket)?;
        Ok(Self {
            udp,
            state,
            buffer: vec![0; DATAGRAM_MAX].into(),
            unread: 0..0,
            from: RecvMeta::default(),
            readable: true,
            batch: Batch {
                data: Vec::new(),
                to: address,
                size: 0,
                count: 0,
            },
            blocked: false,
            next: None,
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
    pub(crate) fn is_free(&mut self) -> bool {
        if self.blocked {
            // A batch that the network rejects is lost, like any other.
            let _ = self.flush();
        }
        !self.blocked
    }

    /// Adds a datagram to the batch, and first sends the batch if the datagram does not fit.
    pub(crate) fn push(&mut self, data: &[u8], to: SocketAddr) -> Result<(), LiveError> {
        debug_assert!(!self.blocked, "a datagram follows a blocked batch at most");
        let max = self.state.max_gso_segments().min(BATCH_MAX);
        let mut sent = Ok(());
        if !self.batch.fits(data.len(), to, max) {
            sent = self.flush();
        }
        if self.blocked {
            self.next = Some((data.to_vec(), to));
        } else {
            self.batch.push(data, to);
        }
        sent
    }

    /// Sends the batch, or keeps it until the kernel accepts it. Datagrams that the network
    /// rejects are lost, as datagrams may be.
    pub(crate) fn flush(&mut self) -> Result<(), LiveError> {
        let mut result = Ok(());
        while self.batch.count > 0 {
            let transmit = Transmit {
                destination: self.batch.to,
                ecn: None,
                contents: &self.batch.data,
                segment_size: (self.batch.count > 1).then_some(self.batch.size),
                src_ip: None,
            };
            let sent = self.state.try_send((&self.udp).into(), &transmit);
            self.blocked = matches!(&sent, Err(error) if error.kind() == ErrorKind::WouldBlock);
            if self.blocked {
                break;
            }
            if let Err(error) = sent
                && !is_passing(&error)
            {
                result = Err(LiveError::Socket(error));
            }
            self.batch.clear();
            if let Some((data, to)) = self.next.take() {
                self.batch.push(&data, to);
            }
        }
        result
    }

    /// Sends one datagram.
    pub(crate) fn send(&mut self, data: &[u8], to: SocketAddr) -> Result<(), LiveError> {
        self.push(data, to)?;
        self.flush()
    }

    /// Returns the next received datagram, if any.
    pub(crate) fn receive(&mut self) -> Result<Option<(SocketAddr, BytesMut)>, LiveError> {
        while self.unread.is_empty() && self.readable {
            let mut buffers = [IoSliceMut::new(&mut self.buffer)];
            let from = std::slice::from_mut(&mut self.from);
            match self.state.recv((&self.udp).into(), &mut buffers, from) {
                // Nothing can be sent to port 0, so such a sender is forged.
                Ok(_) if self.from.addr.port() == 0 => {}
                Ok(_) => self.unread = 0..self.from.len,
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
                // The error concerns a datagram that was sent earlier. Others may follow.
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(LiveError::Socket(error)),
            }
        }
        if self.unread.is_empty() {
            return Ok(None);
        }
        let start = self.unread.start;
        let end = self.unread.end.min(start + self.from.stride.max(1));
        self.unread.start = end;
        Ok(Some((
            self.from.addr,
            BytesMut::from(&self.buffer[start..end]),
        )))
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
