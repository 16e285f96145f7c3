//! Tests of clients and servers over a pipe with a delay, a rate and losses.

mod layout;
mod loads;
mod pipe;
