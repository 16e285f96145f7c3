//! The connections that a [`Loader`](super::Loader) reads over: HTTP/3 on QUIC, and HTTP/2 on
//! our own TCP.

use std::ops::Range;

use bytes::BytesMut;
use pagerace_core::{Instant, Protocol};
use pagerace_http::{Field, h2};
use pagerace_peer::client::ClientError;
use pagerace_peer::stream::{StreamClientConfig, TreeStyle};
use pagerace_peer::tcp::{ClientTls, TcpClient, TcpClientConfig};
use pagerace_peer::{Client, ClientEvent};
use pagerace_transport::quic::{ClientKeys, Datagram, Epoch};
use pagerace_transport::tcp::{Segment, TcpSettings};
use pagerace_transport::tls::TlsSettings;

use super::segments::Header;
use crate::player::{Server, connect};

/// Flow control window in bytes, which no trial fills.
const WINDOW: u32 = 4 << 20;

/// Size of the header of IPv4 in bytes.
const IP_HEADER: u32 = 20;

/// Size of the header of UDP in bytes.
const UDP_HEADER: u32 = 8;

/// A client's connection.
pub trait Carrier {
    /// A packet from the server.
    type Received;
    /// A packet to the server.
    type Sent;
    /// Bytes of a packet's headers before its [`payload`](Self::payload).
    const HEADER: u32;
    /// True if the packets of the handshake belong to the trial. The size of a certificate
    /// decides whether TCP sends a full segment of it.
    const HANDSHAKE: bool;
    /// True if packets have a [`header`](Self::header) that can be read.
    const READABLE: bool;

    /// Returns the size of a packet without its headers, in bytes.
    fn payload(packet: &Self::Received) -> u32;

    /// Returns the parts of the packet's header that show losses, if it can be read.
    fn header(packet: &Self::Received) -> Option<Header>;

    /// Handles a packet from the server.
    fn handle_packet(&mut self, now: Instant, packet: Self::Received);

    /// Returns the bytes of streams that arrived since the last call, repeated ones as well.
    fn take_received(&mut self) -> Vec<(u64, Range<u64>)>;

    /// Returns the number of the last packet from the server, if packets have numbers.
    fn last_received(&mut self) -> Option<u64>;

    /// Returns true if bytes of the server's handshake arrived before earlier ones. Over TCP, the
    /// packets' headers show it.
    fn handshake_has_gap(&mut self) -> bool {
        false
    }

    /// Sends a request as soon as it may leave.
    fn request(&mut self, now: Instant, token: u64, fields: Vec<Field>);

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    fn poll_event(&mut self) -> Option<ClientEvent>;

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    fn poll_timeout(&mut self) -> Option<Instant>;

    /// Handles the passing of time.
    fn handle_timeout(&mut self, now: Instant);

    /// Returns the next packet to send. The payload of a datagram is in `buf`.
    fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Self::Sent>;

    /// Ends the connection, so that the server sends nothing more.
    fn close(&mut self, now: Instant);
}

/// Starts connecting over QUIC.
///
/// # Errors
/// Returns an error if the server's name or address is invalid.
pub(super) fn quic(
    server: &Server,
    keys: ClientKeys,
    seed: u64,
    now: Instant,
    epoch: Epoch,
) -> Result<Client, ClientError> {
    connect(server, keys, seed, (WINDOW, WINDOW), (now, epoch))
}

/// Starts connecting over TCP.
pub(super) fn tcp<T: ClientTls>(tls: T, now: Instant) -> TcpClient<T> {
    let config = TcpClientConfig {
        protocol: Protocol::H2,
        tcp: TcpSettings {
            receive_window: WINDOW,
            receive_buffer_max: 2 * WINDOW,
            ..TcpSettings::default()
        },
        // Only simulated TLS has these, and its server has the same.
        tls: TlsSettings::default(),
        stream: StreamClientConfig {
            h2: h2::Config {
                stream_window: WINDOW,
                connection_window: WINDOW,
                max_header_list_size: 64 << 10,
                no_rfc7540_priorities: true,
                ..h2::Config::chromium()
            },
            tree: TreeStyle::None,
            ..StreamClientConfig::default()
        },
    };
    TcpClient::connect_over(tls, &config, now).expect("a default controller")
}

impl Carrier for Client {
    type Received = BytesMut;
    type Sent = Datagram;
    const HEADER: u32 = IP_HEADER + UDP_HEADER;
    const HANDSHAKE: bool = true;
    const READABLE: bool = false;

    fn payload(packet: &BytesMut) -> u32 {
        packet.len() as u32
    }

    fn header(_packet: &BytesMut) -> Option<Header> {
        None
    }

    fn handle_packet(&mut self, now: Instant, packet: BytesMut) {
        self.handle_datagram(now, packet);
    }

    fn take_received(&mut self) -> Vec<(u64, Range<u64>)> {
        let frames = Self::take_received(self).into_iter();
        frames.map(|f| (f.id, f.offset..f.end())).collect()
    }

    fn last_received(&mut self) -> Option<u64> {
        Self::last_received(self)
    }

    fn handshake_has_gap(&mut self) -> bool {
        Self::handshake_has_gap(self)
    }

    fn request(&mut self, now: Instant, token: u64, fields: Vec<Field>) {
        Self::request(self, now, token, fields, None, None);
    }

    fn poll_event(&mut self) -> Option<ClientEvent> {
        Self::poll_event(self)
    }

    fn poll_timeout(&mut self) -> Option<Instant> {
        Self::poll_timeout(self)
    }

    fn handle_timeout(&mut self, now: Instant) {
        Self::handle_timeout(self, now);
    }

    fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Datagram> {
        Self::poll_transmit(self, now, buf)
    }

    fn close(&mut self, now: Instant) {
        Self::close(self, now);
    }
}

impl<T: ClientTls> Carrier for TcpClient<T> {
    type Received = Segment;
    type Sent = Segment;
    const HEADER: u32 = IP_HEADER;
    const HANDSHAKE: bool = false;
    const READABLE: bool = true;

    fn payload(packet: &Segment) -> u32 {
        packet.wire_size() - IP_HEADER
    }

    fn header(packet: &Segment) -> Option<Header> {
        let begin = packet.offset();
        Some(Header {
            bytes: begin..begin + packet.payload_size() as u64,
            echo: packet.echo(),
        })
    }

    fn handle_packet(&mut self, now: Instant, packet: Segment) {
        self.handle_segment(now, packet);
    }

    fn take_received(&mut self) -> Vec<(u64, Range<u64>)> {
        let mut all = Vec::new();
        self.drain_received(|bytes| all.push((0, bytes.offset..bytes.offset + bytes.length)));
        all
    }

    fn last_received(&mut self) -> Option<u64> {
        None
    }

    fn request(&mut self, _now: Instant, token: u64, fields: Vec<Field>) {
        Self::request(self, token, fields, None, None);
    }

    fn poll_event(&mut self) -> Option<ClientEvent> {
        Self::poll_event(self)
    }

    fn poll_timeout(&mut self) -> Option<Instant> {
        Self::poll_timeout(self)
    }

    fn handle_timeout(&mut self, now: Instant) {
        Self::handle_timeout(self, now);
    }

    fn poll_transmit(&mut self, now: Instant, _buf: &mut Vec<u8>) -> Option<Segment> {
        Self::poll_transmit(self, now)
    }

    fn close(&mut self, _now: Instant) {
        // A server would go on to send the rest of its buffers.
        self.fail("the trial is over".to_owned());
    }
}
