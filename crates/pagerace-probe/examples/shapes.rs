//! tmp
use pagerace_core::Duration;
use pagerace_delivery::StrategySpec;
use pagerace_probe::world::{Served, ServedSite, World, play};
use pagerace_probe::{Budget, Model, Path, Shape, candidates, judge, plan};
fn main() {
    let types = ["text/html","text/css","application/javascript","font/woff2","image/png","application/wasm"];
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let repeats: u32 = std::env::args().nth(2).unwrap().parse().unwrap();
    let cc = std::env::args().nth(3).unwrap();
    for net in std::env::args().skip(4) {
        let objects: Vec<Served> = types.iter().enumerate().take(n).map(|(i, t)| Served { path: format!("/{i}"), length: 100_000, media_type: (*t).to_owned(), facts: plan::facts(t), think_time: Duration::ZERO }).collect();
        let paths: Vec<String> = objects.iter().map(|o| o.path.clone()).collect();
        let mut library = None;
        println!("== {net}");
        for (k, spec) in StrategySpec::defaults().into_iter().enumerate() {
            let world = World { network: pagerace_net::Network::parse(&net).unwrap(), site: ServedSite(objects.clone()), congestion: cc.clone(), mtu: 1280, strategy: spec.clone() };
            let survey = play(&world, plan::survey(&paths, &Budget::default()), 1000 + k as u64);
            let found = plan::objects(&paths, &survey).unwrap();
            let jobs = plan::jobs(&found, survey.connect, &Budget::default()).unwrap();
            let traces: Vec<_> = jobs.iter().enumerate().map(|(i, job)| play(&world, job.clone(), 2000 + 10 * k as u64 + i as u64)).collect();
            let observed: Vec<_> = jobs.iter().zip(&traces).map(|(j, t)| Shape::of(j, t).values()).collect();
            let path = Path::of(&survey, &jobs, &traces);
            let t0 = Duration::ZERO; let _ = t0;
            let library = library.get_or_insert_with(|| { let model = Model { path, objects: found.clone(), jobs: jobs.clone(), repeats, seed: 7 };
                let all = candidates(); let half = all.len() / 2;
                std::thread::scope(|s| { let a = s.spawn(|| all[..half].iter().map(|c| (c.clone(), model.expect(c))).collect::<Vec<_>>()); let b: Vec<_> = all[half..].iter().map(|c| (c.clone(), model.expect(c))).collect(); let mut a = a.join().unwrap(); a.extend(b); a }) });
            let v = judge(&observed, library);
            print!("{:45} rtt {} loss {:.4} rate {:.0} spread {:.2}", spec.label(), path.rtt, path.loss, path.rate, v.spread);
            for g in v.groups.iter().take(3) { print!(" | {:.2} {:.2} {}", g.distance, g.probability, g.members.iter().map(|m| m.to_string()).collect::<Vec<_>>().join(" = ")); }
            println!(" | unknown {:.2}", v.unknown);
        }
    }
}
