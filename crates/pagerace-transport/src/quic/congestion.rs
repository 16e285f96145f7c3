//! Adapter of the `pagerace_cc` congestion controllers to quinn-proto's interface, and
//! quinn-proto's own controllers, so that a server that is made of it can be simulated.

use std::any::Any;
use std::sync::Arc;
use std::time;

use pagerace_cc::{Ack, UnknownController};
use pagerace_core::Duration;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{
    Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};

use super::epoch::Epoch;
use super::signals::Signals;

/// Factory that builds one controller per connection.
pub(super) struct Factory {
    name: String,
    signals: Arc<Signals>,
}

/// The minimum window of an end that does not know yet whether the peer can read its
/// packets.
///
/// A client's lost Finished must be retransmitted regardless of the application data in
/// flight, because none of that data is acknowledged before. quinn-proto 0.11 would apply
/// the congestion window to it, and both ends would wait for each other until they give up.
/// [`super::connection::EARLY_BYTES`] limits the data itself to an initial window.
///
/// The same applies to a server that answers early data: the client cannot read the answers
/// while handshake packets are missing, so the end of the handshake must be sent regardless
/// of them. The answers themselves are limited by the controller's window.
const UNCONFIRMED_WINDOW: u64 = 1 << 16;

/// The round-trip time that quinn-proto assumes before it has measured one.
///
/// Source: RFC 9002, section 6.2.2, <https://www.rfc-editor.org/rfc/rfc9002#section-6.2.2>.
pub(super) const INITIAL_RTT: time::Duration = time::Duration::from_millis(333);

impl Factory {
    /// Creates a factory. `signals` are those of the connections built with it.
    pub(super) fn new(name: &str, signals: Arc<Signals>) -> Result<Arc<Self>, UnknownController> {
        // Built once here, so that later builds cannot fail.
        if quinn(name).is_none() {
            make(name, 1200)?;
        }
        Ok(Arc::new(Self {
            name: name.to_owned(),
            signals,
        }))
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: time::Instant, mtu: u16) -> Box<dyn Controller> {
        if let Some(factory) = quinn(&self.name) {
            return Box::new(Quinn {
                inner: factory.build(now, mtu),
                signals: self.signals.clone(),
            });
        }
        let mut inner = make(&self.name, mtu).expect("the name was tried");
        inner.set_paced();
        let initial_window = inner.window();
        Box::new(Adapter {
            inner,
            epoch: Epoch::at(now),
            initial_window,
            signals: self.signals.clone(),
        })
    }
}

fn make(name: &str, mtu: u16) -> Result<Box<dyn pagerace_cc::Controller>, UnknownController> {
    #[cfg(test)]
    if let Some(controller) = super::tests::pacing::test_controller(name) {
        return Ok(controller);
    }
    pagerace_cc::stack(name, mtu).map_or_else(|| pagerace_cc::build(name, mtu), Ok)
}

/// Returns the factory of a controller of quinn-proto's own: `quinn-newreno` or `quinn-cubic`. Its
/// BBR draws random numbers from the system, so no simulation can repeat it.
fn quinn(name: &str) -> Option<Arc<dyn ControllerFactory>> {
    match name {
        "quinn-newreno" => Some(Arc::new(NewRenoConfig::default())),
        "quinn-cubic" => Some(Arc::new(CubicConfig::default())),
        _ => None,
    }
}

/// Returns the smoothed round-trip time, or `None` before the first sample. quinn-proto
/// takes a sample only after it has reported the packets that an acknowledgement covers.
fn smoothed(rtt: &RttEstimator) -> Option<Duration> {
    let is_guess = rtt.get() == INITIAL_RTT && rtt.min() == INITIAL_RTT;
    (!is_guess).then(|| Duration::from_std(rtt.get()))
}

/// Returns the window that quinn-proto may fill.
fn allowed(window: u64, signals: &Signals) -> u64 {
    if signals.is_held() {
        // A window of zero holds back all ack-eliciting packets and no others.
        return 0;
    }
    if signals.is_unconfirmed_client() || signals.is_unconfirmed_server() {
        return window.max(UNCONFIRMED_WINDOW);
    }
    window
}

struct Adapter {
    inner: Box<dyn pagerace_cc::Controller>,
    epoch: Epoch,
    initial_window: u64,
    signals: Arc<Signals>,
}

impl Adapter {
    /// Reports an idle sender to the controller.
    ///
    /// quinn-proto gives no access to a controller outside its own calls, so this happens
    /// before the next of them.
    fn tell_idle(&mut self) {
        if let Some((at, in_flight)) = self.signals.take_idle() {
            self.inner.on_app_limited(at, in_flight);
        }
    }
}

impl Controller for Adapter {
    fn on_sent(&mut self, now: time::Instant, _bytes: u64, _last_packet_number: u64) {
        self.tell_idle();
        // quinn-proto reports whole datagrams, including those that only acknowledge. The
        // latter are skipped for controllers that measure their sending rate. Other
        // controllers receive them with zero bytes, as signs of activity.
        let bytes = self.signals.take_untold();
        if bytes > 0 || self.inner.pacing_rate().is_none() {
            self.inner.on_sent(self.epoch.from_std(now), bytes);
        }
    }

    fn on_ack(
        &mut self,
        now: time::Instant,
        sent: time::Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.tell_idle();
        self.signals.settled(bytes);
        // Data that waits for the window has not been written yet, so quinn-proto treats
        // the application as idle.
        let app_limited = app_limited && !self.signals.is_window_limited();
        let latest = Duration::from_std(now.saturating_duration_since(sent));
        self.inner.on_ack(&Ack {
            now: self.epoch.from_std(now),
            sent_at: self.epoch.from_std(sent),
            tcp: None,
            bytes,
            rtt_latest: latest,
            rtt_min: Duration::from_std(rtt.min()).min(latest),
            rtt_smoothed: smoothed(rtt).unwrap_or(latest),
            app_limited,
        });
    }

    fn on_end_acks(
        &mut self,
        now: time::Instant,
        in_flight: u64,
        _app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        self.signals.at_most(in_flight);
        self.inner.on_ack_end(self.epoch.from_std(now), in_flight);
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
        allowed(self.inner.window(), &self.signals)
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

/// A controller of quinn-proto's own.
struct Quinn {
    inner: Box<dyn Controller>,
    signals: Arc<Signals>,
}

impl Controller for Quinn {
    fn on_sent(&mut self, now: time::Instant, bytes: u64, last_packet_number: u64) {
        self.inner.on_sent(now, bytes, last_packet_number);
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
        // As in the adapter: data that waits for the window has not been written yet.
        let app_limited = app_limited && !self.signals.is_window_limited();
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(
        &mut self,
        now: time::Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        self.signals.at_most(in_flight);
        self.inner
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(
        &mut self,
        now: time::Instant,
        sent: time::Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.signals.settled(lost_bytes);
        self.inner
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        allowed(self.inner.window(), &self.signals)
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self {
            inner: self.inner.clone_box(),
            signals: self.signals.clone(),
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
