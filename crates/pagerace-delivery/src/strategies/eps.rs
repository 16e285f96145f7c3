//! Extensible priorities: the urgency and incremental parameters of RFC 9218.
//!
//! Follows RFC 9218, section 10, <https://www.rfc-editor.org/rfc/rfc9218#section-10>.
//! Responses with lower urgency values go first. Among responses of one urgency,
//! non-incremental ones go one after the other by stream id, and incremental ones share the
//! link.
//!
//! The RFC leaves the order open if both kinds meet at one urgency. It recommends that
//! early non-incremental responses should not starve later incremental ones. In this
//! strategy all non-incremental responses of an urgency count as *one* participant: they
//! get one turn in the round of the incremental ones, and the earliest of them uses it.
//! Neither kind starves, and both rules hold within their kind. Servers differ in this:
//! some send all responses of one kind first.
//!
//! A priority that the response itself sets (section 8) replaces the signal.

use crate::rotation::Rotation;
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "eps",
    summary: "As the browser signals: by urgency; incremental responses share, others go one after the other",
    source: "RFC 9218, section 10",
    parameters: &[],
    build: |_: &Values| Box::new(Eps::default()),
};

/// The extensible priorities strategy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Eps {
    rotation: Rotation,
    /// The last turn of each urgency's non-incremental sequence.
    sequences: [u64; 8],
}

impl Strategy for Eps {
    fn handle_arrival(&mut self, response: &Response) {
        self.rotation.join(response.stream);
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        let urgency = ready
            .iter()
            .map(|r| r.priority().urgency)
            .min()
            .expect("something is ready");
        let mut longest: Option<(u64, usize)> = None;
        // The longest wait in the non-incremental sequence, and the index of its earliest
        // response.
        let mut sequence: Option<(u64, usize)> = None;
        self.rotation
            .last
            .each_ready(ready, |index, response, last| {
                if response.priority().urgency != urgency {
                    return;
                }
                if response.priority().incremental {
                    if longest.is_none_or(|(l, _)| *last < l) {
                        longest = Some((*last, index));
                    }
                } else {
                    let (since, first) = sequence.unwrap_or((*last, index));
                    sequence = Some((since.min(*last), first));
                }
            });
        if let Some((since, index)) = sequence {
            // A sequence that was idle joins at the back, like any other participant.
            let since = since.max(self.sequences[usize::from(urgency)]);
            if longest.is_none_or(|(l, _)| since < l) {
                longest = Some((since, index));
            }
        }
        let index = longest.expect("one has the lowest urgency value").1;
        self.rotation.handle_picked(ready[index].stream);
        index
    }

    fn handle_sent(&mut self, response: &Response, _bytes: u64) {
        if let Some(turn) = self.rotation.handle_sent(response.stream)
            && !response.priority().incremental
        {
            self.sequences[usize::from(response.priority().urgency)] = turn;
        }
    }

    fn handle_end(&mut self, stream: u64) {
        self.rotation.leave(stream);
    }
}
