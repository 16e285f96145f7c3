//! A client and a server of one protocol, back to back.

mod peers;
mod tree;
