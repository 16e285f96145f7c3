//! tmp
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use pagerace_core::Duration;
use pagerace_live::{Server, secret_seed};
use pagerace_probe::world::{Served, ServedSite};
use pagerace_probe::{Budget, Shape, plan};
use pagerace_peer::{Retransmission, ServerConfig};
use pagerace_transport::quic::QuicSettings;
use pagerace_transport::quic::keys::{Identity, client_keys_trusting};
fn main() {
    let types = ["text/html","text/css","application/javascript","font/woff2","image/png","application/wasm"];
    let objects: Vec<Served> = types.iter().enumerate().map(|(i,t)| Served{path: format!("/{i}"), length: 100_000, media_type: t.to_string(), facts: plan::facts(t), think_time: Duration::ZERO}).collect();
    let paths: Vec<String> = objects.iter().map(|o| o.path.clone()).collect();
    for strategy in ["eps","round-robin","weighted-round-robin"] {
        let identity = Identity::new(&["localhost"]).unwrap();
        let config = ServerConfig { settings: QuicSettings::default(), keys: identity.server_keys().unwrap(), strategy: strategy.parse().unwrap(), reliability: "full".parse().unwrap(), retransmission: Retransmission::AtOnce, seed: secret_seed().unwrap(), h3: pagerace_http::h3::Config::default(), record: false, record_frames: false };
        let mut server = Server::bind(SocketAddr::from(([127,0,0,1],0)), &config, ServedSite(objects.clone())).unwrap();
        let remote = server.local_address().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let s2 = stop.clone();
        let thread = std::thread::spawn(move || server.run(&s2).unwrap());
        let keys = client_keys_trusting(identity.certificate()).unwrap();
        let address = pagerace_probe::Server { remote, name: "localhost".into(), authority: "localhost".into() };
        let survey = pagerace_live::probe::play(plan::survey(&paths, &Budget::default()), &address, &keys, 1).unwrap();
        let found = plan::objects(&paths, &survey).unwrap();
        let jobs = plan::jobs(&found, survey.connect, &Budget::default()).unwrap();
        println!("== {strategy} connect {} pace {:?} think {:?}", survey.connect, jobs[0].pace, found.iter().map(|f| f.think_time.as_millis_f64()).collect::<Vec<_>>());
        for job in jobs {
            let t = pagerace_live::probe::play(job.clone(), &address, &keys, 1).unwrap();
            let s = Shape::of(&job, &t);
            let m: Vec<String> = s.places.iter().map(|p| format!("{:.2}-{:.2}", p[0], p[4])).collect();
            println!("{:12} {:?} {} recv {} loss {:.3} drop {} run {:.1} {:?}", t.script, t.end, t.finished, t.received, t.loss(), t.dropped, s.run, m);
        }
        stop.store(true, Ordering::Relaxed);
        thread.join().unwrap();
    }
}
