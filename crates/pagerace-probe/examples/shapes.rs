//! tmp
use pagerace_core::Duration;
use pagerace_delivery::StrategySpec;
use pagerace_probe::world::{Served, ServedSite, World, play};
use pagerace_probe::{Behaviour, Budget, candidates, judge, observe, plan};
use std::convert::Infallible;
fn main() {
    let types = [
        "text/html",
        "text/css",
        "application/javascript",
        "font/woff2",
        "image/png",
        "application/wasm",
    ];
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let cc = std::env::args().nth(2).unwrap();
    for net in std::env::args().skip(3) {
        let objects: Vec<Served> = types
            .iter()
            .rev()
            .enumerate()
            .take(n)
            .map(|(i, t)| Served {
                path: format!("/{i}"),
                length: 100_000,
                media_type: (*t).to_owned(),
                facts: plan::facts(t),
                think_time: Duration::ZERO,
            })
            .collect();
        let paths: Vec<String> = objects.iter().map(|o| o.path.clone()).collect();
        let mut library = None;
        println!("== {net}");
        for (k, spec) in StrategySpec::defaults().into_iter().enumerate() {
            let world = World {
                network: pagerace_net::Network::parse(&net).unwrap(),
                site: ServedSite(objects.clone()),
                congestion: cc.clone(),
                mtu: 1280,
                strategy: spec.clone(),
            };
            let mut seed = 1000 * k as u64;
            let observed = observe(&paths, &Budget::default(), |job| {
                seed += 1;
                Ok::<_, Infallible>(play(&world, job, seed))
            })
            .unwrap();
            let library = library.get_or_insert_with(|| {
                let model = observed.model(7);
                let all = candidates();
                let half = all.len() / 2;
                std::thread::scope(|s| {
                    let a = s.spawn(|| {
                        all[..half]
                            .iter()
                            .map(|c| (c.clone(), model.expect(c)))
                            .collect::<Vec<_>>()
                    });
                    let b: Vec<_> = all[half..]
                        .iter()
                        .map(|c| (c.clone(), model.expect(c)))
                        .collect();
                    let mut a = a.join().unwrap();
                    a.extend(b);
                    a
                })
            });
            let v = judge(&observed.values(), library);
            println!(
                "{:45} {:?} loss {:.4} rate {:.0}\n   {}",
                spec.label(),
                observed.used,
                observed.path.loss,
                observed.path.rate,
                Behaviour::of(&observed)
            );
            print!("    spread {:.2}", v.spread);
            for g in v.groups.iter().take(3) {
                print!(
                    " | {:.2} {:.2} {}",
                    g.distance,
                    g.probability,
                    g.members
                        .iter()
                        .map(|m| m.to_string())
                        .collect::<Vec<_>>()
                        .join(" = ")
                );
            }
            println!(" | unknown {:.2}", v.unknown);
        }
    }
}
