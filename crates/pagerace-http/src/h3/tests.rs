//! Conversations between two ends, and tests of one end with crafted bytes.

mod conversations;
mod datagrams;
mod faults;
mod properties;
mod support;
