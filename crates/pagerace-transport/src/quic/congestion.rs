//! Our congestion controllers behind quinn-proto's interface.

use std::any::Any;
use std::sync::Arc;
use std::time;

use pagerace_cc::{Ack, UnknownController};
use pagerace_core::Duration;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use super::epoch::Epoch;
use super::signals::Signals;

/// Makes one controller per connection.
pub(super) struct Factory {
    name: String,
    signals: Arc<Signals>,
}

/// The least window of a client whose handshake is not confirmed.
///
/// A client's lost Finished must be sent again however much application data
/// is in flight, for none of that is acknowledged before. quinn-proto 0.11
/// would hold it back by the congestion window, and both ends would wait for
/// each other until they give up. [`super::connection::EARLY_BYTES`] keeps the
/// data itself to an initial window.
const UNCONFIRMED_WINDOW: u64 = 1 << 16;

impl Factory {
    /// `signals`: of the connections that will be made with it.
    pub(super) fn new(name: &str, signals: Arc<Signals>) -> Result<Arc<Self>, UnknownController> {
        // Tried once here, so that building later cannot fail.
        pagerace_cc::build(name, 1200)?;
        Ok(Arc::new(Self {
            name: name.to_owned(),
            signals,
        }))
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: time::Instant, mtu: u16) -> Box<dyn Controller> {
        let inner = pagerace_cc::build(&self.name, mtu).expect("the name was tried");
        let initial_window = inner.window();
        Box::new(Adapter {
            inner,
            epoch: Epoch::at(now),
            initial_window,
            signals: self.signals.clone(),
        })
    }
}

struct Adapter {
    inner: Box<dyn pagerace_cc::Controller>,
    epoch: Epoch,
    initial_window: u64,
    signals: Arc<Signals>,
}

impl Controller for Adapter {
    fn on_sent(&mut self, now: time::Instant, bytes: u64, _last_packet_number: u64) {
        self.inner.on_sent(self.epoch.from_std(now), bytes);
    }

    fn on_ack(
        &mut self,
        now: time::Instant,
        sent: time::Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.signals.settled(bytes);
        // Data that waits for the window is not written yet, so quinn-proto
        // takes the application for idle.
        let app_limited = app_limited && !self.signals.is_window_limited();
        let latest = Duration::from_std(now.saturating_duration_since(sent));
        self.inner.on_ack(&Ack {
            now: self.epoch.from_std(now),
            sent_at: self.epoch.from_std(sent),
            bytes,
            rtt_latest: latest,
            rtt_min: Duration::from_std(rtt.min()).min(latest),
            rtt_smoothed: Duration::from_std(rtt.get()),
            app_limited,
        });
    }

    fn on_end_acks(
        &mut self,
        _now: time::Instant,
        in_flight: u64,
        _app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        self.signals.at_most(in_flight);
    }

    fn on_congestion_event(
        &mut self,
        now: time::Instant,
        sent: time::Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.signals.settled(lost_bytes);
        let (now, sent) = (self.epoch.from_std(now), self.epoch.from_std(sent));
        self.inner
            .on_congestion(now, sent, lost_bytes, is_persistent_congestion);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.set_mtu(new_mtu);
    }

    fn window(&self) -> u64 {
        if self.signals.is_unconfirmed_client() {
            return self.inner.window().max(UNCONFIRMED_WINDOW);
        }
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.inner.window();
        metrics.ssthresh = self.inner.ssthresh();
        metrics.pacing_rate = self.inner.pacing_rate();
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self {
            inner: self.inner.clone_box(),
            epoch: self.epoch,
            initial_window: self.initial_window,
            signals: self.signals.clone(),
        })
    }

    fn initial_window(&self) -> u64 {
        self.initial_window
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
