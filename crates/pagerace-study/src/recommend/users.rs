//! The mix of networks that measured users have.

use super::feature::NetworkFacts;

/// The columns of a file of users. The first one is required.
const COLUMNS: [&str; 5] = ["rtt_ms", "down_mbps", "loss_percent", "up_mbps", "weight"];
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
    /// The weight.
    pub weight: f64,
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
/// `loss_percent`, `up_mbps` and `weight`, in any order, and a number in each field.
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
    let mut users = Vec::new();
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
            weight: value("weight")?.unwrap_or(1.0),
        });
    }
    if users.iter().all(|user| user.weight <= 0.0) {
        return Err("has no users, or none with a weight above 0".to_owned());
    }
    Ok(users)
}

/// Parses the field of a column.
fn number(line: usize, column: &str, field: &str) -> Result<f64, String> {
    let (valid, expected): (fn(f64) -> bool, _) = match column {
        "down_mbps" | "up_mbps" => (|value| value > 0.0, "a number above 0"),
        "loss_percent" => (
            |value| (0.0..=100.0).contains(&value),
            "a number from 0 to 100",
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
        let near = |network: &NetworkFacts| (distance(user, network), network.loss_percent);
        let (place, (far, _)) = networks
            .iter()
            .map(near)
            .enumerate()
            .min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))
            .expect("there are networks");
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
