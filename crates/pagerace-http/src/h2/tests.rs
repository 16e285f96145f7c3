//! Conversations between two ends, and tests of one end with crafted bytes.

mod conversations;
mod faults;
mod floods;
mod flow;
mod properties;
mod support;
