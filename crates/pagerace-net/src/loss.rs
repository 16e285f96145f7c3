//! Models of packet loss on a link.
//!
//! Sources of the models: `tc-netem(8)`, `loss random` and `loss gemodel`; Hasslinger and
//! Hohlfeld, "The Gilbert-Elliott Model for Packet Loss in Real Time Services on the
//! Internet", MMB 2008.
//! Deviation from netem: the two-state models begin in a state drawn from their
//! stationary distribution, so that the mean loss holds from the first packet on; netem
//! begins in the good state. Left out: netem's correlation of successive draws, its
//! four-state model, and corruption.

use std::fmt;

use pagerace_core::Rng;
use serde::{Deserialize, Serialize};

use crate::units::Probability;

/// A loss model and its parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Loss {
    /// The link loses no packets other than those that the queue refuses or drops.
    #[default]
    None,
    /// Each packet is lost independently (Bernoulli).
    Random(Probability),
    /// Runs of losses: the simple Gilbert model, given by its measurable properties.
    Burst {
        /// The share of packets lost; less than one.
        mean: Probability,
        /// The mean length of a run of losses, in packets; at least one.
        length: f64,
    },
    /// The Gilbert-Elliott model, given by netem's four parameters.
    GilbertElliott {
        /// The probability per packet of moving from the good to the bad state.
        p: Probability,
        /// The probability per packet of moving from the bad to the good state.
        r: Probability,
        /// The probability of losing a packet in the bad state (netem's 1-h).
        lose_bad: Probability,
        /// The probability of losing a packet in the good state (netem's 1-k).
        lose_good: Probability,
    },
}

impl Loss {
    /// Returns the share of packets lost in the long run.
    ///
    /// In the two-state models, a share p/(p+r) of the packets falls into the bad state.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::Random(p) => p.as_f64(),
            Self::Burst { mean, .. } => mean.as_f64(),
            Self::GilbertElliott {
                p,
                r,
                lose_bad,
                lose_good,
            } => {
                let bad = bad_share(p.as_f64(), r.as_f64());
                bad * lose_bad.as_f64() + (1.0 - bad) * lose_good.as_f64()
            }
        }
    }

    /// Returns the parameters of a two-state model as (p, r, loss probability in the bad
    /// state, loss probability in the good state), or `None` for the other models.
    pub fn states(&self) -> Option<(f64, f64, f64, f64)> {
        match *self {
            Self::None | Self::Random(_) => None,
            Self::Burst { mean, length } => {
                // Mean loss = p/(p+r) and mean burst = 1/r, solved for p.
                let (m, r) = (mean.as_f64(), 1.0 / length);
                Some((r * m / (1.0 - m), r, 1.0, 0.0))
            }
            Self::GilbertElliott {
                p,
                r,
                lose_bad,
                lose_good,
            } => Some((
                p.as_f64(),
                r.as_f64(),
                lose_bad.as_f64(),
                lose_good.as_f64(),
            )),
        }
    }

    /// Rejects parameters that no Markov chain can have.
    pub(crate) fn check(&self) -> Result<(), String> {
        match *self {
            Self::Burst { mean, length } => {
                let m = mean.as_f64();
                if !(1.0..=1e6).contains(&length) {
                    return Err(format!(
                        "a mean burst of {length} packets is not in 1 to 1000000"
                    ));
                }
                if mean == Probability::ONE || m / (1.0 - m) > length {
                    return Err(format!(
                        "{mean} in bursts of {length} is impossible: the bursts would have to be \
                         longer"
                    ));
                }
                Ok(())
            }
            Self::GilbertElliott { p, r, .. } if p.is_zero() && r.is_zero() => {
                Err("p and r cannot both be 0%: the chain would never move".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Returns a description for people: `2% loss in bursts of 10 packets on average`.
    pub(crate) fn to_human(self) -> String {
        match self {
            Self::None => "no loss".to_owned(),
            Self::Random(p) => format!("{p} loss"),
            Self::Burst { mean, length } => {
                format!("{mean} loss in bursts of {length} packets on average")
            }
            Self::GilbertElliott { .. } => {
                format!(
                    "{:.2}% loss on average (Gilbert-Elliott)",
                    self.mean() * 100.0
                )
            }
        }
    }

    /// Writes the model in the syntax of the grammar, with `suffix` appended to its first word.
    pub(crate) fn spec(&self, suffix: &str) -> String {
        match *self {
            Self::None => format!("loss{suffix} 0%"),
            Self::Random(p) => format!("loss{suffix} {p}"),
            Self::Burst { mean, length } => format!("loss{suffix} {mean} burst {length}"),
            Self::GilbertElliott {
                p,
                r,
                lose_bad,
                lose_good,
            } => {
                format!("gemodel{suffix} {p} {r} {lose_bad} {lose_good}")
            }
        }
    }
}

impl fmt::Display for Loss {
    /// Writes the model in the syntax of the grammar: `loss 2% burst 10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec(""))
    }
}

/// The state of a loss model, which decides on each packet in order.
#[derive(Clone, Debug)]
pub(crate) struct LossProcess {
    rng: Rng,
    chain: Chain,
}

#[derive(Clone, Debug)]
enum Chain {
    Never,
    Random(f64),
    TwoStates {
        bad: bool,
        p: f64,
        r: f64,
        lose_bad: f64,
        lose_good: f64,
    },
}

impl LossProcess {
    /// Creates the process of `loss` with its own random numbers.
    pub(crate) fn new(loss: &Loss, mut rng: Rng) -> Self {
        let chain = match (*loss, loss.states()) {
            (Loss::Random(p), _) => Chain::Random(p.as_f64()),
            (_, Some((p, r, lose_bad, lose_good))) => {
                let bad = rng.chance(bad_share(p, r));
                Chain::TwoStates {
                    bad,
                    p,
                    r,
                    lose_bad,
                    lose_good,
                }
            }
            _ => Chain::Never,
        };
        Self { rng, chain }
    }

    /// Returns true if the next packet is lost.
    pub(crate) fn loses_next(&mut self) -> bool {
        match &mut self.chain {
            Chain::Never => false,
            Chain::Random(p) => self.rng.chance(*p),
            // As in netem, the state before the transition decides.
            Chain::TwoStates {
                bad,
                p,
                r,
                lose_bad,
                lose_good,
            } => {
                let lost = self.rng.chance(if *bad { *lose_bad } else { *lose_good });
                *bad ^= self.rng.chance(if *bad { *r } else { *p });
                lost
            }
        }
    }
}

/// Returns the stationary share of the bad state. A chain without transitions stays in
/// the good state.
fn bad_share(p: f64, r: f64) -> f64 {
    if p + r > 0.0 { p / (p + r) } else { 0.0 }
}

#[cfg(test)]
mod tests;
