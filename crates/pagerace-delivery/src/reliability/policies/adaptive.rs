//! Chooses a delivery for each object from its properties and the state of the path.
//!
//! - Objects that are not selected go on their streams.
//! - With a deadline, selected objects that are useful in part go in late datagrams. They
//!   stay incomplete after the deadline unless the received part is of no use. The other
//!   rules apply to all other selected objects.
//! - Objects that visible content waits for go on their streams: late fonts mean late text.
//!   So do objects that fit into three packets, as a delay of these gains nothing and
//!   changes the order of execution.
//! - Without loss, datagrams gain nothing, so objects go late on their streams.
//! - With loss, objects go in late datagrams while more than a congestion window of
//!   essential bytes waits on the connection. Lost data is not sent again before the
//!   essential objects are complete. It is then fetched by range requests, which take a
//!   round trip, so that no object stays broken.
//! - Otherwise objects go late on their streams, as a stream repairs losses sooner than a
//!   range request.

use pagerace_core::Duration;

use crate::reliability::{Conditions, Delivery, Object, Policy, PolicyInfo, Repair, Takes, Terms};

pub(in crate::reliability) const INFO: PolicyInfo = PolicyInfo {
    name: "adaptive",
    usage: "adaptive[:[TIME,]SELECTION], such as adaptive, adaptive:fonts or adaptive:2.5s",
    summary: "Chooses for each selected object from measured loss, congestion window and \
              remaining essential bytes between its stream, its stream after all others, and \
              datagrams that are repaired; never leaves an object broken that is needed whole. \
              With a time, objects that are useful in part are left as they are that long after \
              their request",
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

/// Loss rate below which retransmissions are too rare to matter.
const LOSS_MIN: f64 = 0.005;

/// Length in bytes below which an object stays on its stream: three packets delay nothing
/// else.
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
