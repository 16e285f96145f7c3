//! Objects in numbered datagrams: how a server cuts them and a client reassembles them.
//! [`pagerace_http::object`] describes the wire format.

mod assembly;
mod cutter;
mod digest;
mod parity;
mod report;

pub(crate) use assembly::{Assembly, Step};
pub(crate) use cutter::{Cut, Cutter};
pub(crate) use digest::{Digests, digest_field};
pub use report::LossReport;
