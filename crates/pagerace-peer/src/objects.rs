//! Objects in numbered datagrams: how a server cuts them, and how a client puts them
//! together again. What travels is told in [`pagerace_http::object`].

mod assembly;
mod cutter;
mod digest;
mod parity;
mod report;

pub(crate) use assembly::{Assembly, Step};
pub(crate) use cutter::{Cut, Cutter};
pub(crate) use digest::{Digests, digest_field};
pub use report::LossReport;
