//! The `pagerace` command line.
fn main() {}
