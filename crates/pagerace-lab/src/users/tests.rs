use super::mixes::{MIXES, Mix};
use super::{NetworkFacts, assign, crowds, parse};
use pagerace_net::Network;

fn network(rtt_ms: f64, down_mbps: f64, loss_percent: f64) -> NetworkFacts {
    NetworkFacts {
        rtt_ms,
        down_mbps,
        up_mbps: down_mbps,
        loss_percent,
    }
}

#[test]
fn users_get_the_nearest_network() {
    let text = "\u{feff}down_mbps,rtt_ms,loss_percent,weight\r\n20,30,0,2\r\n1.5,200,0,1\r\n\
                1.5,200,2.5,3\r\n90,10,0,0\r\n";
    let users = parse(text).unwrap();
    assert_eq!((users.len(), users[3].line), (4, 5));
    let networks = [
        network(30.0, 20.0, 0.0),
        network(150.0, 1.6, 2.0),
        network(150.0, 1.6, 0.0),
    ];
    let found = assign(&users, &networks);
    assert_eq!(found.networks, [2.0, 3.0, 1.0]);
    // ln(90 / 20) and ln(30 / 10).
    let (line, place, far) = found.farthest;
    assert_eq!((line, place), (5, 0));
    assert!((far - 1.504_1_f64.hypot(1.098_6)).abs() < 1e-3, "{far}");
    let outside = [(3, "rtt_ms", 1.0), (4, "rtt_ms", 3.0), (5, "rtt_ms", 0.0)];
    assert_eq!(found.outside, outside);
    assert_eq!((found.count(), found.outside()), (6.0, 4.0));
}

#[test]
fn loss_that_was_not_measured_does_not_count() {
    let networks = [network(50.0, 10.0, 3.0), network(50.0, 10.0, 0.0)];
    let found = assign(&parse("rtt_ms,down_mbps\n60,10\n").unwrap(), &networks);
    assert_eq!(found.networks, [0.0, 1.0]);
    assert_eq!(found.outside, [(2, "rtt_ms", 1.0)]);
}

#[test]
fn rates_that_were_not_measured_do_not_count() {
    let networks = [network(30.0, 1.0, 0.0), network(150.0, 20.0, 0.0)];
    let found = assign(&parse("rtt_ms\n40\n140\n").unwrap(), &networks);
    assert_eq!(found.networks, [1.0, 1.0]);
    assert!(found.outside.is_empty());
}

#[test]
fn mixes_count_for_networks_with_their_round_trips() {
    let networks = [network(28.0, 5.0, 0.0), network(150.0, 1.6, 0.0)];
    let share = |name: &str| {
        let users = Mix::named(name).unwrap().users();
        let total: f64 = users.iter().map(|user| user.weight).sum();
        assert!((total - 100.0).abs() < 1e-9, "{name}: {total}");
        assign(&users, &networks).networks[0]
    };
    // Half-way, by the logarithm, is 65 ms.
    let shares: Vec<f64> = MIXES.iter().map(|mix| share(mix.name)).collect();
    assert_eq!(shares, [0.0, 17.5, 0.0]);
}

#[test]
fn mistakes_have_a_line_and_a_column() {
    let mistakes = [
        (
            "",
            "is empty; the first line names columns: rtt_ms,down_mbps",
        ),
        ("rtt_ms,down_mbps\n", "has no users"),
        ("down_mbps\n5\n", "line 1: lacks the column rtt_ms"),
        (
            "rtt_ms,rtt_ms\n",
            "line 1: the column rtt_ms is there twice",
        ),
        (
            "rtt,down_mbps\n",
            "line 1: `rtt` is no column of users; use rtt_ms",
        ),
        (
            "rtt_ms,down_mbps\n5\n",
            "line 2: has 1 fields, and the header 2",
        ),
        (
            "rtt_ms,down_mbps\n5,1\n\n5,0\n",
            "line 4: column down_mbps: `0` is not a number above 0",
        ),
        (
            "rtt_ms,down_mbps,loss_percent\n5,1,101\n",
            "line 2: column loss_percent: `101` is not a number from 0 to 100",
        ),
        (
            "rtt_ms,down_mbps,weight\n5,1,-2\n",
            "line 2: column weight: `-2` is not a number from 0",
        ),
        (
            "rtt_ms,down_mbps\nNaN,1\n",
            "line 2: column rtt_ms: `NaN` is not a number from 0",
        ),
        (
            "rtt_ms,down_mbps,weight\n5,1,0\n",
            "none with a weight above 0",
        ),
        (
            "rtt_ms,cpu\n5,0\n",
            "line 2: column cpu: `0` is not a slow-down from 0.01 to 1000",
        ),
        (
            "rtt_ms,quantile\n5,75\n",
            "line 2: column quantile: `75` is not a number above 0 and below 1",
        ),
        (
            "rtt_ms,quantile\n5,0.5\n9,0.25\n",
            "line 3: column quantile: 0.25 follows 0.5",
        ),
        (
            "rtt_ms,quantile,weight\n5,0.5,1\n",
            "line 1: has both weight and quantile",
        ),
    ];
    for (text, wanted) in mistakes {
        let told = parse(text).unwrap_err();
        assert!(told.contains(wanted), "{text}: {told}");
    }
}

#[test]
fn quantiles_stand_for_the_users_half_way_to_their_neighbours() {
    let users = parse("quantile,rtt_ms\n0.25,80\n0.5,100\n0.95,300\n").unwrap();
    let weights: Vec<f64> = users.iter().map(|user| user.weight).collect();
    let wanted = [0.375, 0.35, 0.275];
    for (found, wanted) in weights.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-9, "{weights:?}");
    }
}

#[test]
fn crowds_keep_what_was_measured_and_take_the_rest_from_the_nearest_network() {
    let networks = ["slow-4g", "cable"].map(|name| Network::parse(name).unwrap());
    let text = "rtt_ms,down_mbps,loss_percent,cpu,weight\n140,3,2,4,1\n30,50,0,1,3\n";
    let found = crowds(&parse(text).unwrap(), &networks, 4, 2.0).unwrap();
    assert_eq!(found.len(), 2);
    let slow = found.iter().find(|one| one.cpu > 3.0).unwrap();
    let facts = NetworkFacts::of(&slow.network);
    assert!((facts.rtt_ms - 140.0).abs() < 0.1, "{facts:?}");
    assert!((facts.down_mbps - 3.0).abs() < 0.01, "{facts:?}");
    // The uplink of slow-4g, the nearest.
    assert!((facts.up_mbps - 0.75).abs() < 0.01, "{facts:?}");
    assert!((facts.loss_percent - 2.0).abs() < 0.01, "{facts:?}");
    assert_eq!((slow.weight, slow.cpu), (0.25, 4.0));
    // Processors that were not measured are those of the model.
    let unknown = crowds(&parse("rtt_ms\n140\n").unwrap(), &networks, 4, 2.0).unwrap();
    assert!((unknown[0].cpu - 2.0).abs() < 1e-9);
}

#[test]
fn many_users_become_few_crowds_of_like_users() {
    let networks = ["slow-4g", "cable"].map(|name| Network::parse(name).unwrap());
    let lines = (0..100).map(|i| format!("{},{}", 20 + 3 * i, 40.0 / f64::from(1 + i % 10)));
    let lines: Vec<String> = ["rtt_ms,down_mbps".to_owned()]
        .into_iter()
        .chain(lines)
        .collect();
    let users = parse(&(lines.join("\n") + "\n")).unwrap();
    let found = crowds(&users, &networks, 6, 1.0).unwrap();
    assert_eq!(found.len(), 6);
    let sum: f64 = found.iter().map(|one| one.weight).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let rtts = found
        .iter()
        .map(|one| NetworkFacts::of(&one.network).rtt_ms);
    let (low, high) = rtts.fold((f64::MAX, 0.0), |(low, high): (f64, f64), one| {
        (low.min(one), high.max(one))
    });
    assert!(low < 100.0 && high > 200.0, "{low} {high}");
    let names: std::collections::BTreeSet<&str> =
        found.iter().map(|one| one.network.name.as_str()).collect();
    assert_eq!(names.len(), 6);
}
