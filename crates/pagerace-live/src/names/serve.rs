//! The name server on a UDP socket.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use mio::Token;

use super::{DNS_PORT, answer};
use crate::LiveError;
use crate::link::Namespace;
use crate::server::STOP_LATENCY;
use crate::socket::Socket;
use crate::wait::Waiter;

/// A name server that runs until it is dropped.
pub struct NameServer {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl NameServer {
    /// Listens on `address` in `namespace` and answers for `names`.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Socket`].
    pub fn start(
        namespace: &Namespace,
        address: Ipv4Addr,
        names: impl IntoIterator<Item = (String, IpAddr)>,
    ) -> Result<Self, LiveError> {
        let lower = |(name, at): (String, IpAddr)| (name.to_ascii_lowercase(), at);
        let names: BTreeMap<String, IpAddr> = names.into_iter().map(lower).collect();
        let address = SocketAddr::from((address, DNS_PORT));
        let mut socket = namespace.run(move || Socket::bind(address))?;
        let mut waiter = Waiter::new().map_err(LiveError::Socket)?;
        socket.register(waiter.registry(), Token(0))?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let serve = move || {
            // If the socket fails, queries stay unanswered and the browser reports the
            // failure.
            while !stopped.load(Ordering::Relaxed) && turn(&mut socket, &names).is_ok() {
                let Ok(events) = waiter.wait(STOP_LATENCY) else {
                    return;
                };
                let readable = events.fold(false, |any, event| any | event.is_readable());
                socket.readable |= readable;
            }
        };
        let thread = thread::Builder::new().name("names".to_owned());
        Ok(Self {
            stop,
            thread: Some(thread.spawn(serve).map_err(LiveError::Socket)?),
        })
    }
}

/// Answers all pending queries.
fn turn(socket: &mut Socket, names: &BTreeMap<String, IpAddr>) -> Result<(), LiveError> {
    while socket.is_free()
        && let Some((from, query)) = socket.receive()?
    {
        if let Some(response) = answer(names, &query) {
            socket.send(&response, from)?;
        }
    }
    Ok(())
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic has been reported already, and there is nobody to return it to.
            let _ = thread.join();
        }
    }
}
