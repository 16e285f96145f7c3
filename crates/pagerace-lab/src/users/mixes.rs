//! Mixes of users that public statistics describe.

use super::User;

/// The shares of visits that the quantiles of a [`Mix`] stand for: each reaches half-way to its
/// neighbours.
const SHARES: [f64; 5] = [17.5, 20.0, 25.0, 20.0, 17.5];

/// A mix with a name. It knows round trips, and neither rates nor losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// The name.
    pub name: &'static str,
    /// The users that it stands for, in a few words.
    pub summary: &'static str,
    /// The source of the numbers, and their derivation.
    pub source: &'static str,
    /// The quantiles 0.1, 0.25, 0.5, 0.75 and 0.9 of round trips in milliseconds.
    rtt_ms: [f64; 5],
}

/// The source of all mixes, which are of one month.
const SOURCE: &str = "https://treo.sh/rtt, quantiles over some 50,000 sites of the round trip in \
                      the Chrome UX Report of December 2024. That of a site is the one that three \
                      quarters of its visits do not exceed, as Chrome estimates it \
                      (navigator.connection.rtt)";

/// All mixes.
pub const MIXES: [Mix; 3] = [
    Mix {
        name: "crux",
        summary: "Chrome on all devices: median round trip 139 ms",
        source: SOURCE,
        rtt_ms: [84.0, 102.0, 139.0, 196.0, 265.0],
    },
    Mix {
        name: "crux-desktop",
        summary: "Chrome on desktop computers: median round trip 96 ms",
        source: SOURCE,
        rtt_ms: [64.0, 75.0, 96.0, 126.0, 173.0],
    },
    Mix {
        name: "crux-mobile",
        summary: "Chrome on phones: median round trip 151 ms",
        source: SOURCE,
        rtt_ms: [94.0, 114.0, 151.0, 209.0, 271.0],
    },
];

impl Mix {
    /// Returns the mix with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        MIXES.iter().find(|mix| mix.name == name)
    }

    /// Returns a user for each quantile, with its share of visits as weight.
    pub fn users(&self) -> Vec<User> {
        let each = (1..).zip(self.rtt_ms.into_iter().zip(SHARES));
        each.map(|(line, (rtt_ms, weight))| User {
            line,
            rtt_ms,
            down_mbps: None,
            loss_percent: None,
            up_mbps: None,
            cpu: None,
            weight,
        })
        .collect()
    }
}
