//! Conversations between two ends, and one end against crafted bytes.

mod conversations;
mod datagrams;
mod faults;
mod properties;
mod support;
