//! What commands share: groups of arguments, and what is made of them. Nothing here knows a
//! command.

#[cfg(feature = "filter-lists")]
mod ad_list;
pub(crate) mod files;
pub(crate) mod film;
pub(crate) mod groups;
pub(crate) mod inputs;
pub(crate) mod interventions;
#[cfg(feature = "study")]
pub(crate) mod markdown;
pub(crate) mod measured;
pub(crate) mod model;
pub(crate) mod needs;
pub(crate) mod origin_rtt;
pub(crate) mod plan;
#[cfg(feature = "study")]
pub(crate) mod sections;
pub(crate) mod simulate;
pub(crate) mod values;
pub(crate) mod warn;
#[cfg(feature = "study")]
pub(crate) mod words;
