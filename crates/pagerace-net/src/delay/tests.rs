use super::*;

const PACKETS: u64 = 40_000;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn jitter(distribution: Distribution, reorder: bool) -> Jitter {
    Jitter {
        spread: ms(10),
        distribution,
        reorder,
    }
}

fn process(jitter: Jitter) -> DelayProcess {
    DelayProcess::new(ms(50).into(), Some(jitter), Rng::new(7, "jitter"))
}

/// Returns the sorted delays in ms of packets that cross the bottleneck every `gap`.
fn delays(jitter: Jitter, gap: Duration) -> Vec<f64> {
    let mut process = process(jitter);
    let crossings = (0..PACKETS).map(|i| Instant::from_nanos(i * gap.as_nanos()));
    let mut delays: Vec<f64> = crossings
        .map(|at| process.arrival(at).since(at).as_millis_f64())
        .collect();
    delays.sort_by(f64::total_cmp);
    delays
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: Vec<f64> = values.iter().map(|v| (v - mean) * (v - mean)).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[test]
fn uniform_jitter_is_uniform() {
    // The gap is too large for packets to overtake, so `reorder` has no effect.
    for reorder in [false, true] {
        let delays = delays(jitter(Distribution::Uniform, reorder), ms(30));
        assert!(delays[0] >= 40.0 && delays[delays.len() - 1] <= 60.0);
        // Five standard errors: 10 / sqrt(3) / sqrt(40000) is 0.029 ms.
        assert!((mean(&delays) - 50.0).abs() < 0.15, "{}", mean(&delays));
        for (tenth, wanted) in (1..10).map(|i| (i, 40.0 + 2.0 * i as f64)) {
            let quantile = delays[delays.len() * tenth / 10];
            assert!((quantile - wanted).abs() < 0.25, "{tenth}: {quantile}");
        }
    }
}

#[test]
fn normal_jitter_is_normal() {
    let delays = delays(jitter(Distribution::Normal, true), ms(30));
    assert!((mean(&delays) - 50.0).abs() < 0.25, "{}", mean(&delays));
    assert!(
        (deviation(&delays) - 10.0).abs() < 0.2,
        "{}",
        deviation(&delays)
    );
    // One and two standard deviations below and above the mean.
    for (share, wanted) in [
        (0.0228, 30.0),
        (0.1587, 40.0),
        (0.8413, 60.0),
        (0.9772, 70.0),
    ] {
        let quantile = delays[(delays.len() as f64 * share) as usize];
        assert!((quantile - wanted).abs() < 0.6, "{share}: {quantile}");
    }
}

#[test]
fn packets_overtake_only_when_asked() {
    for (reorder, overtaken) in [(false, false), (true, true)] {
        let mut process = process(jitter(Distribution::Uniform, reorder));
        let arrivals: Vec<Instant> = (0..1_000)
            .map(|i| process.arrival(Instant::from_nanos(i * 1_000_000)))
            .collect();
        assert_eq!(!arrivals.is_sorted(), overtaken);
    }
}

#[test]
fn jitter_larger_than_the_delay_delivers_at_once_at_the_earliest() {
    let jitter = jitter(Distribution::Uniform, true);
    let mut process = DelayProcess::new(ms(2).into(), Some(jitter), Rng::new(7, "jitter"));
    let crossed = Instant::from_nanos(5);
    let delays: Vec<Duration> = (0..1_000)
        .map(|_| process.arrival(crossed).since(crossed))
        .collect();
    // The delay would be negative for (10 - 2) / 20 of the draws.
    let at_once = delays.iter().filter(|d| d.is_zero()).count();
    assert!((300..500).contains(&at_once), "{at_once}");
    assert!(delays.iter().all(|&d| d <= ms(12)));
}

#[test]
fn a_falling_delay_does_not_reorder() {
    let text = "rate 1gbit delay 90ms for 5ms then 10ms";
    let delay = crate::network::Network::parse(text).unwrap().down.delay;
    let mut process = DelayProcess::new(delay, None, Rng::new(7, "jitter"));
    let mut arrival = |at| process.arrival(Instant::ZERO + ms(at)).as_nanos() / 1_000_000;
    assert_eq!([4, 5, 50, 85, 90].map(&mut arrival), [94, 94, 94, 95, 100]);
}
