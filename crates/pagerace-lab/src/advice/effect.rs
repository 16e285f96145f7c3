//! Effects of changes on a metric: on each network, and for those who use them.

use crate::analysis::central;
use crate::metric::MetricId;
use crate::results::Results;
use crate::stats::{finite, median, weighted_quantile};

/// The share of the metric that an effect has to exceed: smaller ones are not worth a change, and
/// two loads in a browser differ by as much.
const WORTH: f64 = 0.03;
/// The quantile over users that counts, as in Core Web Vitals
/// (<https://web.dev/articles/defining-core-web-vitals-thresholds>).
const QUANTILE: f64 = 0.75;
/// The share of users above which their losses count more than the gains of others.
const LOSERS: f64 = 0.1;

/// The effect of changes on a metric, in milliseconds. Negative is sooner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Median without the changes.
    pub before: f64,
    /// Median of the paired differences.
    pub difference: f64,
    /// The central 80 % of them.
    pub range: (f64, f64),
    /// Median with the changes.
    pub after: f64,
    /// The central 80 % of the times with the changes.
    pub after_range: (f64, f64),
}

/// The effects of changes on one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    /// The metric.
    pub metric: MetricId,
    /// The effect over each network; `None` where the metric has no value.
    pub networks: Vec<Option<Effect>>,
    /// The effect on all users; `None` if networks count by themselves.
    pub users: Option<OnUsers>,
}

/// The effect of changes on users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnUsers {
    /// The effect on the 75th percentile over the users, as each world has it.
    pub quantile: Effect,
    /// The share of users for whom the changes gain.
    pub gaining: f64,
    /// The share of users whom they harm.
    pub losing: f64,
}

/// The worth of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// Sooner in nine of ten worlds, by 3 % or more.
    Gains,
    /// Too small, or not the same in all worlds.
    Nothing,
    /// Later in nine of ten worlds, by 3 % or more.
    Harms,
}

impl Effect {
    /// Returns what the effect amounts to.
    pub fn worth(&self) -> Worth {
        let least = WORTH * self.before;
        if self.difference <= -least && self.range.1 < 0.0 {
            Worth::Gains
        } else if self.difference >= least && self.range.0 > 0.0 {
            Worth::Harms
        } else {
            Worth::Nothing
        }
    }

    /// Returns the difference as a share of the time before.
    fn share(&self) -> f64 {
        self.difference / self.before
    }

    /// Compares paired values; `None` without finite ones.
    fn of(pairs: &[(Option<f64>, Option<f64>)]) -> Option<Self> {
        let before: Vec<f64> = pairs.iter().filter_map(|(before, _)| *before).collect();
        let after: Vec<f64> = pairs.iter().filter_map(|(_, after)| *after).collect();
        let both = pairs.iter().filter_map(|(a, b)| Some((*b)? - (*a)?));
        let both: Vec<f64> = both.filter(|one| !one.is_nan()).collect();
        Some(Self {
            before: finite(median(&before))?,
            difference: finite(median(&both))?,
            range: central(&both, 0.8)?,
            after: finite(median(&after))?,
            after_range: central(&after, 0.8)?,
        })
    }
}

impl Effects {
    /// Returns the effects of what tells the contender from `base`, both on the only page.
    /// `shares` are those of the users on each network, if they count.
    pub fn between(
        results: &Results,
        base: usize,
        contender: usize,
        metric: MetricId,
        shares: &[f64],
    ) -> Self {
        let values = |network: usize, contender: usize| {
            results.variant(0, network, contender).values(metric)
        };
        let networks = 0..results.plan.networks.len();
        let pairs: Vec<Vec<_>> = networks
            .map(|network| {
                let (before, after) = (values(network, base), values(network, contender));
                before.into_iter().zip(after).collect()
            })
            .collect();
        let networks: Vec<Option<Effect>> = pairs.iter().map(|one| Effect::of(one)).collect();
        let users = (!shares.is_empty())
            .then(|| on_users(&pairs, &networks, shares))
            .flatten();
        Self {
            metric,
            networks,
            users,
        }
    }

    /// Returns what the changes amount to. Without users, they gain if they do on one network, and
    /// are not later by 3 % on any. With users, the 75th percentile decides, unless they harm a
    /// tenth of the users.
    pub fn worth(&self) -> Worth {
        if let Some(users) = &self.users {
            return match users.quantile.worth() {
                Worth::Gains if users.losing >= LOSERS => Worth::Harms,
                worth => worth,
            };
        }
        let effects = self.networks.iter().flatten();
        let mut all = effects.clone().map(Effect::worth);
        match all.clone().max() {
            Some(Worth::Harms) => Worth::Harms,
            // A delay on another network, even if not in all worlds, leaves no clear gain.
            _ if effects.clone().any(|one| one.share() >= WORTH) => Worth::Nothing,
            _ if all.any(|one| one == Worth::Gains) => Worth::Gains,
            _ => Worth::Nothing,
        }
    }

    /// Returns the change of the 75th percentile over users, or else the mean change over the
    /// networks, as a share of the metric.
    pub fn mean(&self) -> f64 {
        if let Some(users) = &self.users {
            return users.quantile.share();
        }
        let sum: f64 = self.networks.iter().flatten().map(Effect::share).sum();
        sum / self.networks.len().max(1) as f64
    }

    /// Returns true if the metric moves on some network. Gains on one network and losses on
    /// another may have a mean of nothing.
    pub(super) fn moves(&self) -> bool {
        let mut all = self.networks.iter().flatten();
        all.any(|one| one.share().abs() >= WORTH / 3.0)
    }
}

/// Returns the effect on the users, of whom `shares` are on each network. Run k of all networks
/// is one world.
fn on_users(
    pairs: &[Vec<(Option<f64>, Option<f64>)>],
    networks: &[Option<Effect>],
    shares: &[f64],
) -> Option<OnUsers> {
    let runs = pairs.iter().map(Vec::len).min()?;
    let quantile = |values: &dyn Fn(usize) -> Option<f64>| {
        let all = shares.iter().enumerate();
        let all = all.map(|(network, share)| Some((values(network)?, *share)));
        weighted_quantile(&all.collect::<Option<Vec<_>>>()?, QUANTILE)
    };
    let worlds: Vec<_> = (0..runs)
        .map(|run| {
            (
                quantile(&|network| pairs[network][run].0),
                quantile(&|network| pairs[network][run].1),
            )
        })
        .collect();
    let with = |wanted: Worth| -> f64 {
        let all = networks.iter().zip(shares);
        let such = all.filter(|(effect, _)| effect.is_some_and(|one| one.worth() == wanted));
        such.fold(0.0, |sum, (_, share)| sum + share)
    };
    Some(OnUsers {
        quantile: Effect::of(&worlds)?,
        gaining: with(Worth::Gains),
        losing: with(Worth::Harms),
    })
}
