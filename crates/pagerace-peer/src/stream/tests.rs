//! Tests of a client and a server of one protocol, connected directly.

mod peers;
mod tree;
