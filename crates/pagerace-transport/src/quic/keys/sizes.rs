//! Sizes of the handshake's flights.

use crate::tls::{ClientHello, Handshake, certificate_size};

/// Sizes of the handshake's flights in CRYPTO bytes, without the transport parameters that
/// two of them carry.
///
/// The size of the parameters varies, as RFC 9000, section 18.1, reserves one of arbitrary
/// length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlightSizes {
    /// `ClientHello`.
    pub client_hello: usize,
    /// `ServerHello`.
    pub server_hello: usize,
    /// `EncryptedExtensions` to the server's `Finished`: mostly the
    /// certificate chain.
    pub server_flight: usize,
    /// The client's `Finished`.
    pub client_finished: usize,
    /// Size of each `NewSessionTicket`. They are sent with the first 1-RTT packets.
    pub ticket: usize,
    /// Number of tickets.
    pub tickets: usize,
}

impl Default for FlightSizes {
    /// The sizes of rustls with the certificate of [`super::Identity`]. A test compares the
    /// two.
    fn default() -> Self {
        Self {
            client_hello: 192,
            server_hello: 90,
            server_flight: 2298,
            client_finished: 52,
            ticket: 81,
            tickets: 2,
        }
    }
}

impl FlightSizes {
    /// Adds the extra size of this `ClientHello` to sizes that have a small one.
    #[must_use]
    pub const fn with(mut self, client_hello: ClientHello) -> Self {
        self.client_hello += client_hello.extra();
        self
    }

    /// Replaces the default certificate chain by one of this many bytes in DER.
    #[must_use]
    pub fn with_certificate(mut self, bytes: usize) -> Self {
        let rest = self
            .server_flight
            .saturating_sub(certificate_size() as usize);
        self.server_flight = rest + bytes;
        self
    }

    /// Returns the sizes for this type of handshake, given that `self` holds those of a
    /// full handshake.
    ///
    /// Source: rustls's flights, which a test compares. The client offers a ticket (RFC
    /// 8446, section 4.2.11) and announces any early data. The server accepts it and sends
    /// no certificate.
    #[must_use]
    pub fn of(mut self, handshake: Handshake) -> Self {
        let (hello, flight, ticket) = match handshake {
            Handshake::Full => return self,
            Handshake::Resumed => (95, 71, 0),
            Handshake::EarlyData => (99, 75, 8),
        };
        self.client_hello += hello;
        self.server_hello += 6;
        self.server_flight = flight;
        self.ticket += ticket;
        self
    }
}
