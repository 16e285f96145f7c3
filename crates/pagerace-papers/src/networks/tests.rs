use pagerace_core::Duration;
use pagerace_net::{Loss, Network, Queue, QueueLimit, Rate, named};

use super::NETWORKS;

fn parse(text: &str) -> Network {
    Network::parse_with(text, &NETWORKS, std::path::Path::new(""))
        .unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn every_name_means_what_its_description_says() {
    assert_eq!(NETWORKS.len(), 19);
    for known in NETWORKS.iter() {
        let (by_name, in_full) = (parse(known.name), parse(known.spec));
        assert_eq!(by_name.name, known.name);
        assert_eq!((&by_name.down, &by_name.up), (&in_full.down, &in_full.up));
        assert!(
            known.source.len() > 20 && known.summary.len() > 10,
            "{}",
            known.name
        );
    }
}

#[test]
fn no_name_is_given_twice() {
    let mut names: Vec<_> = named().iter().chain(&*NETWORKS).map(|n| n.name).collect();
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b));
}

#[test]
fn all_of_sanders_table_is_here() {
    // Name, Mbit/s, round trip in ms, loss in per cent, mean burst.
    let table = [
        ("sander-1mbit", 1, 100, 0.0, None),
        ("sander-2mbit", 2, 100, 0.0, None),
        ("sander-5mbit", 5, 100, 0.0, None),
        ("sander-10mbit", 10, 100, 0.0, None),
        ("sander-50mbit", 50, 100, 0.0, None),
        ("sander-2mbit-loss1", 2, 100, 1.0, None),
        ("sander-2mbit-loss2", 2, 100, 2.0, None),
        ("sander-2mbit-loss5", 2, 100, 5.0, None),
        ("sander-2mbit-rtt10", 2, 10, 2.0, None),
        ("sander-2mbit-rtt50", 2, 50, 2.0, None),
        ("sander-2mbit-burst5", 2, 100, 2.0, Some(5.0)),
        ("sander-2mbit-burst10", 2, 100, 2.0, Some(10.0)),
        ("sander-2mbit-burst15", 2, 100, 2.0, Some(15.0)),
    ];
    for (name, mbit, rtt, loss, burst) in table {
        let network = parse(name);
        assert_eq!(network.rtt(), Duration::from_millis(rtt), "{name}");
        for link in [&network.down, &network.up] {
            assert_eq!(
                link.rate.mean().bits_per_second(),
                mbit * 1_000_000,
                "{name}"
            );
            assert!(
                matches!(link.rate, Rate::TokenBucket { burst: 1_514, .. }),
                "{name}"
            );
            assert!((link.loss.mean() * 100.0 - loss).abs() < 1e-9, "{name}");
            let length = match link.loss {
                Loss::Burst { length, .. } => Some(length),
                _ => None,
            };
            assert_eq!(length, burst, "{name}");
            let bdp = mbit * 1_000_000 / 8 * rtt / 1_000;
            let bytes = bdp.max(3_000);
            assert_eq!(
                link.queue,
                Queue::TailDrop(QueueLimit::Bdp {
                    multiple: 1.0,
                    bytes
                }),
                "{name}"
            );
        }
    }
    let listed = NETWORKS
        .iter()
        .filter(|n| n.name.starts_with("sander-"))
        .count();
    assert_eq!(listed, table.len());
}
