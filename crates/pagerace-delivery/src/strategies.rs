//! The strategies, one file each. Each file names the document that it follows.

pub mod batched_round_robin;
pub mod eps;
pub mod fifo;
pub mod firefox_eps;
pub mod firefox_group;
pub mod firefox_tree;
pub mod h2_tree;
pub mod hybrid;
pub mod round_robin;
pub mod sequential;
pub mod weighted_incremental;
pub mod weighted_round_robin;
