//! Tests of congestion controllers over the whole stack: both transports on one link.

use pagerace_core::{Duration, Protocol};
use pagerace_net::Network;

use super::{BulkOutcome, BulkScenario, Flow, run_bulk, run_flows};
use crate::{LoadSettings, TlsVersion};

const MB: u64 = 1_000_000;

/// Returns settings with packets of QUIC's least size.
fn settings(seconds: u64) -> LoadSettings {
    LoadSettings {
        quic_mtu: 1_200,
        deadline: Duration::from_secs(seconds),
        ..LoadSettings::default()
    }
}

fn bulk(protocol: Protocol, congestion: &str, network: &str, bytes: u64) -> BulkOutcome {
    let scenario = BulkScenario {
        bytes,
        network: Network::parse(network).unwrap(),
        protocol,
        congestion: congestion.to_owned(),
        settings: settings(1_000),
    };
    let outcome = run_bulk(&scenario, 1).unwrap();
    assert_eq!(outcome.failure, None, "{protocol} {congestion} {network}");
    assert_eq!(outcome.bytes, bytes);
    assert_eq!(outcome.arrived.iter().sum::<u64>(), bytes);
    outcome
}

/// Returns the mean rate in Mbit/s since the start of the run, connection set-up
/// included.
fn goodput(outcome: &BulkOutcome) -> f64 {
    outcome.bytes as f64 * 8e-6 / outcome.finished_at.since_start().as_secs_f64()
}

#[test]
fn every_protocol_fills_a_clean_link() {
    for protocol in Protocol::ALL {
        let o = bulk(protocol, "cubic", "rate 20mbit rtt 40ms", 20 * MB);
        assert!(
            (17.5..20.0).contains(&goodput(&o)),
            "{protocol}: {} Mbit/s",
            goodput(&o)
        );
    }
}

#[test]
fn set_up_takes_the_round_trips_that_it_should() {
    let rtts = |protocol, tcp_tls| {
        let scenario = BulkScenario {
            bytes: 1_000,
            network: Network::parse("rate 1gbit rtt 100ms").unwrap(),
            protocol,
            congestion: "cubic".to_owned(),
            settings: LoadSettings {
                tcp_tls,
                ..settings(10)
            },
        };
        run_bulk(&scenario, 1).unwrap().connect.as_millis_f64() / 100.0
    };
    assert!((1.0..1.05).contains(&rtts(Protocol::H3, TlsVersion::Tls13)));
    assert!((2.0..2.05).contains(&rtts(Protocol::H2, TlsVersion::Tls13)));
    assert!((3.0..3.05).contains(&rtts(Protocol::H2, TlsVersion::Tls12)));
}

#[test]
fn bbr_holds_a_lossy_link_where_cubic_collapses() {
    for protocol in [Protocol::H2, Protocol::H3] {
        let network = "rate 10mbit rtt 40ms loss 1%";
        let bbr = goodput(&bulk(protocol, "bbr", network, 30 * MB));
        let cubic = goodput(&bulk(protocol, "cubic", network, 30 * MB));
        // The best goodput possible: that of a clean link (which accounts for headers),
        // less the 1 % of losses.
        let best = goodput(&bulk(protocol, "bbr", "rate 10mbit rtt 40ms", 30 * MB)) * 0.99;
        assert!(bbr > 0.95 * best, "{protocol}: {bbr} of {best} Mbit/s");
        assert!(cubic < 0.75 * best, "{protocol}: cubic {cubic}");
    }
}

/// Returns Jain's fairness index of the rates in the second half of the shorter transfer.
fn jain(outcomes: &[BulkOutcome]) -> f64 {
    let n = outcomes.iter().map(|o| o.window.len()).min().unwrap();
    let rate = |o: &BulkOutcome| o.arrived[n / 2..n].iter().sum::<u64>() as f64;
    let rates: Vec<f64> = outcomes.iter().map(rate).collect();
    let (sum, squares) = rates
        .iter()
        .fold((0.0, 0.0), |(s, q), r| (s + r, q + r * r));
    sum * sum / (rates.len() as f64 * squares)
}

fn two(a: (Protocol, &str), b: (Protocol, &str), seconds: u64) -> Vec<BulkOutcome> {
    let network = Network::parse("rate 10mbit rtt 40ms").unwrap();
    let flow = |(protocol, congestion): (Protocol, &str), starts_at| Flow {
        bytes: 1_000 * MB,
        protocol,
        congestion: congestion.to_owned(),
        starts_at,
    };
    let flows = [
        flow(a, Duration::ZERO),
        flow(b, Duration::from_millis(1_000)),
    ];
    let settings = LoadSettings {
        deadline: Duration::from_secs(seconds),
        ..LoadSettings::default()
    };
    run_flows(&flows, &network, &settings, 1).unwrap()
}

#[test]
fn equals_share_fairly() {
    for protocol in [Protocol::H2, Protocol::H3] {
        for congestion in ["reno", "cubic", "bbr"] {
            let both = two((protocol, congestion), (protocol, congestion), 120);
            let index = jain(&both);
            assert!(index > 0.95, "{protocol} {congestion}: {index}");
        }
    }
}

#[test]
fn vegas_starves_beside_cubic() {
    for protocol in [Protocol::H2, Protocol::H3] {
        let both = two((protocol, "cubic"), (protocol, "vegas"), 60);
        let [cubic, vegas] = [&both[0], &both[1]].map(|o| o.bytes as f64);
        assert!(vegas < cubic / 2.0, "{protocol}: {vegas} of {cubic} bytes");
    }
}

#[test]
fn newreno_is_no_worse_than_reno_on_either_transport() {
    for protocol in [Protocol::H2, Protocol::H3] {
        let rate = |cc| goodput(&bulk(protocol, cc, "rate 40mbit rtt 20ms loss 5%", 3 * MB));
        let (reno, newreno) = (rate("reno"), rate("newreno"));
        assert!(newreno > 0.9 * reno, "{protocol}: {newreno} of {reno}");
    }
}

#[test]
fn tcp_fills_a_lossy_path_that_is_larger_than_its_first_receive_window() {
    let network = "rate 100mbit rtt 50ms loss 2%";
    let bbr = goodput(&bulk(Protocol::H2, "bbr", network, 30 * MB));
    assert!(bbr > 60.0, "{bbr} Mbit/s");
}

/// During start-up, BBR overfills a long path so far that some packets are lost several
/// times and thousands of gaps are open at once.
#[test]
fn a_start_up_that_loses_thousands_of_packets_is_survived() {
    for seed in [6_864_943_068_774_596, 5_575_252_139_633_738] {
        let scenario = BulkScenario {
            bytes: 20 * MB,
            network: Network::parse("rate 40mbit delay 120ms").unwrap(),
            protocol: Protocol::H3,
            congestion: "bbr".to_owned(),
            settings: settings(100),
        };
        let outcome = run_bulk(&scenario, seed).unwrap();
        assert_eq!(outcome.failure, None, "{seed}");
        assert!(outcome.queue_drops > 1_000, "{}", outcome.queue_drops);
    }
}

#[test]
fn the_same_twice() {
    let network = "rate 10mbit rtt 40ms loss 2%";
    for protocol in Protocol::ALL {
        let once = bulk(protocol, "cubic", network, 2 * MB);
        assert_eq!(once, bulk(protocol, "cubic", network, 2 * MB));
    }
}
