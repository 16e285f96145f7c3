//! State that an earlier visit left in the browser.

use pagerace_core::names;
use serde::{Deserialize, Serialize};

names! {
    /// State that the browser has kept from an earlier visit to the page.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Visit as "visit" {
        /// No state.
        #[default]
        Cold = "cold",
        /// TLS tickets only. Names, connections and responses are forgotten, as in Zhou 2024.
        Resumed = "resumed",
        /// TLS tickets, names, open connections, and responses that may be stored.
        Warm = "warm",
    }
}
