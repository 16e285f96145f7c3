//! Client end of one connection.

use bytes::Bytes;
use pagerace_cc::UnknownController;
use pagerace_core::{Instant, Priority, Protocol};
use pagerace_http::Field;
use pagerace_transport::tcp::{self, TcpSettings};
use pagerace_transport::tls::{self, TlsSettings};

use crate::client::ClientEvent;
use crate::stream::{StreamClient, StreamClientConfig};

/// Configuration of a client.
#[derive(Clone, Debug)]
pub struct TcpClientConfig {
    /// HTTP/1.1 or HTTP/2.
    pub protocol: Protocol,
    /// TCP settings.
    pub tcp: TcpSettings,
    /// TLS settings, which must equal those of the server.
    pub tls: TlsSettings,
    /// HTTP settings.
    pub stream: StreamClientConfig,
}

/// The client's end of TLS over a byte stream: [`tls::Session`] in virtual time, or real TLS.
///
/// Bytes of the stream go in through [`handle_data`](Self::handle_data) and come out of
/// [`poll_write`](Self::poll_write).
pub trait ClientTls {
    /// Processes the next bytes of the stream, which may be split anywhere.
    ///
    /// # Errors
    /// Returns the reason for which the connection cannot go on.
    fn handle_data(&mut self, data: Bytes) -> Result<(), String>;

    /// Returns the next plaintext bytes.
    fn poll_read(&mut self) -> Option<Bytes>;

    /// Returns true if plaintext may be sent now.
    fn can_write(&self) -> bool;

    /// Returns the maximum number of plaintext bytes in the next record.
    fn record_limit(&self) -> usize;

    /// Queues plaintext, at most [`record_limit`](Self::record_limit) bytes before the next
    /// [`poll_write`](Self::poll_write).
    fn write(&mut self, plaintext: Bytes);

    /// Returns the next bytes for the stream.
    fn poll_write(&mut self) -> Option<Bytes>;

    /// Returns true if the handshake is complete.
    fn is_connected(&self) -> bool;
}

impl ClientTls for tls::Session {
    fn handle_data(&mut self, data: Bytes) -> Result<(), String> {
        Self::handle_data(self, data).map_err(|error| error.to_string())
    }

    fn poll_read(&mut self) -> Option<Bytes> {
        Self::poll_read(self)
    }

    fn can_write(&self) -> bool {
        Self::can_write(self)
    }

    fn record_limit(&self) -> usize {
        Self::record_limit(self)
    }

    fn write(&mut self, plaintext: Bytes) {
        Self::write(self, plaintext);
    }

    fn poll_write(&mut self) -> Option<Bytes> {
        Self::poll_write(self)
    }

    fn is_connected(&self) -> bool {
        Self::is_connected(self)
    }
}

/// Connection to one server.
pub struct TcpClient<T = tls::Session> {
    tcp: tcp::Connection,
    tls: T,
    http: StreamClient,
    connected: bool,
    finished: bool,
}

impl TcpClient {
    /// Creates a client. Its SYN leaves with the next
    /// [`poll_transmit`](Self::poll_transmit).
    ///
    /// # Errors
    /// Returns an error if the settings name an unknown congestion controller.
    ///
    /// # Panics
    /// Panics if the protocol is HTTP/3.
    pub fn connect(config: &TcpClientConfig, now: Instant) -> Result<Self, UnknownController> {
        Self::connect_over(tls::Session::client(&config.tls), config, now)
    }
}

impl<T: ClientTls> TcpClient<T> {
    /// Creates a client as [`TcpClient::connect`] does, with another TLS than that of the
    /// settings.
    ///
    /// # Errors
    /// Returns an error if the settings name an unknown congestion controller.
    ///
    /// # Panics
    /// Panics if the protocol is HTTP/3.
    pub fn connect_over(
        tls: T,
        config: &TcpClientConfig,
        now: Instant,
    ) -> Result<Self, UnknownController> {
        Ok(Self {
            tcp: tcp::Connection::client(&config.tcp, now)?,
            tls,
            http: StreamClient::new(config.protocol, &config.stream),
            connected: false,
            finished: false,
        })
    }

    /// Returns the number of further requests that the client would send now; see
    /// [`StreamClient::capacity`]. During the handshake, requests wait in the client.
    pub fn capacity(&self) -> usize {
        self.http.capacity()
    }

    /// Returns true if TCP's part of the handshake is complete.
    pub fn is_established(&self) -> bool {
        self.tcp.is_established()
    }

    /// Queues a request, which leaves as soon as the connection and the server's limits
    /// allow. `token` identifies it in events.
    pub fn request(
        &mut self,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        self.http.request(token, fields, priority, body);
    }

    /// Cancels a request, of which no further events follow; see [`StreamClient::cancel`].
    pub fn cancel(&mut self, token: u64) {
        self.http.cancel(token);
    }

    /// Changes a request's priority.
    pub fn reprioritise(&mut self, token: u64, priority: Priority) {
        self.http.reprioritise(token, priority);
    }

    /// Handles a segment from the server.
    pub fn handle_segment(&mut self, now: Instant, segment: tcp::Segment) {
        self.tcp.handle_segment(now, segment);
        self.drive(now);
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.tcp.handle_timeout(now);
        self.drive(now);
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.tcp.poll_timeout()
    }

    /// Returns the next segment to send.
    pub fn poll_transmit(&mut self, now: Instant) -> Option<tcp::Segment> {
        loop {
            // Written bytes leave in segments of their own before more are written.
            let segment = self.tcp.poll_transmit(now);
            if segment.is_some() || !self.write() {
                return segment;
            }
        }
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.http.poll_event()
    }

    /// Passes the ranges of the server's stream that arrived since the last call to
    /// `each`, for [`TcpHolMeter`](crate::hol::TcpHolMeter).
    pub fn drain_received(&mut self, each: impl FnMut(tcp::Range)) {
        self.tcp.drain_received(each);
    }

    fn drive(&mut self, now: Instant) {
        while let Some(data) = self.tcp.read() {
            if let Err(error) = self.tls.handle_data(data) {
                self.fail(error);
                return;
            }
            if !self.connected && self.tls.is_connected() {
                self.connected = true;
                self.http.handle_connected();
            }
            while let Some(plaintext) = self.tls.poll_read() {
                self.http.handle_data(now, plaintext);
            }
        }
        while let Some(event) = self.tcp.poll_event() {
            match event {
                tcp::Event::Finished => self.http.handle_end(),
                tcp::Event::Lost { reason } => self.http.handle_closed(reason),
                tcp::Event::Connected | tcp::Event::Readable => {}
            }
        }
    }

    /// Gives the connection up, for a reason that TCP itself does not see.
    pub fn fail(&mut self, reason: String) {
        self.http.handle_closed(reason);
        self.tcp.abort();
    }

    /// Writes what TCP asks for: a flight of the handshake, or else requests. Returns false if
    /// there was nothing to write.
    fn write(&mut self) -> bool {
        if self.finished {
            return false;
        }
        // Browsers write the end of the handshake before the first request.
        if self.pass_on() {
            return true;
        }
        let mut written = false;
        while self.tcp.writable() > 0 && self.tls.can_write() {
            let limit = self.tls.record_limit();
            let mut filled = 0;
            while filled < limit
                && let Some(data) = self.http.poll_output(limit - filled)
            {
                filled += data.len();
                self.tls.write(data);
            }
            if filled == 0 {
                break;
            }
            written |= self.pass_on();
        }
        if self.http.is_closed() && self.tcp.is_established() {
            self.finished = true;
            self.tcp.finish();
        }
        written || self.finished
    }

    /// Passes bytes from TLS to TCP. Returns false if there were none.
    fn pass_on(&mut self) -> bool {
        let mut passed = false;
        while let Some(data) = self.tls.poll_write() {
            self.tcp.write(data);
            passed = true;
        }
        passed
    }
}
