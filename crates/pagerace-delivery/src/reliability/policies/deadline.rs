//! Datagrams until a deadline, after which missing data is dropped or repaired.

use pagerace_core::Duration;

use crate::reliability::{Conditions, Delivery, Object, Policy, PolicyInfo, Repair, Takes, Terms};

pub(in crate::reliability) const INFO: PolicyInfo = PolicyInfo {
    name: "deadline",
    usage: "deadline:TIME[,repair][,SELECTION], such as deadline:500ms,repair,fonts",
    summary: "Selected objects go in datagrams until a time after their request; missing bytes \
              are then dropped or, with repair, fetched by range requests after the essential \
              objects",
    source: "own",
    takes: Takes::Time,
    repairs: true,
    datagrams: true,
    late: false,
    build: |arguments| {
        Box::new(Deadline {
            time: arguments.time,
            repair: arguments.repair.then_some(Repair::Later),
        })
    },
};

struct Deadline {
    time: Option<Duration>,
    repair: Option<Repair>,
}

impl Policy for Deadline {
    fn deliver(&mut self, object: &Object, _path: &Conditions) -> Delivery {
        if object.nature.selected {
            Delivery::Datagrams(Terms {
                deadline: self.time,
                repair: self.repair,
                ..Terms::ONCE
            })
        } else {
            Delivery::Stream
        }
    }
}
