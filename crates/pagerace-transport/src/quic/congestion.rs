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

/// The least window of an end that does not know yet whether the other can read
/// what it sends.
///
/// A client's lost Finished must be sent again however much application data
/// is in flight, for none of that is acknowledged before. quinn-proto 0.11
/// would hold it back by the congestion window, and both ends would wait for
/// each other until they give up. [`super::connection::EARLY_BYTES`] keeps the
/// data itself to an initial window. Likewise a server that answers early data:
/// what it has sent cannot be read while its handshake packets are missing, and
/// the end of the handshake must be told past it. Its answers keep to the
/// controller's window, for they are bound by that.
const UNCONFIRMED_WINDOW: u64 = 1 << 16;

/// What quinn-proto takes for the round trip before it has measured one.
///
/// Source: RFC 9002, section 6.2.2, <https://www.rfc-editor.org/rfc/rfc9002#section-6.2.2>.
pub(super) const INITIAL_RTT: time::Duration = time::Duration::from_millis(333);

impl Factory {
    /// `signals`: of the connections that will be made with it.
    pub(super) fn new(name: &str, signals: Arc<Signals>) -> Result<Arc<Self>, UnknownController> {
        // Tried once here, so that building later cannot fail.
        make(name, 1200)?;
        Ok(Arc::new(Self {
            name: name.to_owned(),
            signals,
        }))
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: time::Instant, mtu: u16) -> Box<dyn Controller> {
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
    pagerace_cc::build(name, mtu)
}

/// `None` before the first sample, which quinn-proto takes only after it has
/// told of the packets that an acknowledgement covers.
fn smoothed(rtt: &RttEstimator) -> Option<Duration> {
    let is_guess = rtt.get() == INITIAL_RTT && rtt.min() == INITIAL_RTT;
    (!is_guess).then(|| Duration::from_std(rtt.get()))
}

struct Adapter {
    inner: Box<dyn pagerace_cc::Controller>,
    epoch: Epoch,
    initial_window: u64,
    signals: Arc<Signals>,
}

impl Adapter {
    /// quinn-proto gives no way to a controller between its own calls, so an
    /// idle sender is told of before the next of them.
    fn tell_idle(&mut self) {
        if let Some((at, in_flight)) = self.signals.take_idle() {
            self.inner.on_app_limited(at, in_flight);
        }
    }
}

impl Controller for Adapter {
    fn on_sent(&mut self, now: time::Instant, _bytes: u64, _last_packet_number: u64) {
        self.tell_idle();
        // quinn-proto tells of whole datagrams, also of those that only
        // acknowledge. These are nothing to a controller that measures what it
        // sends; to others they come with no bytes, as signs of life.
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
        if self.signals.is_held() {
            // Keeps back all that is ack-eliciting, and nothing else.
            return 0;
        }
        if self.signals.is_unconfirmed_client() || self.signals.is_unconfirmed_server() {
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
