//! Corpora of recordings: which content delivery networks serve them over which version of
//! HTTP, and what HTTP/3 gains there (Zhou 2024).
//!
//! * [`provider`]: the content delivery networks, and how their responses are told;
//! * [`corpus`]: the pages with the provider of each request, and the hosts that speak HTTP/3;
//! * [`experiment`]: pairs of loads over HTTP/2 and HTTP/3, on first and consecutive visits;
//! * [`findings`]: shares, groups and trends over the pages;
//! * [`cluster`]: two groups of pages by the hosts that they share;
//! * [`row`]: the rows of requests.
//!
//! This crate does not depend on how a page load is simulated: the simulator is passed in as a
//! [`Runner`](pagerace_lab::Runner).

pub mod cluster;
pub mod corpus;
pub mod experiment;
pub mod findings;
pub mod provider;
pub mod row;

pub use corpus::{Corpus, CorpusPage, Evidence, Http3Hosts};
pub use experiment::{Experiment, Pairs};
pub use findings::Findings;
pub use provider::Provider;
