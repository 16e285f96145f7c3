//! Opening of connections.

use pagerace_core::rng::derive_seed;
use pagerace_core::{Instant, Protocol};
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_http::h3;
use pagerace_peer::stream::{StreamClientConfig, StreamServerConfig};
use pagerace_peer::tcp::{TcpClient, TcpClientConfig, TcpServer, TcpServerConfig};
use pagerace_peer::{Client, ClientConfig, LoadSettings, Reprioritisation};
use pagerace_peer::{Server, ServerConfig, Site};
use pagerace_transport::quic::keys::FlightSizes;
use pagerace_transport::quic::{ClientKeys, Epoch, QuicSettings, ServerKeys};
use pagerace_transport::tcp::TcpSettings;
use pagerace_transport::tls::{Handshake, TlsSettings, Version};

use crate::ScenarioError;
use crate::addresses::{SERVER_NAME, server_address};
use crate::ends::Ends;
use crate::event_loop::Record;
use crate::visit::Visit;

/// Returns the keys of real TLS for both ends.
#[cfg(feature = "tls")]
fn real_keys() -> Result<(ClientKeys, ServerKeys), ScenarioError> {
    let identity = pagerace_transport::quic::keys::Identity::new(&[SERVER_NAME])?;
    Ok((identity.client_keys()?, identity.server_keys()?))
}

#[cfg(not(feature = "tls"))]
fn real_keys() -> Result<(ClientKeys, ServerKeys), ScenarioError> {
    Err(ScenarioError::NoTls)
}

/// Protection and settings of connections.
pub(crate) struct Connector {
    pub(crate) seed: u64,
    pub(crate) strategy: StrategySpec,
    pub(crate) reliability: ReliabilitySpec,
    pub(crate) record: Record,
    /// True if the clients acknowledge QUIC packets as Chromium does.
    pub(crate) decimates_acks: bool,
    epoch: Epoch,
    settings: LoadSettings,
    /// The keys of real TLS, if it is used.
    real: Option<(ClientKeys, ServerKeys)>,
    quic: QuicSettings,
    tcp: TcpSettings,
    visit: Visit,
}

impl Connector {
    /// Creates a connector for servers that send in the order of `strategy` and deliver
    /// reliably. It keeps no records, and clients acknowledge every second QUIC packet.
    pub(crate) fn new(
        settings: &LoadSettings,
        congestion: &str,
        visit: Visit,
        strategy: StrategySpec,
        seed: u64,
    ) -> Result<Self, ScenarioError> {
        let quic = settings.quic(congestion);
        // Report an unknown controller here, before the first connection opens.
        pagerace_cc::build(congestion, quic.mtu)?;
        if settings.real_tls && visit != Visit::Cold {
            return Err(ScenarioError::RealResumption);
        }
        Ok(Self {
            seed,
            strategy,
            reliability: ReliabilitySpec::default(),
            record: Record::default(),
            decimates_acks: false,
            epoch: Epoch::new(),
            settings: *settings,
            real: settings.real_tls.then(real_keys).transpose()?,
            quic,
            tcp: TcpSettings {
                congestion: pagerace_cc::over_tcp(congestion).to_owned(),
                ..TcpSettings::default()
            },
            visit,
        })
    }

    /// Returns true if requests may leave with the first flight of a connection to a server
    /// that earlier visits reached (`visited`).
    pub(crate) fn early_data(&self, protocol: Protocol, visited: bool) -> bool {
        let tcp = protocol.is_tcp();
        let supported = !tcp || self.settings.tcp_tls == Version::Tls13;
        supported && self.handshake(tcp, visited) == Handshake::EarlyData
    }

    fn handshake(&self, tcp: bool, visited: bool) -> Handshake {
        if self.visit == Visit::Cold || !visited {
            Handshake::Full
        } else if self.settings.early_data.is_used(tcp) {
            Handshake::EarlyData
        } else {
            Handshake::Resumed
        }
    }

    fn quic_keys(&self, visited: bool) -> (ClientKeys, ServerKeys) {
        self.real.clone().unwrap_or_else(|| {
            let sizes = FlightSizes::default()
                .with(self.settings.client_hello)
                .with_certificate(self.settings.certificates as usize);
            let handshake = self.handshake(false, visited);
            (
                ClientKeys::null(sizes, handshake),
                ServerKeys::null(sizes, handshake),
            )
        })
    }

    /// Creates both ends of a connection. `name` distinguishes it from others with the
    /// same seed. The client has a TLS ticket on a later visit if the server is `visited`.
    pub(crate) fn connect<S: Site>(
        &self,
        protocol: Protocol,
        name: &str,
        visited: bool,
        now: Instant,
        site: S,
    ) -> Result<Ends<S>, ScenarioError> {
        let record_wire = self.record >= Record::Wire;
        let record_packets = self.record >= Record::Packets;
        let priority_updates = self.settings.reprioritisation != Reprioritisation::Chromium;
        if protocol == Protocol::H3 {
            let settings = QuicSettings {
                datagrams: self.reliability.needs_datagrams(),
                ..self.quic.clone()
            };
            // Recorded field sections may exceed the default limit.
            let h3 = h3::Config {
                max_field_section_size: 1 << 20,
                object_datagrams: self.reliability.needs_datagrams(),
                ..h3::Config::default()
            };
            let keys = self.quic_keys(visited);
            let client = ClientConfig {
                settings: QuicSettings {
                    decimates_acks: self.decimates_acks,
                    ..settings.clone()
                },
                keys: keys.0,
                seed: derive_seed(self.seed, &format!("client/{name}")),
                h3: h3.clone(),
                record: record_packets,
            };
            let server = ServerConfig {
                settings,
                keys: keys.1,
                strategy: self.strategy.clone(),
                retransmission: self.settings.retransmission,
                reliability: self.reliability.clone(),
                seed: derive_seed(self.seed, &format!("server/{name}")),
                h3,
                record: record_packets,
                record_frames: record_wire,
            };
            let address = server_address();
            let mut client = Client::connect(&client, now, self.epoch, address, SERVER_NAME)?;
            client.record_gaps(record_wire);
            client.send_priority_updates(priority_updates);
            return Ok(Ends::quic(client, Server::new(&server, self.epoch, site)?));
        }
        let tls = TlsSettings {
            version: self.settings.tcp_tls,
            handshake: self.handshake(true, visited),
            client_hello: self.settings.client_hello,
            certificate: self.settings.certificates as usize,
            ..TlsSettings::default()
        };
        let client = TcpClientConfig {
            tcp: self.tcp.clone(),
            tls,
            protocol,
            stream: StreamClientConfig {
                priority_updates,
                ..StreamClientConfig::default()
            },
        };
        let server = TcpServerConfig {
            tcp: self.tcp.clone(),
            tls,
            record_ends: self.settings.record_ends,
            protocol,
            stream: StreamServerConfig {
                record_frames: record_wire,
                reliability: self.reliability.clone(),
                ..StreamServerConfig::new(self.strategy.clone())
            },
        };
        Ok(Ends::tcp(
            TcpClient::connect(&client, now)?,
            TcpServer::new(&server, site)?,
            record_wire,
        ))
    }
}
