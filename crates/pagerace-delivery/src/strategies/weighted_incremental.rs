//! All responses share the link, with weights that depend on urgency to a configurable
//! degree.
//!
//! Follows Gupta 2024, section III, equations 1 and 2. Of `n` active responses, response
//! `i` of urgency `u` gets the share `w_i = w'_i / Σ w'_j`, with
//! `w'_i = alpha / (u + r_u) + (1 - alpha) / n`, where `r_u` is the share of the active
//! responses that have urgency `u`. With `alpha` = 0 all shares are equal. A response is
//! active from its arrival until it leaves. The shares are recomputed whenever the active
//! responses or an urgency change.
//!
//! Urgencies come from Chromium's classes (Gupta 2024, Table I), raised by signals as in
//! [`sequential`](super::sequential), or from the client's signals alone. The incremental
//! parameter is ignored. Gupta leaves priorities that change during a page load to future
//! work.

use pagerace_core::RequestPriority;

use super::sequential::class;
use crate::parameter::{Parameter, Range};
use crate::share::{FairShare, Weight};
use crate::streams::Streams;
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "weighted-incremental",
    summary: "All responses share; alpha sets how far urgency decides",
    source: "Gupta 2024, equations 1 and 2",
    parameters: &[ALPHA, URGENCY],
    build: |values: &Values| Box::new(WeightedIncremental::of(values)),
};

/// The influence of urgency on the shares.
pub(super) const ALPHA: Parameter = Parameter {
    name: "alpha",
    default: "0.5",
    range: Range::Number { min: 0.0, max: 1.0 },
    meaning: "weight of urgency: 0 for equal shares, 1 for urgency alone",
};

/// The source of urgencies.
pub(super) const URGENCY: Parameter = Parameter {
    name: "urgency",
    default: "class",
    range: Range::Word(&["class", "signalled"]),
    meaning: "source of urgency: the class that Chromium gives, or the client's signal",
};

/// The source of a response's urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UrgencySource {
    /// The response's current Chromium priority class ([`class`]), mapped by
    /// [`urgency_of_class`].
    Class,
    /// The client's signal (RFC 9218).
    Signalled,
}

/// Returns the urgency that stands for a Chromium class (Gupta 2024, Table I).
pub const fn urgency_of_class(class: RequestPriority) -> u8 {
    match class {
        RequestPriority::VeryHigh => 0,
        RequestPriority::High => 2,
        RequestPriority::Medium => 3,
        RequestPriority::Low => 5,
        RequestPriority::VeryLow => 7,
    }
}

/// Returns the share of one response of each urgency 0 to 7, given the number of active
/// responses of each urgency in `counts` (Gupta 2024, equations 1 and 2). The share is
/// `NaN` for an urgency without responses.
///
/// The shares of all active responses add up to 1.
pub fn shares(alpha: f64, counts: [u32; 8]) -> [f64; 8] {
    let n = f64::from(counts.iter().sum::<u32>());
    let mut weights = [f64::NAN; 8];
    let mut sum = 0.0;
    for (urgency, count) in counts
        .into_iter()
        .enumerate()
        .filter(|(_, count)| *count > 0)
    {
        let count = f64::from(count);
        let weight = alpha / (urgency as f64 + count / n) + (1.0 - alpha) / n;
        weights[urgency] = weight;
        sum += count * weight;
    }
    weights.map(|weight| weight / sum)
}

/// The weighted incremental strategy.
#[derive(Clone, Debug)]
pub(crate) struct WeightedIncremental {
    alpha: f64,
    source: UrgencySource,
    /// The urgencies of the active responses.
    urgencies: Streams<u8>,
    counts: [u32; 8],
    share: FairShare,
}

impl WeightedIncremental {
    /// Creates the strategy from the parameters `alpha` and `urgency`.
    pub(super) fn of(values: &Values) -> Self {
        let source = match values.word("urgency") {
            "signalled" => UrgencySource::Signalled,
            _ => UrgencySource::Class,
        };
        Self {
            alpha: values.number("alpha"),
            source,
            urgencies: Streams::default(),
            counts: [0; 8],
            share: FairShare::default(),
        }
    }

    fn urgency(&self, response: &Response) -> u8 {
        match self.source {
            UrgencySource::Class => urgency_of_class(class(response)),
            UrgencySource::Signalled => response.signal.urgency,
        }
    }

    fn reweigh(&mut self) {
        let weights = shares(self.alpha, self.counts).map(Weight::real);
        let urgencies = self.urgencies.values_mut();
        self.share
            .reweigh_all(urgencies.map(|urgency| weights[usize::from(*urgency)]));
    }
}

impl Strategy for WeightedIncremental {
    fn handle_arrival(&mut self, response: &Response) {
        let urgency = self.urgency(response);
        self.urgencies.insert(response.stream, urgency);
        self.counts[usize::from(urgency)] += 1;
        self.share.join(response.stream, Weight::whole(1));
        self.reweigh();
    }

    fn handle_update(&mut self, response: &Response) {
        let urgency = self.urgency(response);
        let Some(held) = self.urgencies.get_mut(response.stream) else {
            return;
        };
        let before = std::mem::replace(held, urgency);
        if before != urgency {
            self.counts[usize::from(before)] -= 1;
            self.counts[usize::from(urgency)] += 1;
            self.reweigh();
        }
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        self.share.pick(ready)
    }

    fn handle_sent(&mut self, response: &Response, bytes: u64) {
        self.share.charge(response.stream, bytes);
    }

    fn handle_end(&mut self, stream: u64) {
        if let Some(urgency) = self.urgencies.remove(stream) {
            self.counts[usize::from(urgency)] -= 1;
            self.share.leave(stream);
            self.reweigh();
        }
    }
}
