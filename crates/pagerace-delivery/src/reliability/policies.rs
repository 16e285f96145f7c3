//! The policies, one file each.

pub(super) mod adaptive;
pub(super) mod datagram;
pub(super) mod deadline;
pub(super) mod fec;
pub(super) mod full;
pub(super) mod late;

#[cfg(test)]
mod tests;
