//! A server on a UDP socket.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pagerace_peer::server::ServerStats;
use pagerace_peer::{SentFrame, ServerConfig, Site};

use crate::socket::Socket;
use crate::{Clock, LiveError};

/// Longest wait between two looks at the stop flag.
const STOP_LATENCY: Duration = Duration::from_millis(50);

/// Serves a site over HTTP/3, each connection through a strategy.
pub struct Server<S> {
    socket: Socket,
    inner: pagerace_peer::Server<S>,
    clock: Clock,
    /// Kept here, as the inner server forgets them with their connection.
    frames: Option<Vec<SentFrame>>,
}

impl<S: Site> Server<S> {
    /// Listens on `address`; port 0 takes any free one. Keeps no packets:
    /// `config.record` has no effect.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Controller`].
    pub fn bind(address: SocketAddr, config: &ServerConfig, site: S) -> Result<Self, LiveError> {
        let clock = Clock::start();
        // Nobody would take them out.
        let config = ServerConfig {
            record: false,
            ..config.clone()
        };
        let inner = pagerace_peer::Server::new(&config, clock.epoch(), site)?;
        let frames = config.record_frames.then(Vec::new);
        Ok(Self {
            socket: Socket::bind(address)?,
            inner,
            clock,
            frames,
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// [`LiveError::Socket`].
    pub fn local_address(&self) -> Result<SocketAddr, LiveError> {
        self.socket.local_address()
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// [`LiveError::Socket`]: receiving fails for good.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), LiveError> {
        let mut buf = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            while let Some(datagram) = self.inner.poll_transmit(self.clock.now(), &mut buf) {
                // A datagram that cannot be sent is a lost one. Where it goes is for
                // the peer to say (port 0, say), so no error may stop the server.
                let _ = self.socket.send(&buf[..datagram.size], datagram.remote);
            }
            if let Some(frames) = &mut self.frames {
                frames.extend(self.inner.take_frames());
            }
            let due = self.inner.poll_timeout();
            let wait = due.map_or(STOP_LATENCY, |at| at.since(self.clock.now()).to_std());
            if let Some((from, data)) = self.socket.receive(wait.min(STOP_LATENCY))? {
                self.inner.handle_datagram(self.clock.now(), from, data);
            }
            let now = self.clock.now();
            if self.inner.poll_timeout().is_some_and(|at| at <= now) {
                self.inner.handle_timeout(now);
            }
        }
        Ok(())
    }

    /// The frames with response bytes since the last call, of all connections,
    /// if `record_frames` is configured. They are kept without limit until then:
    /// for measurements, not for a server that stays up.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        self.frames.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Sums over all connections.
    pub fn stats(&mut self) -> ServerStats {
        self.inner.stats()
    }
}
