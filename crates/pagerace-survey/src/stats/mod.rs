//! The statistics of a survey, one method per file. Tests of ranks are those of
//! [`pagerace_lab::stats`].

pub mod agreement;
pub mod bradley_terry;
pub mod friedman;
pub mod share;

pub use agreement::{Scale, alpha};
pub use bradley_terry::{Davidson, Duel, davidson};
pub use friedman::{Friedman, friedman};
pub use share::{Share, detectable, sign_test};
