//! In place of [`super::raw`] on systems where trials over TCP are not possible.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;

use pagerace_probe::Server;
use pagerace_probe::congestion::{Fetch, Watched};
use rustls::ClientConfig;

use crate::{Lateness, LiveError};

/// A raw socket, which does not exist here: probes need that of Linux.
#[derive(Debug)]
pub enum RawTcp {}

impl RawTcp {
    /// Refuses.
    ///
    /// # Errors
    /// [`LiveError::RawSocket`].
    pub fn open(_remote: SocketAddr) -> Result<Self, LiveError> {
        let source = ErrorKind::Unsupported.into();
        Err(LiveError::RawSocket { source })
    }

    /// Cannot be called.
    ///
    /// # Errors
    /// None.
    pub fn watch(
        &mut self,
        _fetch: Fetch,
        _server: &Server,
        _tls: &Arc<ClientConfig>,
        _late: &mut Lateness,
    ) -> Result<Watched, LiveError> {
        match *self {}
    }
}
