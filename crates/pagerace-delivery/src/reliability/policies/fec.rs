//! Datagrams with parity: losses up to the share of parity cost no round trip.

use crate::reliability::{Conditions, Delivery, Object, Policy, PolicyInfo, Repair, Takes, Terms};

pub(in crate::reliability) const INFO: PolicyInfo = PolicyInfo {
    name: "fec",
    usage: "fec:RATIO[,repair][,SELECTION], such as fec:0.1,fonts",
    summary: "Selected objects go in datagrams with a share of Reed-Solomon parity; bytes that it \
              cannot restore are lost or, with repair, fetched by range requests after the \
              essential objects",
    source: "own",
    takes: Takes::Ratio,
    repairs: true,
    datagrams: true,
    late: false,
    build: |arguments| {
        Box::new(Parity {
            ratio: arguments.ratio.unwrap_or_default(),
            repair: arguments.repair,
        })
    },
};

struct Parity {
    ratio: f64,
    repair: bool,
}

impl Policy for Parity {
    fn deliver(&mut self, object: &Object, _path: &Conditions) -> Delivery {
        if !object.nature.selected {
            return Delivery::Stream;
        }
        // An essential object cannot wait until no essential object is outstanding.
        let when = if object.nature.essential {
            Repair::Now
        } else {
            Repair::Later
        };
        Delivery::Datagrams(Terms {
            parity: self.ratio,
            repair: self.repair.then_some(when),
            ..Terms::ONCE
        })
    }
}
