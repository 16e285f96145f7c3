//! Chooses for each object, by what it is and how the path is doing.
//!
//! - What is not selected goes on its stream, and so does what something that is seen
//!   waits for: late fonts are late text. So does what fits into three packets: putting
//!   it off gains nothing, and moves what runs when.
//! - Without loss datagrams gain nothing: selected objects go late.
//! - With loss, while more than a round trip's worth of essential bytes waits on the
//!   connection, selected objects go late in datagrams: what they lose is not sent again
//!   before the essentials are through. Then it is fetched by ranges, which takes that
//!   round trip, so that nothing is left broken.
//! - Otherwise a stream repairs sooner than a range request does: late.
//! - With a deadline, what can be used in part is left as it is after it.

use pagerace_core::Duration;

use crate::reliability::{Conditions, Delivery, Object, Policy, PolicyInfo, Repair, Takes, Terms};

pub(in crate::reliability) const INFO: PolicyInfo = PolicyInfo {
    name: "adaptive",
    usage: "adaptive[:[TIME,]SELECTION], such as adaptive, adaptive:fonts or adaptive:2.5s",
    summary: "Chooses for each selected object from measured loss, congestion window and remaining essential bytes between its stream, later, and datagrams that are repaired; leaves broken nothing that must be whole. With a time, what can be used in part is left as it is that long after its request",
    source: "own",
    takes: Takes::MaybeTime,
    repairs: false,
    datagrams: true,
    late: true,
    build: |arguments| {
        Box::new(Adaptive {
            deadline: arguments.time,
        })
    },
};

/// Share of losses below which repairs are too rare to matter.
const LOSS_MIN: f64 = 0.005;

/// Bytes; what fits into three packets is in nobody's way.
const LENGTH_MIN: u64 = 3_600;

struct Adaptive {
    deadline: Option<Duration>,
}

impl Policy for Adaptive {
    fn deliver(&mut self, object: &Object, path: &Conditions) -> Delivery {
        let in_part = !object.nature.whole && self.deadline.is_some();
        if !object.nature.selected || (object.nature.seen && !in_part) {
            return Delivery::Stream;
        }
        if object.length < LENGTH_MIN && !in_part {
            return Delivery::Stream;
        }
        let lossy = path.loss().is_some_and(|loss| loss >= LOSS_MIN);
        if in_part {
            return Delivery::Datagrams(Terms {
                late: true,
                deadline: self.deadline,
                repair: Some(Repair::IfUseless),
                ..Terms::ONCE
            });
        }
        if lossy && path.urgent_left > path.window {
            return Delivery::Datagrams(Terms {
                late: true,
                repair: Some(Repair::Later),
                ..Terms::ONCE
            });
        }
        Delivery::Late
    }
}
