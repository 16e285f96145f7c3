//! Users: their networks and processors, as measured or as public statistics describe them.
//!
//! * [`parse`] reads a file of users, one by one or as quantiles;
//! * [`mixes`] are users that public statistics describe;
//! * [`assign`] gives each user the nearest of some networks;
//! * [`crowds`] makes a few typical users of many.

mod crowd;
pub mod mixes;

use pagerace_browser::config::CPU;
use pagerace_net::Network;
use serde::Serialize;

pub use crowd::{Crowd, crowds};

/// The columns of a file of users. The first one is required.
const COLUMNS: [&str; 7] = [
    "rtt_ms",
    "down_mbps",
    "loss_percent",
    "up_mbps",
    "cpu",
    "weight",
    "quantile",
];
/// The number of columns that are required.
const REQUIRED: usize = 1;
/// The loss, in percentage points, that is as far as a factor of e in the round trip or a rate.
const LOSS_UNIT: f64 = 1.0;
/// The shortest round trip that distances tell apart, in milliseconds.
const RTT_MIN: f64 = 0.1;

/// A user, or several who measured the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct User {
    /// The line of the file, from 1.
    pub line: usize,
    /// The round trip in milliseconds.
    pub rtt_ms: f64,
    /// The rate of the downlink in Mbit/s, if measured.
    pub down_mbps: Option<f64>,
    /// The packets lost in per cent, if measured.
    pub loss_percent: Option<f64>,
    /// The rate of the uplink in Mbit/s, if measured.
    pub up_mbps: Option<f64>,
    /// The slow-down of the processor, as a browser's settings have it, if measured. Networks do
    /// not differ in it.
    pub cpu: Option<f64>,
    /// The weight.
    pub weight: f64,
}

/// The properties of a network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NetworkFacts {
    /// The round-trip propagation delay in milliseconds.
    pub rtt_ms: f64,
    /// The long-run rate of the downlink in Mbit/s.
    pub down_mbps: f64,
    /// The long-run rate of the uplink in Mbit/s.
    pub up_mbps: f64,
    /// The packets that the downlink loses in the long run, in per cent.
    pub loss_percent: f64,
}

impl NetworkFacts {
    /// Returns the properties of `network`.
    pub fn of(network: &Network) -> Self {
        let mbps = |rate: &pagerace_net::Rate| rate.mean().bits_per_second() as f64 / 1e6;
        Self {
            rtt_ms: network.rtt().as_millis_f64(),
            down_mbps: mbps(&network.down.rate),
            up_mbps: mbps(&network.up.rate),
            loss_percent: network.down.loss.mean() * 100.0,
        }
    }
}

/// Users by their nearest networks.
#[derive(Clone, Debug, PartialEq)]
pub struct Assigned {
    /// The number of users by network. A line stands for as many as its weight says.
    pub networks: Vec<f64>,
    /// The line and network of the user that is farthest from its network, and the distance.
    pub farthest: (usize, usize, f64),
    /// The lines of users outside the range of the networks, each with the column and the number
    /// of users.
    pub outside: Vec<(usize, &'static str, f64)>,
}

impl Assigned {
    /// Returns the number of all users.
    pub fn count(&self) -> f64 {
        self.networks.iter().sum()
    }

    /// Returns the number of users outside the range of the networks.
    pub fn outside(&self) -> f64 {
        self.outside.iter().map(|(_, _, users)| users).sum()
    }
}

/// Parses a CSV file of users: a header with `rtt_ms` and optionally `down_mbps`,
/// `loss_percent`, `up_mbps`, `cpu` and `weight`, in any order, and a number in each field. With
/// `quantile` in place of `weight`, each line stands for the users half-way to its neighbours.
///
/// # Errors
/// The line and column of a mistake, the text found, and the text expected.
pub fn parse(text: &str) -> Result<Vec<User>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines());
    let (_, header) = lines.next().ok_or_else(|| {
        format!(
            "is empty; the first line names columns: {}",
            COLUMNS.join(",")
        )
    })?;
    let names: Vec<&str> = header.split(',').map(unquoted).collect();
    for (place, name) in names.iter().enumerate() {
        if !COLUMNS.contains(name) {
            return Err(format!(
                "line 1: `{name}` is no column of users; use {}",
                COLUMNS.join(", ")
            ));
        }
        if names[..place].contains(name) {
            return Err(format!("line 1: the column {name} is there twice"));
        }
    }
    for name in &COLUMNS[..REQUIRED] {
        if !names.contains(name) {
            return Err(format!("line 1: lacks the column {name}"));
        }
    }
    let is_quantiles = names.contains(&"quantile");
    if is_quantiles && names.contains(&"weight") {
        return Err("line 1: has both weight and quantile; leave out one".to_owned());
    }
    let mut users: Vec<User> = Vec::new();
    let mut quantiles: Vec<f64> = Vec::new();
    for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
        let fields: Vec<&str> = text.split(',').map(unquoted).collect();
        if fields.len() != names.len() {
            return Err(format!(
                "line {line}: has {} fields, and the header {}",
                fields.len(),
                names.len()
            ));
        }
        let value = |column: &str| {
            let place = names.iter().position(|name| *name == column);
            place
                .map(|place| number(line, column, fields[place]))
                .transpose()
        };
        users.push(User {
            line,
            rtt_ms: value("rtt_ms")?.expect("it was checked"),
            down_mbps: value("down_mbps")?,
            loss_percent: value("loss_percent")?,
            up_mbps: value("up_mbps")?,
            cpu: value("cpu")?,
            weight: value("weight")?.unwrap_or(1.0),
        });
        if let Some(next) = value("quantile")? {
            if let Some(last) = quantiles.last().filter(|last| **last >= next) {
                return Err(format!(
                    "line {line}: column quantile: {next} follows {last}; write quantiles in \
                     ascending order"
                ));
            }
            quantiles.push(next);
        }
    }
    for (user, share) in users.iter_mut().zip(shares(&quantiles)) {
        user.weight = share;
    }
    if users.iter().all(|user| user.weight <= 0.0) {
        return Err("has no users, or none with a weight above 0".to_owned());
    }
    Ok(users)
}

/// Returns the shares of users that ascending quantiles stand for: each reaches half-way to its
/// neighbours.
fn shares(quantiles: &[f64]) -> Vec<f64> {
    let middles = quantiles
        .windows(2)
        .map(|pair| f64::midpoint(pair[0], pair[1]));
    let ends: Vec<f64> = middles.chain([1.0]).collect();
    let starts = std::iter::once(0.0).chain(ends.iter().copied());
    starts
        .zip(&ends)
        .map(|(start, end)| end - start)
        .take(quantiles.len())
        .collect()
}

/// Parses the field of a column.
fn number(line: usize, column: &str, field: &str) -> Result<f64, String> {
    let (valid, expected): (fn(f64) -> bool, _) = match column {
        "down_mbps" | "up_mbps" => (|value| value > 0.0, "a number above 0"),
        "loss_percent" => (
            |value| (0.0..=100.0).contains(&value),
            "a number from 0 to 100",
        ),
        "cpu" => (
            |value| CPU.contains(&value),
            "a slow-down from 0.01 to 1000",
        ),
        "quantile" => (
            |value| value > 0.0 && value < 1.0,
            "a number above 0 and below 1",
        ),
        _ => (|value| value >= 0.0, "a number from 0"),
    };
    let parsed = field.parse().ok();
    parsed
        .filter(|value: &f64| value.is_finite() && valid(*value))
        .ok_or_else(|| format!("line {line}: column {column}: `{field}` is not {expected}"))
}

/// Gives each user the nearest of `networks`. A distance of 1 is a factor of e in the round trip
/// or a rate, or one percentage point of loss. A property that was not measured does not count; of
/// networks that are equally near, the one with less loss is taken, then the first.
///
/// # Panics
/// Panics without networks or users.
pub fn assign(users: &[User], networks: &[NetworkFacts]) -> Assigned {
    let mut all = Assigned {
        networks: vec![0.0; networks.len()],
        farthest: (0, 0, -1.0),
        outside: Vec::new(),
    };
    for user in users {
        let (place, far) = nearest(user, networks);
        all.networks[place] += user.weight;
        if far > all.farthest.2 {
            all.farthest = (user.line, place, far);
        }
        all.outside.extend(
            outside(user, networks)
                .into_iter()
                .map(|column| (user.line, column, user.weight)),
        );
    }
    all
}

/// Returns the place of the nearest network, and its distance.
fn nearest(user: &User, networks: &[NetworkFacts]) -> (usize, f64) {
    let near = |network: &NetworkFacts| (distance(user, network), network.loss_percent);
    let all = networks.iter().map(near).enumerate();
    let nearest = all.min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (place, (far, _)) = nearest.expect("there are networks");
    (place, far)
}

fn distance(user: &User, network: &NetworkFacts) -> f64 {
    let factor = |a: f64, b: f64| libm::log(a / b);
    let rtt = factor(user.rtt_ms.max(RTT_MIN), network.rtt_ms.max(RTT_MIN));
    let rate = |own: Option<f64>, other| own.map_or(0.0, |own| factor(own, other));
    let down = rate(user.down_mbps, network.down_mbps);
    let up = rate(user.up_mbps, network.up_mbps);
    let loss = user
        .loss_percent
        .map_or(0.0, |loss| (loss - network.loss_percent) / LOSS_UNIT);
    (rtt * rtt + down * down + up * up + loss * loss).sqrt()
}

/// Returns the first column in which a user lies outside the range of all networks.
fn outside(user: &User, networks: &[NetworkFacts]) -> Option<&'static str> {
    let beyond = |value: Option<f64>, of: fn(&NetworkFacts) -> f64| {
        let below = networks.iter().all(|network| value < Some(of(network)));
        let above = networks.iter().all(|network| value > Some(of(network)));
        value.is_some() && (below || above)
    };
    let columns = [
        (
            "rtt_ms",
            beyond(Some(user.rtt_ms), |network| network.rtt_ms),
        ),
        (
            "down_mbps",
            beyond(user.down_mbps, |network| network.down_mbps),
        ),
        (
            "loss_percent",
            beyond(user.loss_percent, |network| network.loss_percent),
        ),
        ("up_mbps", beyond(user.up_mbps, |network| network.up_mbps)),
    ];
    let found = columns.into_iter().find(|(_, beyond)| *beyond);
    found.map(|(name, _)| name)
}

/// Returns a field without spaces and quotes around it.
fn unquoted(field: &str) -> &str {
    let field = field.trim();
    let inner = field
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(field).trim()
}

#[cfg(test)]
mod tests;
