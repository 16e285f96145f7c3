use pagerace_probe::world::{Served, ServedSite, World, play};
use pagerace_probe::{Budget, Shape, plan};
use pagerace_core::Duration;
use pagerace_delivery::StrategySpec;
fn main() {
    let types = ["text/html","text/css","application/javascript","font/woff2","image/png","application/wasm"];
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let net = std::env::args().nth(2).unwrap();
    let objects: Vec<Served> = types.iter().enumerate().take(n).map(|(i,t)| Served{path: format!("/{i}"), length: 100_000, media_type: t.to_string(), facts: plan::facts(t), think_time: Duration::ZERO}).collect();
    let paths: Vec<String> = objects.iter().map(|o| o.path.clone()).collect();
    for spec in StrategySpec::defaults() {
        let world = World{network: pagerace_net::Network::parse(&net).unwrap(), site: ServedSite(objects.clone()), congestion: "cubic".into(), mtu: 1350, strategy: spec.clone()};
        let survey = play(&world, plan::survey(&paths, &Budget::default()), 1);
        let found = plan::objects(&paths, &survey).unwrap();
        let jobs = plan::jobs(&found, survey.connect, &Budget::default()).unwrap();
        println!("== {spec} connect {} pace {:?}", survey.connect, jobs[0].pace);
        for job in jobs {
            let t = play(&world, job.clone(), 2);
            let s = Shape::of(&job, &t);
            let m: Vec<String> = s.places.iter().map(|p| format!("{:.2}-{:.2}", p[0], p[4])).collect();
            println!("{:12} {:?} {} recv {} loss {:.3} run {:.1} {:?}", t.script, t.end, t.finished, t.received, t.loss(), s.run, m);
        }
    }
}
