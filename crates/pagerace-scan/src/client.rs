//! State that all connections of a scan share.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quinn_proto::{EndpointConfig, IdleTimeout, TransportConfig, VarInt};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::{Failure, Kind};
use crate::pace::Addresses;
use crate::settings::Settings;
use crate::tls::Trust;

/// Idle timeout of QUIC in ms: that of browsers. The times of the steps end sooner.
const IDLE_MS: u32 = 30_000;

/// Settings and shared state of all connections.
pub(crate) struct Client {
    pub(crate) settings: Settings,
    pub(crate) trust: Arc<Trust>,
    pub(crate) resolvers: Vec<SocketAddr>,
    pub(crate) endpoint: Arc<EndpointConfig>,
    pub(crate) transport: Arc<TransportConfig>,
    addresses: Mutex<Addresses>,
    random: SystemRandom,
}

impl Client {
    pub(crate) fn new(settings: Settings, trust: Arc<Trust>, resolvers: Vec<SocketAddr>) -> Self {
        let mut transport = TransportConfig::default();
        // Servers need three streams for HTTP/3 (RFC 9114, section 6.2); windows are small
        // because the answer to a HEAD request is.
        let idle = VarInt::from_u32(IDLE_MS);
        transport
            .max_concurrent_bidi_streams(VarInt::from_u32(0))
            .max_concurrent_uni_streams(VarInt::from_u32(8))
            .stream_receive_window(VarInt::from_u32(64 * 1024))
            .receive_window(VarInt::from_u32(64 * 1024))
            .max_idle_timeout(Some(IdleTimeout::from(idle)))
            .datagram_receive_buffer_size(None)
            .mtu_discovery_config(None)
            .initial_mtu(1200)
            .enable_segmentation_offload(false);
        Self {
            addresses: Mutex::new(Addresses::new(settings.address_rate)),
            endpoint: Arc::new(EndpointConfig::default()),
            transport: Arc::new(transport),
            random: SystemRandom::new(),
            settings,
            trust,
            resolvers,
        }
    }

    /// Waits until a connection to the address may begin.
    pub(crate) async fn turn(&self, address: IpAddr) {
        let at = {
            let mut addresses = self
                .addresses
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            addresses.next(address, now())
        };
        tokio::time::sleep_until(at.into()).await;
    }

    /// Returns `N` random bytes.
    pub(crate) fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random
            .fill(&mut bytes)
            .expect("the system has random numbers");
        bytes
    }

    /// Returns the time of one step.
    pub(crate) fn step(&self) -> Duration {
        self.settings.timeout
    }

    /// Returns the authority of the domain's origin.
    pub(crate) fn authority(&self, domain: &str) -> String {
        match self.settings.port {
            443 => domain.to_owned(),
            port => format!("{domain}:{port}"),
        }
    }
}

/// Reads the clock: the only place where the scan does.
#[expect(clippy::disallowed_methods, reason = "a scan happens in real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns the ms since `start`, to the microsecond.
pub(crate) fn ms_since(start: Instant) -> f64 {
    now().duration_since(start).as_micros() as f64 / 1000.0
}

/// Returns the result of `step`, or a failure when its time is over.
pub(crate) async fn within<T>(
    time: Duration,
    waiting_for: &str,
    step: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::time::timeout(time, step).await.unwrap_or_else(|_| {
        let seconds = time.as_secs_f64();
        let text = format_args!("no {waiting_for} within {seconds} s");
        Err(Failure::new(Kind::Timeout, text))
    })
}
