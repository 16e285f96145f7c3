use super::*;

fn worlds(seed: u64, count: usize) -> Vec<World> {
    let network = Network::parse("fast-4g").expect("it is named");
    let one = |run| Worlds::PLAUSIBLE.world(seed, run, &network);
    (0..count).map(one).collect()
}

#[test]
fn quantiles_are_those_of_the_normal_distribution() {
    for (p, z) in [(0.5, 0.0), (0.975, 1.959_964), (0.1, -1.281_552)] {
        assert!((normal_quantile(p) - z).abs() < 1e-6, "{p}");
    }
}

#[test]
fn every_prefix_is_even() {
    for seed in [1, 7] {
        for count in [10, 20, 30] {
            let mean = |get: fn(&World) -> f64| {
                let all = worlds(seed, count);
                all.iter().map(get).sum::<f64>() / count as f64
            };
            // Random draws would be off by the root of their number.
            let off = 2.0 / count as f64;
            assert!((mean(|w| w.rate) - 1.0).abs() < 0.05 * off, "{count}");
            assert!(mean(|w| w.rtt_ms).abs() < 3.0 * off, "{count}");
            assert!((mean(|w| w.queue) - 1.0).abs() < 0.1 * off, "{count}");
            assert!(mean(|w| libm::log(w.cpu)).abs() < 0.4 * off, "{count}");
            assert!((mean(|w| w.largest.unwrap_or(9.0)) - 0.5).abs() < 0.5 * off);
        }
    }
}

#[test]
fn worlds_keep_within_their_widths() {
    for world in worlds(3, 200) {
        assert!((world.rate - 1.0).abs() <= 0.05);
        assert!(world.rtt_ms.abs() <= 3.0);
        assert!((world.queue - 1.0).abs() <= 0.1);
        assert!((world.quic_payload - 1.0).abs() <= 0.025);
        assert!(world.think_ms.abs() <= 2.0);
    }
    let near = Network::parse("rate 10mbit rtt 4ms").expect("a network");
    let rtts = (0..50).map(|run| Worlds::PLAUSIBLE.world(1, run, &near).rtt_ms);
    assert!(rtts.fold(0.0, |most: f64, ms| most.max(ms.abs())) <= 0.6);
}

#[test]
fn seeds_and_runs_differ() {
    assert_ne!(worlds(1, 1), worlds(2, 1));
    let both = worlds(1, 2);
    assert_ne!(both[0], both[1]);
}

#[test]
fn texts_are_read_back() {
    let wide = "rate 10% rtt 5ms queue 10% cpu 0.3 think 0.2 think-offset 2ms quic-payload 2.5%";
    for text in ["nominal", "plausible", wide] {
        let read: Worlds = text.parse().expect("valid");
        assert_eq!(read.to_string(), text);
    }
    assert_eq!("cpu 0.2".parse(), Ok(Worlds::PLAUSIBLE));
    for text in ["", "rate", "rate 5", "speed 5%"] {
        let error = text.parse::<Worlds>();
        assert_eq!(text.is_empty(), error.is_ok(), "{text}");
    }
}
