use super::*;
use crate::corpus::tests::survey;

const HTTP3: &[(&str, &str)] = &[("server", "sffe"), ("alt-svc", "h3=\":443\"")];

fn corpus() -> Corpus {
    Corpus::new(vec![
        survey(
            "one",
            &[
                ("https://one.example/", "h2", "192.0.2.1", HTTP3),
                ("https://cdn.example/a", "h2", "192.0.2.2", HTTP3),
                ("https://cdn.example/b", "h2", "192.0.2.2", HTTP3),
            ],
        ),
        survey(
            "two",
            &[
                ("https://two.example/", "h2", "192.0.2.3", HTTP3),
                ("https://cdn.example/a", "h2", "192.0.2.2", HTTP3),
            ],
        ),
    ])
}

fn run(corpus: &Corpus, jobs: usize) -> Vec<PagePairs> {
    let experiment = Experiment {
        networks: vec![Network::parse("rate 1gbit rtt 100ms").unwrap()],
        runs: 6,
        seed: 1,
        congestion: "cubic".to_owned(),
        http3: Http3Hosts::Recorded,
        settings: LoadSettings::default(),
    };
    let load = |scenario: &pagerace_sim::Scenario, seed, record| {
        pagerace_sim::run(scenario, seed, record).map_err(|error| error.to_string())
    };
    let go_on = |_| ControlFlow::Continue(());
    experiment
        .run(corpus, &load, jobs, &go_on)
        .unwrap()
        .unwrap()
}

#[test]
fn http3_saves_a_round_trip_on_each_set_up() {
    let corpus = corpus();
    let pairs = run(&corpus, 1);
    let first = &pairs[0][0];
    let saved = first.reduction().unwrap();
    assert_eq!(first.reused, Some((1.0, 1.0)));
    // The page waits for two connections, one after the other.
    for times in &first.times[..2] {
        let (h2, h3) = times.unwrap();
        assert!((h2[0] - h3[0] - 100.0).abs() < 1.0, "{} {}", h2[0], h3[0]);
    }
    // The windows of the two carriers differ, so the load event need not be 200 ms earlier.
    assert!((100.0..205.0).contains(&saved), "{saved}");
    assert_eq!(
        first.resumed,
        Some((0.0, 0.0)),
        "a first visit has no tickets"
    );
}

#[test]
fn consecutive_visits_resume_connections_to_hosts_that_were_visited() {
    let corpus = corpus();
    let pairs = run(&corpus, 1);
    for of_page in &pairs {
        let later = &of_page[1];
        let (resumed, _) = later.resumed.unwrap();
        // The page comes second in some of the runs, and shares one host with the other.
        assert!(resumed > 0.0 && resumed < 1.0, "{resumed}");
        let saved = later.reductions();
        let most = saved.iter().copied().fold(0.0, f64::max);
        let least = saved.iter().copied().fold(f64::MAX, f64::min);
        // Early data saves another round trip.
        assert!((most - least - 100.0).abs() < 5.0, "{least} {most}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let corpus = corpus();
    assert_eq!(run(&corpus, 1), run(&corpus, 3));
}
