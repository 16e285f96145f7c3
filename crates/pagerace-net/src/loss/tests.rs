use super::*;

const PACKETS: usize = 2_000_000;

fn percent(text: &str) -> Probability {
    crate::units::parse_percent(text).unwrap()
}

/// Returns the share of lost packets, the number of runs of losses and their mean length.
fn observe(loss: &Loss, seed: u64) -> (f64, f64, f64) {
    let mut process = LossProcess::new(loss, Rng::new(seed, "loss"));
    let (mut lost, mut runs, mut before) = (0_u32, 0_u32, false);
    for _ in 0..PACKETS {
        let now = process.loses_next();
        lost += u32::from(now);
        runs += u32::from(now && !before);
        before = now;
    }
    (
        f64::from(lost) / PACKETS as f64,
        f64::from(runs),
        f64::from(lost) / f64::from(runs),
    )
}

/// Returns the standard error of the loss share of a two-state chain. Successive packets
/// are correlated by 1-p-r, which widens the binomial error.
fn standard_error(mean: f64, p: f64, r: f64) -> f64 {
    (mean * (1.0 - mean) / PACKETS as f64 * (2.0 - p - r) / (p + r)).sqrt()
}

#[test]
fn bernoulli_loss_has_its_mean_and_no_memory() {
    for (i, text) in ["0.05%", "2%", "50%"].into_iter().enumerate() {
        let loss = Loss::Random(percent(text));
        let p = loss.mean();
        let (mean, runs, length) = observe(&loss, i as u64);
        let bound = 5.0 * (p * (1.0 - p) / PACKETS as f64).sqrt();
        assert!((mean - p).abs() < bound, "{text}: {mean}");
        let expected = 1.0 / (1.0 - p);
        let bound = 5.0 * p.sqrt() / (1.0 - p) / runs.sqrt();
        assert!(
            (length - expected).abs() < bound,
            "{text}: bursts of {length}, not {expected}"
        );
    }
}

#[test]
fn burst_loss_has_its_mean_and_its_burst_length() {
    for (i, length) in [1.0, 2.5, 5.0, 10.0, 15.0].into_iter().enumerate() {
        let loss = Loss::Burst {
            mean: percent("2%"),
            length,
        };
        let (p, r, _, _) = loss.states().unwrap();
        assert!((p / (p + r) - 0.02).abs() < 1e-12);
        let (mean, runs, observed) = observe(&loss, 100 + i as u64);
        assert!(
            (mean - 0.02).abs() < 5.0 * standard_error(0.02, p, r),
            "{length}: {mean}"
        );
        let bound = 5.0 * (1.0 - r).sqrt() / r / runs.sqrt() + 1e-9;
        assert!(
            (observed - length).abs() < bound,
            "bursts of {observed}, not {length}"
        );
    }
}

#[test]
fn mean_and_burst_give_netems_parameters_as_sanders_testbed_has_them() {
    // 2 % in bursts of 5, 10 and 15 packets, as passed to `netem loss gemodel`.
    for (length, p, r) in [
        (5.0, 0.408_163_2, 20.0),
        (10.0, 0.204_081_6, 10.0),
        (15.0, 0.136_054_4, 6.666_67),
    ] {
        let loss = Loss::Burst {
            mean: percent("2%"),
            length,
        };
        let (our_p, our_r, lose_bad, lose_good) = loss.states().unwrap();
        assert!((our_p * 100.0 - p).abs() < 1e-6, "p {our_p}, not {p}%");
        assert!((our_r * 100.0 - r).abs() < 1e-5, "r {our_r}, not {r}%");
        assert_eq!((lose_bad, lose_good), (1.0, 0.0));
        // The netem parameters lead back to the mean.
        let given = Loss::GilbertElliott {
            p: percent(&format!("{p}%")),
            r: percent(&format!("{r}%")),
            lose_bad: Probability::ONE,
            lose_good: Probability::ZERO,
        };
        assert!((given.mean() - 0.02).abs() < 1e-7, "{}", given.mean());
    }
}

#[test]
fn gilbert_elliott_with_all_parameters_has_its_mean() {
    let loss = Loss::GilbertElliott {
        p: percent("1%"),
        r: percent("10%"),
        lose_bad: percent("70%"),
        lose_good: percent("0.1%"),
    };
    let closed = (0.01 * 0.7 + 0.1 * 0.001) / 0.11;
    assert!((loss.mean() - closed).abs() < 1e-12);
    let (mean, ..) = observe(&loss, 7);
    // The draws within a state add to the error of the chain itself.
    let bad = 0.01 / 0.11;
    let chain = standard_error(bad, 0.01, 0.1) * (0.7 - 0.001);
    let draws = (closed * (1.0 - closed) / PACKETS as f64).sqrt();
    assert!(
        (mean - closed).abs() < 5.0 * chain.hypot(draws),
        "{mean}, not {closed}"
    );
}

#[test]
fn the_first_packet_is_lost_as_often_as_any() {
    let loss = Loss::Burst {
        mean: percent("2%"),
        length: 10.0,
    };
    let lost = (0..100_000)
        .filter(|&seed| LossProcess::new(&loss, Rng::new(seed, "loss")).loses_next())
        .count();
    let error = (0.02_f64 * 0.98 / 100_000.0).sqrt();
    assert!(
        (lost as f64 / 100_000.0 - 0.02).abs() < 5.0 * error,
        "{lost}"
    );
}

#[test]
fn impossible_parameters_are_refused() {
    let impossible = [
        Loss::Burst {
            mean: percent("2%"),
            length: 0.5,
        },
        Loss::Burst {
            mean: percent("2%"),
            length: f64::NAN,
        },
        Loss::Burst {
            mean: percent("100%"),
            length: 5.0,
        },
        Loss::Burst {
            mean: percent("90%"),
            length: 5.0,
        },
        Loss::GilbertElliott {
            p: Probability::ZERO,
            r: Probability::ZERO,
            lose_bad: Probability::ONE,
            lose_good: Probability::ZERO,
        },
    ];
    for loss in impossible {
        assert!(loss.check().is_err(), "{loss:?}");
    }
}

#[test]
fn no_loss_is_no_loss_and_certain_loss_is_certain() {
    assert!(observe(&Loss::None, 1).0 <= 0.0);
    assert!(observe(&Loss::Random(Probability::ONE), 1).0 >= 1.0);
}
