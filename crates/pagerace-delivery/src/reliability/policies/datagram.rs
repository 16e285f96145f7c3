//! Datagrams without any repair, as in the thesis: lost data stays lost.

use crate::reliability::{Conditions, Delivery, Object, Policy, PolicyInfo, Takes, Terms};

pub(in crate::reliability) const INFO: PolicyInfo = PolicyInfo {
    name: "datagram",
    usage: "datagram:SELECTION, such as datagram:fonts,ads",
    summary: "Selected objects go once in datagrams, in the order of the strategy, and are not repaired",
    source: "Srivastava 2024, sections 5.8 and 5.9",
    takes: Takes::Selection(true),
    repairs: false,
    datagrams: true,
    late: false,
    build: |_| Box::new(Datagrams),
};

struct Datagrams;

impl Policy for Datagrams {
    fn deliver(&mut self, object: &Object, _path: &Conditions) -> Delivery {
        if object.nature.selected {
            Delivery::Datagrams(Terms::ONCE)
        } else {
            Delivery::Stream
        }
    }
}
