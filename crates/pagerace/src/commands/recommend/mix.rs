//! The shares of users on each network.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Error, Result, bail};
use pagerace_lab::unit::percent;
use pagerace_lab::users::mixes::{self, MIXES};
use pagerace_lab::users::{self, Assigned, NetworkFacts, User};
use pagerace_net::Network;
use pagerace_papers::NETWORKS;
use pagerace_study::plan::mixes_of;

use super::RecommendArgs;
use crate::cli::inputs::read_users;
use crate::cli::warn::warn;
use crate::lists::split_all;

/// A mix of networks as the user gave it.
pub(super) enum Mix {
    Equal,
    Weights(Vec<(String, f64)>),
    /// Users that public statistics describe.
    Public(&'static mixes::Mix),
    Users(Vec<User>, String),
}

/// Weights of networks.
pub(super) struct Shares {
    pub(super) weights: BTreeMap<String, f64>,
    /// The origin of the weights, for people.
    pub(super) text: String,
}

/// Networks with their properties, or the reason why those are not known.
type Known = BTreeMap<String, Result<NetworkFacts, String>>;

/// Returns the properties of networks. Their texts are those of races; paths of traces are
/// relative to `folder`.
pub(super) fn facts(names: &[String], folder: &Path) -> Known {
    let of = |name: &String| {
        let network =
            Network::parse_with(name, &NETWORKS, folder).map_err(|error| error.to_string());
        let facts = network.map(|network| NetworkFacts::of(&network));
        (name.clone(), facts)
    };
    names.iter().map(of).collect()
}

impl Mix {
    /// Reads `--mix` or `--users`, before long work.
    pub(super) fn read(args: &RecommendArgs, plan: Option<&str>) -> Result<Self> {
        if let [name] = &args.mix[..]
            && !name.contains('=')
        {
            let place = || args.input.display().to_string();
            let known = plan.map(mixes_of).transpose().map_err(Error::msg);
            let known = known.with_context(place)?;
            let names = known.as_ref().map_or_else(
                || "which results do not hold".to_owned(),
                |known| match known.keys().map(String::as_str).collect::<Vec<_>>() {
                    none if none.is_empty() => "which has none".to_owned(),
                    names => format!("which has {}", names.join(", ")),
                },
            );
            let mut known = known.unwrap_or_default();
            // A plan may use any name for its own mixes.
            let own = known.remove(name);
            let own = own.map(|weights| Self::Weights(weights.into_iter().collect()));
            let found = own.or_else(|| mixes::Mix::named(name).map(Self::Public));
            return found.with_context(|| {
                format!(
                    "--mix: `{name}` is neither as cable=5 nor a [mix] of the plan, {names}; \
                     without a plan, use {}",
                    MIXES.map(|mix| mix.name).join(", ")
                )
            });
        }
        if let Some(path) = &args.users {
            return Ok(Self::Users(read_users(path)?, path.display().to_string()));
        }
        let mut weights: Vec<(String, f64)> = Vec::new();
        for item in split_all("mix", &args.mix)? {
            let parsed = item.rsplit_once('=').and_then(|(name, weight)| {
                let weight: f64 = weight.trim().parse().ok()?;
                (weight.is_finite() && weight >= 0.0).then(|| (name.trim().to_owned(), weight))
            });
            let Some((name, weight)) = parsed else {
                bail!("--mix: `{item}` is not as cable=5: a network, and a weight of at least 0");
            };
            if weights.iter().any(|(other, _)| *other == name) {
                bail!("--mix: the network {name} is given twice");
            }
            weights.push((name, weight));
        }
        if !weights.is_empty() && weights.iter().all(|(_, weight)| *weight <= 0.0) {
            bail!("--mix: no network has a weight above 0");
        }
        Ok(if weights.is_empty() {
            Self::Equal
        } else {
            Self::Weights(weights)
        })
    }

    /// Returns the weights of these networks.
    pub(super) fn shares(self, networks: &Known) -> Result<Shares> {
        for (name, facts) in networks {
            if let Err(reason) = facts {
                warn(&format!("the properties of {name} are not known: {reason}"));
            }
        }
        match self {
            Self::Equal => Ok(Shares {
                weights: networks.keys().map(|name| (name.clone(), 1.0)).collect(),
                text: "networks count equally; --mix or --users weights them".to_owned(),
            }),
            Self::Weights(weights) => {
                let unknown = weights
                    .iter()
                    .find(|(name, _)| !networks.contains_key(name));
                if let Some((name, _)) = unknown {
                    let known: Vec<&str> = networks.keys().map(String::as_str).collect();
                    bail!(
                        "--mix: no load has the network `{name}`; there are {}",
                        known.join(", ")
                    );
                }
                Ok(Shares {
                    weights: weights.into_iter().collect(),
                    text: "networks weighted by --mix".to_owned(),
                })
            }
            Self::Users(users, file) => of_users(&users, &file, networks),
            Self::Public(mix) => of_mix(mix, networks),
        }
    }
}

/// Gives each user its nearest network. `option` has the users.
fn assign(option: &str, users: &[User], networks: &Known) -> Result<Assigned> {
    let mut known = Vec::new();
    for (name, facts) in networks {
        match facts {
            Ok(facts) => known.push(*facts),
            Err(_) => bail!(
                "{option}: the properties of {name} are not known; give weights, as in \
                 --mix '{name}=1'"
            ),
        }
    }
    Ok(users::assign(users, &known))
}

/// Returns the weights of networks by the users that they are nearest to.
fn weights(assigned: &Assigned, networks: &Known) -> BTreeMap<String, f64> {
    let weights = networks.keys().zip(&assigned.networks);
    weights
        .map(|(name, users)| (name.clone(), *users))
        .collect()
}

/// Returns the weights of a mix, which knows round trips alone.
fn of_mix(mix: &mixes::Mix, networks: &Known) -> Result<Shares> {
    let users = mix.users();
    let assigned = assign("--mix", &users, networks)?;
    if !assigned.outside.is_empty() {
        warn(&format!(
            "--mix {}: {} of visits have round trips outside the range of the networks; they count \
             for the nearest one",
            mix.name,
            percent(assigned.outside() / assigned.count()),
        ));
    }
    Ok(Shares {
        weights: weights(&assigned, networks),
        text: format!("networks weighted by the round trips of {}", mix.name),
    })
}

/// Returns the weights of the users of a file.
fn of_users(users: &[User], file: &str, networks: &Known) -> Result<Shares> {
    let names: Vec<&String> = networks.keys().collect();
    let assigned = assign("--users", users, networks)?;
    if let Some((line, column, _)) = assigned.outside.first() {
        warn(&format!(
            "{file}: {} of {} outside the range of the networks, first line {line} ({column}); \
             they count for the nearest network",
            number(assigned.outside()),
            counted_users(assigned.count()),
        ));
    }
    let (line, place, distance) = assigned.farthest;
    let counts = names.iter().zip(&assigned.networks);
    let counts = counts.map(|(name, users)| format!("{name} {}", number(*users)));
    let counts: Vec<String> = counts.collect();
    Ok(Shares {
        weights: weights(&assigned, networks),
        text: format!(
            "networks weighted by the {} of {}: {}; the farthest, line {line}, is {distance:.1} from \
             {} (1 is a factor of 2.7 in round trip or rate, or one point of loss)",
            counted_users(assigned.count()),
            Path::new(file).display(),
            counts.join(", "),
            names[place]
        ),
    })
}

/// Formats a sum of weights, which need not be whole.
fn number(users: f64) -> String {
    let rounded = (users * 10.0).round() / 10.0;
    rounded.to_string()
}

fn counted_users(users: f64) -> String {
    match number(users).as_str() {
        "1" => "1 user".to_owned(),
        many => format!("{many} users"),
    }
}

/// Returns the networks with their shares of users, for people.
pub(super) fn listed(networks: &[(String, f64)]) -> String {
    let of = |(name, share): &(String, f64)| format!("{name} {}", percent(*share));
    networks.iter().map(of).collect::<Vec<String>>().join(", ")
}
