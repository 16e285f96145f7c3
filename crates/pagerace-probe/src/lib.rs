//! Finds out from outside which scheduler of responses an HTTP/2 or HTTP/3 server runs.
//!
//! A [`Player`] is a slow client that plays a script: requests with priorities at moments,
//! updates and changes. Its trace says in which order the bytes of the responses arrived. The
//! same player runs against our server in virtual time ([`world`]) with every candidate
//! strategy on the measured path, and the nearest candidates are the answer.
//!
//! There is no socket and no clock here; `pagerace-live` has those.

pub mod behaviour;
pub mod candidate;
pub mod congestion;
pub mod find;
pub mod gate;
pub mod http2;
mod mixed;
pub mod model;
mod newest;
pub mod plan;
pub mod player;
pub mod probe;
mod ranks;
pub mod script;
pub mod shape;
mod steps;
pub mod trace;
pub mod verdict;
pub mod world;

pub use behaviour::{Behaviour, Heeded, Sharing};
pub use candidate::{Candidate, candidates};
pub use find::{Found, Subject};
pub use gate::{Brake, Pace};
pub use model::{Model, Path};
pub use plan::{Budget, Object, PlanError};
pub use player::{Job, Limits, Play, Player, Server, Target, USER_AGENT};
pub use probe::{Observed, ProbeError, Used, observe};
pub use script::{Kind, Script};
pub use shape::Shape;
pub use trace::{End, Trace};
pub use verdict::{Group, SCHEDULERS, Scale, Verdict, judge};
