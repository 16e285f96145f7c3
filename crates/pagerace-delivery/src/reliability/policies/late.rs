//! Reliable delivery after all essential content. The policy shows whether unreliable
//! delivery has any benefit over priorities.

use crate::reliability::{Conditions, Delivery, Object, Policy, PolicyInfo, Takes};

pub(in crate::reliability) const INFO: PolicyInfo = PolicyInfo {
    name: "late",
    usage: "late[:SELECTION], such as late:fonts",
    summary: "Selected objects go reliably on their streams, new bytes and repairs after all others of the connection",
    source: "own",
    takes: Takes::Selection(false),
    repairs: false,
    datagrams: false,
    late: true,
    build: |_| Box::new(Late),
};

struct Late;

impl Policy for Late {
    fn deliver(&mut self, object: &Object, _path: &Conditions) -> Delivery {
        if object.nature.selected {
            Delivery::Late
        } else {
            Delivery::Stream
        }
    }
}
