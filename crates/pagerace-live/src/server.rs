//! Servers of HTTP/3 on UDP sockets.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mio::Token;
use pagerace_core::Instant;
use pagerace_peer::server::ServerStats;
use pagerace_peer::{SentFrame, ServerConfig, Site};

use crate::socket::Socket;
use crate::wait::Waiter;
use crate::{Clock, LiveError};

/// Maximum interval between checks of the stop flag.
pub(crate) const STOP_LATENCY: Duration = Duration::from_millis(20);

/// Maximum number of datagrams that one socket receives per turn.
const TURN: usize = 64;

/// Serves a site over HTTP/3, each connection through a strategy.
///
/// The server has one thread and one or more sockets, each with its own certificate and
/// connections.
pub struct QuicServer<S> {
    ends: Vec<End<S>>,
    waiter: Waiter,
    clock: Clock,
}

/// A socket and the server behind it.
struct End<S> {
    socket: Socket,
    inner: pagerace_peer::Server<S>,
    /// Recorded frames, kept here because the inner server drops them with their
    /// connection.
    frames: Option<Vec<SentFrame>>,
    buffer: Vec<u8>,
}

impl<S: Site> QuicServer<S> {
    /// Listens on `address`; port 0 selects any free port. Packets are not recorded:
    /// `config.record` has no effect.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Controller`].
    pub fn bind(address: SocketAddr, config: &ServerConfig, site: S) -> Result<Self, LiveError> {
        let mut server = Self::empty()?;
        server.add(Socket::bind(address)?, config, site)?;
        Ok(server)
    }

    /// Creates a server without sockets.
    pub(crate) fn empty() -> Result<Self, LiveError> {
        Ok(Self {
            ends: Vec::new(),
            waiter: Waiter::new().map_err(LiveError::Socket)?,
            clock: Clock::start(),
        })
    }

    /// Adds a socket.
    pub(crate) fn add(
        &mut self,
        mut socket: Socket,
        config: &ServerConfig,
        site: S,
    ) -> Result<(), LiveError> {
        // Recorded packets would accumulate, as nothing reads them.
        let config = ServerConfig {
            record: false,
            ..config.clone()
        };
        let token = Token(self.ends.len());
        socket.register(self.waiter.registry(), token)?;
        self.ends.push(End {
            socket,
            inner: pagerace_peer::Server::new(&config, self.clock.epoch(), site)?,
            frames: config.record_frames.then(Vec::new),
            buffer: Vec::new(),
        });
        Ok(())
    }

    /// Returns the address of the first socket.
    ///
    /// # Errors
    /// [`LiveError::Socket`].
    pub fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.ends[0].socket.local_address()
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// [`LiveError::Socket`]: receiving fails permanently.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), LiveError> {
        while !stop.load(Ordering::Relaxed) {
            let mut wait = STOP_LATENCY;
            for end in &mut self.ends {
                let due = end.turn(self.clock)?;
                if end.socket.readable {
                    wait = Duration::ZERO;
                } else if let Some(due) = due {
                    wait = wait.min(due.since(self.clock.now()).to_std());
                }
            }
            for event in self.waiter.wait(wait).map_err(LiveError::Socket)? {
                self.ends[event.token().0].socket.readable |= event.is_readable();
            }
        }
        Ok(())
    }

    /// Returns the frames with response bytes of all connections since the last call, if
    /// `record_frames` is configured. Frames accumulate without limit until then, so
    /// recording is for measurements and not for a long-running server.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        let frames = self.ends.iter_mut().filter_map(|end| end.frames.as_mut());
        frames.flat_map(std::mem::take).collect()
    }

    /// Returns the sums over all connections.
    pub fn stats(&mut self) -> ServerStats {
        let mut sum = ServerStats::default();
        for end in &mut self.ends {
            let stats = end.inner.stats();
            sum.packets_sent += stats.packets_sent;
            sum.packets_lost += stats.packets_lost;
            sum.retransmitted_bytes += stats.retransmitted_bytes;
        }
        sum
    }
}

impl<S: Site> End<S> {
    /// Receives pending datagrams and sends the datagrams that are due. Returns the time of the
    /// next turn if the socket stays quiet.
    fn turn(&mut self, clock: Clock) -> Result<Option<Instant>, LiveError> {
        for _ in 0..TURN {
            // Transmit after each datagram, as each may change the strategy's next
            // choice.
            let Some((from, data)) = self.socket.receive()? else {
                break;
            };
            self.inner.handle_datagram(clock.now(), from, data);
            self.transmit(clock);
        }
        let now = clock.now();
        if self.inner.poll_timeout().is_some_and(|at| at <= now) {
            self.inner.handle_timeout(now);
        }
        self.transmit(clock);
        // While a datagram waits for the kernel, only the socket can end the wait.
        let free = self.socket.is_free();
        Ok(self.inner.poll_timeout().filter(|_| free))
    }

    fn transmit(&mut self, clock: Clock) {
        // A datagram that cannot be sent counts as lost. The peer chooses its address, so a
        // send error must not stop the server.
        while self.socket.is_free()
            && let Some(datagram) = self.inner.poll_transmit(clock.now(), &mut self.buffer)
        {
            let data = &self.buffer[..datagram.size];
            let _ = self.socket.push(data, datagram.remote);
        }
        let _ = self.socket.flush();
        if let Some(frames) = &mut self.frames {
            frames.extend(self.inner.take_frames());
        }
    }
}
