//! Conversations between two ends, and one end against crafted bytes.

mod conversations;
mod faults;
mod floods;
mod flow;
mod properties;
mod support;
