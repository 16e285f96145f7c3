//! Whole loads through the public interface.

mod by_hand;
mod common;
mod discovery;
mod properties;
mod recordings;
mod requests;
mod signals;
