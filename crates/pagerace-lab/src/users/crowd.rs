//! A few typical users in place of many.
//!
//! Groups of users are halved where they differ most, as the median cut halves colours (Heckbert
//! 1982, "Color image quantization for frame buffer display"). Differences are those of
//! [`assign`](super::assign): a factor of e in a round trip, a rate or a processor is as far as a
//! percentage point of loss.

use pagerace_net::Network;

use super::{LOSS_UNIT, NetworkFacts, RTT_MIN, User, nearest};

/// The properties of users that count, in one scale.
const DIMENSIONS: usize = 5;
/// The sum of squared differences up to which users are the same: sums of equal values round.
const ALIKE: f64 = 1e-9;

/// Users who are much alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowd {
    /// Their network; its name tells what is typical of them.
    pub network: Network,
    /// The slow-down of their processors.
    pub cpu: f64,
    /// Their share of all users.
    pub weight: f64,
}

/// A user with a value in each dimension.
#[derive(Clone)]
struct Point {
    values: [f64; DIMENSIONS],
    weight: f64,
    /// The place of the nearest network.
    nearest: usize,
}

/// Returns at most `most` typical users. What was not measured of a user is that of the nearest of
/// `networks`, and the processor `cpu`.
///
/// # Errors
/// A value that no network can have.
///
/// # Panics
/// Panics without users or networks.
pub fn crowds(
    users: &[User],
    networks: &[Network],
    most: usize,
    cpu: f64,
) -> Result<Vec<Crowd>, String> {
    let facts: Vec<NetworkFacts> = networks.iter().map(NetworkFacts::of).collect();
    let point = |user: &User| {
        let (place, _) = nearest(user, &facts);
        let near = facts[place];
        Point {
            values: [
                libm::log(user.rtt_ms.max(RTT_MIN)),
                libm::log(user.down_mbps.unwrap_or(near.down_mbps)),
                libm::log(user.up_mbps.unwrap_or(near.up_mbps)),
                user.loss_percent.unwrap_or(near.loss_percent) / LOSS_UNIT,
                libm::log(user.cpu.unwrap_or(cpu)),
            ],
            weight: user.weight,
            nearest: place,
        }
    };
    let counted = users.iter().filter(|user| user.weight > 0.0);
    let mut groups: Vec<Vec<Point>> = vec![counted.map(point).collect()];
    while groups.len() < most {
        let spreads = groups.iter().map(|group| spread(group));
        let widest = spreads.enumerate().max_by(|a, b| {
            // The first of equals.
            a.1.0.total_cmp(&b.1.0).then(b.0.cmp(&a.0))
        });
        let Some((place, (width, dimension))) = widest else {
            break;
        };
        if width <= ALIKE {
            break;
        }
        let (low, high) = halves(groups.swap_remove(place), dimension);
        groups.extend([low, high]);
    }
    let total: f64 = groups.iter().flatten().map(|point| point.weight).sum();
    let mut crowds: Vec<Crowd> = groups
        .iter()
        .map(|group| crowd(group, networks, total))
        .collect::<Result<_, _>>()?;
    crowds.sort_by(|a, b| {
        let rtt = |one: &Crowd| one.network.rtt();
        rtt(a)
            .cmp(&rtt(b))
            .then(a.network.name.cmp(&b.network.name))
    });
    for i in 0..crowds.len() {
        let own = crowds[i].network.name.clone();
        let twins = crowds[..i].iter().filter(|one| {
            one.network.name == own || one.network.name.starts_with(&format!("{own} ("))
        });
        let twins = twins.count();
        if twins > 0 {
            crowds[i].network.name = format!("{own} ({})", twins + 1);
        }
    }
    Ok(crowds)
}

/// Returns the greatest weighted sum of squared differences from the mean, and its dimension.
fn spread(group: &[Point]) -> (f64, usize) {
    let weight: f64 = group.iter().map(|point| point.weight).sum();
    let of = |dimension: usize| {
        let mean = mean(group, dimension, weight);
        let squares = group.iter().map(|point| {
            let far = point.values[dimension] - mean;
            point.weight * far * far
        });
        squares.sum::<f64>()
    };
    let all = (0..DIMENSIONS).map(|dimension| (of(dimension), dimension));
    all.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        .expect("there are dimensions")
}

fn mean(group: &[Point], dimension: usize, weight: f64) -> f64 {
    let parts = group
        .iter()
        .map(|point| point.weight * point.values[dimension]);
    parts.sum::<f64>() / weight
}

/// Splits a group that differs in a dimension into two of about the same weight.
fn halves(mut group: Vec<Point>, dimension: usize) -> (Vec<Point>, Vec<Point>) {
    let value = |point: &Point| point.values[dimension];
    group.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let weight: f64 = group.iter().map(|point| point.weight).sum();
    let mut sum = 0.0;
    // The best cut between two users who differ.
    let mut best = (f64::INFINITY, 0);
    for i in 1..group.len() {
        sum += group[i - 1].weight;
        let off = (sum - weight / 2.0).abs();
        if value(&group[i - 1]) < value(&group[i]) && off < best.0 {
            best = (off, i);
        }
    }
    let high = group.split_off(best.1);
    (group, high)
}

fn crowd(group: &[Point], networks: &[Network], total: f64) -> Result<Crowd, String> {
    let weight: f64 = group.iter().map(|point| point.weight).sum();
    let log = |dimension: usize| libm::exp(mean(group, dimension, weight));
    let (rtt, down, up) = (log(0), log(1), log(2));
    let loss = mean(group, 3, weight) * LOSS_UNIT;
    let cpu = log(4);
    // The queue is that of the network that most of them are nearest to.
    let near = |place: usize| -> f64 {
        let own = group.iter().filter(|point| point.nearest == place);
        own.map(|point| point.weight).sum()
    };
    let place = (0..networks.len()).max_by(|a, b| near(*a).total_cmp(&near(*b)).then(b.cmp(a)));
    let queue = &networks[place.expect("there are networks")].down.queue;
    let text =
        format!("rate {down:.3}mbit up {up:.3}mbit rtt {rtt:.1}ms loss {loss:.3}% queue {queue}");
    let mut network = Network::parse(&text).map_err(|error| error.to_string())?;
    network.name = name(rtt, down, loss, cpu);
    Ok(Crowd {
        network,
        cpu: rounded(cpu),
        weight: weight / total,
    })
}

/// Returns what is typical of users: "150 ms, 1.6 Mbit/s, CPU x4".
fn name(rtt: f64, down: f64, loss: f64, cpu: f64) -> String {
    let mut parts = vec![format!("{rtt:.0} ms"), format!("{} Mbit/s", rounded(down))];
    if loss >= 0.05 {
        parts.push(format!("{loss:.1} % loss"));
    }
    if (cpu - 1.0).abs() >= 0.05 {
        parts.push(format!("CPU x{}", rounded(cpu)));
    }
    parts.join(", ")
}

/// Rounds to two digits after the point, or to one from ten on.
fn rounded(value: f64) -> f64 {
    let scale = if value < 10.0 { 100.0 } else { 10.0 };
    let rounded = (value * scale).round() / scale;
    if rounded > 0.0 { rounded } else { value }
}
