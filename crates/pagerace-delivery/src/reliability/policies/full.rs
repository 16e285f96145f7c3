//! Reliable delivery of all content, as in HTTP/3 today.

use crate::reliability::{Conditions, Delivery, Object, Policy, PolicyInfo, Takes};

pub(in crate::reliability) const INFO: PolicyInfo = PolicyInfo {
    name: "full",
    usage: "full",
    summary: "All content goes reliably on its stream, in the order of the strategy",
    source: "Srivastava 2024, section 5.9 (its baseline)",
    takes: Takes::Nothing,
    repairs: false,
    datagrams: false,
    late: false,
    build: |_| Box::new(Full),
};

struct Full;

impl Policy for Full {
    fn deliver(&mut self, _object: &Object, _path: &Conditions) -> Delivery {
        Delivery::Stream
    }
}
