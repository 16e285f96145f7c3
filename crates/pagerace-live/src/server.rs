//! Servers on UDP sockets.

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

/// Longest wait between two looks at the stop flag.
pub(crate) const STOP_LATENCY: Duration = Duration::from_millis(20);

/// Datagrams that one socket takes before others have their turn.
const TURN: usize = 64;

/// Serves a site over HTTP/3, each connection through a strategy.
///
/// One thread, and one socket or several: each has its own certificate and its
/// own connections.
pub struct Server<S> {
    ends: Vec<End<S>>,
    waiter: Waiter,
    clock: Clock,
}

/// One socket and who answers there.
struct End<S> {
    socket: Socket,
    inner: pagerace_peer::Server<S>,
    /// Kept here, as the inner server forgets them with their connection.
    frames: Option<Vec<SentFrame>>,
    buffer: Vec<u8>,
}

impl<S: Site> Server<S> {
    /// Listens on `address`; port 0 takes any free one. Keeps no packets:
    /// `config.record` has no effect.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Controller`].
    pub fn bind(address: SocketAddr, config: &ServerConfig, site: S) -> Result<Self, LiveError> {
        let mut server = Self::empty()?;
        server.add(Socket::bind(address)?, config, site)?;
        Ok(server)
    }

    /// Serves nowhere yet.
    pub(crate) fn empty() -> Result<Self, LiveError> {
        Ok(Self {
            ends: Vec::new(),
            waiter: Waiter::new().map_err(LiveError::Socket)?,
            clock: Clock::start(),
        })
    }

    /// Serves on this socket too.
    pub(crate) fn add(
        &mut self,
        mut socket: Socket,
        config: &ServerConfig,
        site: S,
    ) -> Result<(), LiveError> {
        // Nobody would take them out.
        let config = ServerConfig {
            record: false,
            ..config.clone()
        };
        let token = Token(self.ends.len());
        let registered = socket.register(self.waiter.registry(), token);
        registered.map_err(LiveError::Socket)?;
        self.ends.push(End {
            socket,
            inner: pagerace_peer::Server::new(&config, self.clock.epoch(), site)?,
            frames: config.record_frames.then(Vec::new),
            buffer: Vec::new(),
        });
        Ok(())
    }

    /// Where it listens: its first socket.
    ///
    /// # Errors
    /// [`LiveError::Socket`].
    pub fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.ends[0].socket.local_address()
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// [`LiveError::Socket`]: receiving fails for good.
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

    /// The frames with response bytes since the last call, of all connections,
    /// if `record_frames` is configured. They are kept without limit until then:
    /// for measurements, not for a server that stays up.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        let frames = self.ends.iter_mut().filter_map(|end| end.frames.as_mut());
        frames.flat_map(std::mem::take).collect()
    }

    /// Sums over all connections.
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
    /// Takes what has come, sends what is due; when it wants its next turn though
    /// its socket is quiet.
    fn turn(&mut self, clock: Clock) -> Result<Option<Instant>, LiveError> {
        for _ in 0..TURN {
            // After each datagram, as each may change what the strategy sends next.
            let Some((from, data)) = self.socket.receive()? else {
                break;
            };
            self.inner.handle_datagram(clock.now(), from, data);
            self.transmit(clock)?;
        }
        let now = clock.now();
        if self.inner.poll_timeout().is_some_and(|at| at <= now) {
            self.inner.handle_timeout(now);
        }
        self.transmit(clock)?;
        // While the kernel takes nothing, only the socket can say that it does.
        let free = self.socket.is_free()?;
        Ok(self.inner.poll_timeout().filter(|_| free))
    }

    fn transmit(&mut self, clock: Clock) -> Result<(), LiveError> {
        while self.socket.is_free()?
            && let Some(datagram) = self.inner.poll_transmit(clock.now(), &mut self.buffer)
        {
            // A datagram that cannot be sent is a lost one. Where it goes is for
            // the peer to say (port 0, say), so no error may stop the server.
            let _ = self
                .socket
                .send(&self.buffer[..datagram.size], datagram.remote);
        }
        if let Some(frames) = &mut self.frames {
            frames.extend(self.inner.take_frames());
        }
        Ok(())
    }
}
