//! Trials over TCP: our own TCP on a raw socket, so that a bottleneck fits in front of it.
//!
//! The kernel knows nothing of such a connection and would reset it. So a second socket listens
//! on its port, with a filter that drops every packet before the kernel's TCP sees it. No
//! firewall rule is needed, and nothing is left behind.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::fd::AsRawFd as _;
use std::sync::Arc;

use bytes::Bytes;
use mio::unix::SourceFd;
use mio::{Interest, Token};
use pagerace_peer::tcp::ClientTls;
use pagerace_probe::congestion::{Fetch, Loader, Watched};
use pagerace_probe::{Play as _, Server};
use pagerace_transport::tcp::Wire;
use pagerace_transport::tls::MAX_PLAINTEXT;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use socket2::{Domain, Protocol, SockAddr, SockFilter, Socket, Type};

use super::WAIT_MAX;
use crate::socket::{KERNEL_BUFFER, is_passing};
use crate::tcp::ALPN_H2;
use crate::wait::Waiter;
use crate::{Clock, Lateness, LiveError, secret_seed};

/// Largest IP packet in bytes.
const PACKET_MAX: usize = 65_535;

/// A raw socket for trials with one server.
pub struct RawTcp {
    socket: Socket,
    local: Ipv4Addr,
    remote: SocketAddrV4,
    buffer: Box<[u8]>,
}

impl RawTcp {
    /// Opens the socket. Nothing is sent.
    ///
    /// # Errors
    /// [`LiveError::RawSocket`]: this process may not. [`LiveError::Ipv6`]: the address is one of
    /// IPv6. [`LiveError::Tcp`]: there is no route.
    pub fn open(remote: SocketAddr) -> Result<Self, LiveError> {
        let SocketAddr::V4(remote) = remote else {
            return Err(LiveError::Ipv6(remote));
        };
        let kind = Type::RAW.nonblocking();
        let socket = Socket::new(Domain::IPV4, kind, Some(Protocol::TCP))
            .map_err(|source| LiveError::RawSocket { source })?;
        // A smaller buffer only makes losses more likely.
        let _ = socket.set_recv_buffer_size(KERNEL_BUFFER);
        let connected = socket.connect(&SockAddr::from(remote));
        let local = connected
            .and_then(|()| socket.local_addr())
            .map_err(LiveError::Tcp)?
            .as_socket_ipv4();
        Ok(Self {
            socket,
            local: local.map_or(Ipv4Addr::UNSPECIFIED, |local| *local.ip()),
            remote,
            buffer: vec![0; PACKET_MAX].into(),
        })
    }

    /// Reads an object through a bottleneck of the client's own, over HTTP/2 on a new connection.
    /// Adds to `late` how late the bottleneck worked.
    ///
    /// # Errors
    /// [`LiveError::Name`], [`LiveError::Tls`], [`LiveError::Tcp`]. Failures of the connection
    /// are in the result.
    pub fn watch(
        &mut self,
        fetch: Fetch,
        server: &Server,
        tls: &Arc<ClientConfig>,
        late: &mut Lateness,
    ) -> Result<Watched, LiveError> {
        let name = ServerName::try_from(server.name.clone())
            .map_err(|_| LiveError::Name(server.name.clone()))?;
        let tls = RealTls {
            tls: ClientConnection::new(tls.clone(), name)?,
            readable: VecDeque::new(),
        };
        let shield = self.shield().map_err(LiveError::Tcp)?;
        let local = shield.local_addr().map_err(LiveError::Tcp)?;
        let port = local.as_socket_ipv4().map_or(0, |local| local.port());
        self.filter(port).map_err(LiveError::Tcp)?;
        let seed = secret_seed()?;
        let local = SocketAddrV4::new(self.local, port);
        let mut wire = Wire::new(local, self.remote, seed as u32);
        let mut waiter = Waiter::new().map_err(LiveError::Tcp)?;
        let registry = waiter.registry();
        let fd = self.socket.as_raw_fd();
        let registered = registry.register(&mut SourceFd(&fd), Token(0), Interest::READABLE);
        registered.map_err(LiveError::Tcp)?;
        let clock = Clock::start();
        let mut loader = Loader::connect_tcp(fetch, &server.authority, tls, seed, clock.now());
        loop {
            while let Some(segment) = loader.poll_transmit(clock.now(), &mut Vec::new()) {
                // A packet that the kernel refuses is lost.
                let _ = self.socket.send(&wire.encode(&segment));
            }
            if loader.is_over() {
                return Ok(loader.finish());
            }
            let now = clock.now();
            if let Some(at) = loader.poll_timeout().filter(|at| *at <= now) {
                late.add(now.since(at));
                loader.handle_timeout(now);
                continue;
            }
            if let Some(packet) = self.receive().map_err(LiveError::Tcp)? {
                let now = clock.now();
                for segment in wire.decode(now, packet) {
                    loader.handle_packet(now, segment);
                }
                continue;
            }
            let due = loader.poll_timeout();
            let wait = due.map_or(WAIT_MAX, |at| at.since(now).to_std().min(WAIT_MAX));
            // Reading goes on until nothing is left, whatever woke this thread.
            let _ = waiter.wait(wait).map_err(LiveError::Tcp)?.count();
        }
    }

    /// Opens the socket that keeps the kernel silent on a free port.
    fn shield(&self) -> std::io::Result<Socket> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
        socket.bind(&SockAddr::from(SocketAddrV4::new(self.local, 0)))?;
        socket.attach_filter(&[RETURN_NOTHING])?;
        socket.listen(1)?;
        Ok(socket)
    }

    /// Lets the raw socket receive packets from the server's port to `port` only.
    fn filter(&self, port: u16) -> std::io::Result<()> {
        let ports = u32::from(self.remote.port()) << 16 | u32::from(port);
        self.socket.attach_filter(&[
            // X: the length of the IP header; A: the four bytes of both ports behind it.
            SockFilter::new(0xb1, 0, 0, 0),
            SockFilter::new(0x40, 0, 0, 0),
            SockFilter::new(0x15, 0, 1, ports),
            SockFilter::new(0x06, 0, 0, u32::MAX),
            RETURN_NOTHING,
        ])
    }

    /// Returns the next packet, if any.
    fn receive(&mut self) -> std::io::Result<Option<&[u8]>> {
        loop {
            match (&self.socket).read(&mut self.buffer) {
                Ok(length) => return Ok(Some(&self.buffer[..length])),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The instruction of a filter (`BPF_RET`) that keeps no byte of a packet.
const RETURN_NOTHING: SockFilter = SockFilter::new(0x06, 0, 0, 0);

/// TLS by rustls.
struct RealTls {
    tls: ClientConnection,
    readable: VecDeque<Bytes>,
}

impl ClientTls for RealTls {
    fn handle_data(&mut self, data: Bytes) -> Result<(), String> {
        let mut rest = &data[..];
        // rustls takes nothing more once the server has ended its stream.
        while !rest.is_empty() && self.tls.read_tls(&mut rest).map_err(|e| e.to_string())? > 0 {
            let state = self.tls.process_new_packets();
            let ready = state.map_err(|e| e.to_string())?.plaintext_bytes_to_read();
            let mut plaintext = vec![0; ready];
            let read = self.tls.reader().read_exact(&mut plaintext);
            read.map_err(|e| e.to_string())?;
            self.readable.push_back(plaintext.into());
        }
        if self.is_connected() && self.tls.alpn_protocol() != Some(ALPN_H2) {
            return Err("TLS did not agree on `h2` (ALPN)".to_owned());
        }
        Ok(())
    }

    fn poll_read(&mut self) -> Option<Bytes> {
        self.readable.pop_front()
    }

    fn can_write(&self) -> bool {
        self.is_connected()
    }

    fn record_limit(&self) -> usize {
        MAX_PLAINTEXT
    }

    fn write(&mut self, plaintext: Bytes) {
        let written = self.tls.writer().write_all(&plaintext);
        written.expect("rustls has room for more than a record");
    }

    fn poll_write(&mut self) -> Option<Bytes> {
        let mut data = Vec::new();
        if self.tls.wants_write() {
            let written = self.tls.write_tls(&mut data);
            written.expect("memory takes all bytes");
        }
        (!data.is_empty()).then(|| data.into())
    }

    fn is_connected(&self) -> bool {
        !self.tls.is_handshaking()
    }
}
