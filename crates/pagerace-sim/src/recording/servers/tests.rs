use pagerace_har::{ImportOptions, from_bytes};
use pagerace_net::Network;
use serde_json::{Value, json};

use super::super::own_load;
use super::*;
use crate::run;

/// A request of a HAR that a load over a network made.
struct Request {
    url: &'static str,
    mime: &'static str,
    bytes: u64,
    think: u64,
}

const fn request(url: &'static str, mime: &'static str, bytes: u64, think: u64) -> Request {
    Request {
        url,
        mime,
        bytes,
        think,
    }
}

/// A page whose pictures wait for each other, with a slow document and a slow, distant picture.
const PAGE: [Request; 8] = [
    request("https://a.test/", "text/html", 20_000, 150),
    request("https://a.test/a.css", "text/css", 80_000, 0),
    request("https://a.test/1.jpg", "image/jpeg", 150_000, 0),
    request("https://a.test/2.jpg", "image/jpeg", 150_000, 0),
    request("https://a.test/3.jpg", "image/jpeg", 150_000, 0),
    request("https://near.test/x.jpg", "image/jpeg", 40_000, 0),
    request("https://far.test/y.jpg", "image/jpeg", 40_000, 0),
    request("https://a.test/slow.jpg", "image/jpeg", 10_000, 2_500),
];

fn date(at: f64) -> String {
    format!("2026-01-01T00:00:{:06.3}Z", at / 1000.0)
}

/// Returns a HAR of the page whose times are those of `timings`, in milliseconds: start, connect,
/// wait, receive.
fn har(timings: &[[f64; 4]]) -> Page {
    let entry = |(request, [start, connect, wait, receive]): (&Request, &[f64; 4])| -> Value {
        let host = request.url.split('/').nth(2).unwrap();
        json!({
            "startedDateTime": date(*start),
            "time": connect + wait + receive,
            "timings": {
                "connect": if *connect > 0.0 { *connect } else { -1.0 },
                "ssl": if *connect > 0.0 { connect / 2.0 } else { -1.0 },
                "wait": wait, "receive": receive,
            },
            "request": {"url": request.url},
            "response": {"status": 200, "httpVersion": "h2",
                "content": {"mimeType": request.mime, "size": request.bytes},
                "headers": [{"name": "Content-Length", "value": request.bytes.to_string()}]},
            "serverIPAddress": format!("192.0.2.{}", host.len()),
            "_initiator": {"type": "parser", "url": PAGE[0].url},
        })
    };
    let page = json!({"id": "p", "startedDateTime": date(0.0), "pageTimings": {}});
    let entries: Vec<Value> = PAGE.iter().zip(timings).map(entry).collect();
    let har = json!({"log": {"pages": [page], "entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

/// Returns a recording of the page over `network`, with a host 60 ms beyond the link.
fn recorded(network: &str) -> Page {
    let mut page = har(&[[0.0, 30.0, 20.0, 1.0]; 8]);
    for (resource, request) in page.resources.iter_mut().zip(&PAGE) {
        resource.think_time = Duration::from_millis(request.think);
    }
    for origin in &mut page.origins {
        let is_far = origin.host == "far.test";
        origin.recorded_rtt = Some(Duration::from_millis(if is_far { 90 } else { 30 }));
    }
    let mut scenario = own_load(&page);
    scenario.network = Network::parse(network).unwrap();
    let outcome = run(&scenario, 7, false).unwrap();
    let timings = outcome.resources.iter().map(|timing| {
        let t = timing.as_ref().unwrap();
        let start = t.discovered + t.queued + t.blocked + t.dns;
        [start.since_start(), t.connect, t.wait, t.receive].map(Duration::as_millis_f64)
    });
    har(&timings.collect::<Vec<_>>())
}

/// Returns the think time in milliseconds of the server of `url`.
fn think(page: &Page, url: &str) -> f64 {
    let mut resources = page.resources.iter();
    let resource = resources.find(|resource| resource.url == url).unwrap();
    resource.think_time.as_millis_f64()
}

/// Returns the recorded round trip in milliseconds to a host.
fn rtt(page: &Page, host: &str) -> f64 {
    let mut origins = page.origins.iter();
    let origin = origins.find(|origin| origin.host == host).unwrap();
    origin.recorded_rtt.unwrap().as_millis_f64()
}

#[test]
fn the_rate_of_the_link_is_found() {
    // Milliseconds decide which of two neighbouring rates fits one network better.
    let errors = [2, 3, 4, 5, 6, 8, 10, 14].map(|rate| {
        let mut page = recorded(&format!("rate {rate}mbit up 1mbit rtt 30ms queue 200p"));
        fit(&mut page, &mut Loads::default()).unwrap();
        let found = page.recorded.down_bits_per_second.unwrap() as f64;
        (found / (f64::from(rate) * 1e6)).ln().abs()
    });
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean < 0.1, "{mean}: {errors:?}");
    assert!(errors.iter().all(|error| *error < 0.2), "{errors:?}");
}

#[test]
fn waits_that_the_network_explains_are_not_the_servers() {
    let unfitted = recorded("rate 6mbit up 1mbit rtt 30ms queue 200p");
    let mut page = unfitted.clone();
    let waited = think(&page, "https://a.test/3.jpg");
    assert!(
        waited > 300.0,
        "the last picture waits for the others: {waited}"
    );
    fit(&mut page, &mut Loads::default()).unwrap();
    for request in PAGE.iter().filter(|request| request.think > 0) {
        let (think, truth) = (think(&page, request.url), request.think as f64);
        assert!(
            (think - truth).abs() <= 0.1 * truth,
            "{}: {think}",
            request.url
        );
    }
    // The other servers answered at once.
    let others = |page: &Page| -> f64 {
        let others = PAGE.iter().filter(|request| request.think == 0);
        others.map(|request| think(page, request.url)).sum()
    };
    let (before, after) = (others(&unfitted), others(&page));
    assert!(before > 1_000.0, "{before}");
    assert!(after < 0.05 * before, "{after} of {before}");
    let (before, after) = (rtt(&unfitted, "near.test"), rtt(&page, "near.test"));
    assert!(before > 60.0, "queues make its handshake longer: {before}");
    assert!((after - 30.0).abs() < 15.0, "{after}");
}

#[test]
fn a_page_that_does_not_fill_the_link_does_not_slow_it_down() {
    let mut page = recorded("rate 200mbit up 200mbit rtt 30ms");
    let highest = page.recorded.down_bits_per_second.unwrap();
    fit(&mut page, &mut Loads::default()).unwrap();
    let rate = page.recorded.down_bits_per_second.unwrap();
    assert!(rate * 10 > highest * 7, "{rate} of {highest}");
    let think = think(&page, PAGE[0].url);
    assert!((think - 150.0).abs() < 5.0, "{think}");
}

#[test]
fn distances_are_found_on_links_of_any_rate() {
    let errors = [100, 200, 400].map(|rate| {
        [20.0, 30.0, 50.0].map(|rtt| {
            let network = format!("rate {rate}mbit up {rate}mbit rtt {rtt}ms");
            let mut page = recorded(&network);
            fit(&mut page, &mut Loads::default()).unwrap();
            let near = self::rtt(&page, "near.test") - rtt;
            assert!((-1.0..5.0).contains(&near), "{network}: {near}");
            self::rtt(&page, "far.test") - rtt - 60.0
        })
    });
    // The page tells too little of the rate, so the load has a queue that the recording had not.
    let mean = errors.as_flattened().iter().sum::<f64>() / 9.0;
    assert!((-15.0..0.0).contains(&mean), "{errors:?}");
    let all = errors.as_flattened();
    assert!(
        all.iter().all(|error| (-25.0..5.0).contains(error)),
        "{errors:?}"
    );
}

#[test]
fn a_packet_that_the_set_up_lost_does_not_make_a_server_distant() {
    let mut page = recorded("rate 200mbit up 200mbit rtt 20ms");
    let far = page.resources.iter_mut().find(|r| r.url.contains("far"));
    let times = far.unwrap().recorded.as_mut().unwrap();
    times.exchange.as_mut().unwrap().connect = Some(Duration::from_millis(1_200));
    let origin = page.origins.iter_mut().find(|o| o.host == "far.test");
    origin.unwrap().recorded_rtt = Some(Duration::from_millis(600));
    fit(&mut page, &mut Loads::default()).unwrap();
    let rtt = rtt(&page, "far.test");
    assert!((60.0..85.0).contains(&rtt), "{rtt}");
}

#[test]
fn the_shortest_wait_stands_for_a_round_trip() {
    let mut page = recorded("rate 20mbit rtt 30ms queue 200p");
    for origin in &mut page.origins {
        origin.recorded_rtt = None;
    }
    fit(&mut page, &mut Loads::default()).unwrap();
    let think = think(&page, PAGE[0].url);
    assert!((think - 150.0).abs() < 10.0, "{think}");
    assert!(
        page.origins
            .iter()
            .all(|origin| origin.recorded_rtt.is_none())
    );
    for resource in &mut page.resources {
        if let Some(exchange) = &mut resource.recorded.as_mut().unwrap().exchange {
            exchange.wait = Duration::ZERO;
        }
    }
    fit(&mut page, &mut Loads::default()).unwrap();
    assert!(
        page.resources
            .iter()
            .all(|resource| resource.think_time.is_zero())
    );
}

#[test]
fn a_page_without_such_times_is_left_as_it_is() {
    let mut page = recorded("rate 5mbit rtt 30ms");
    for resource in &mut page.resources {
        resource.recorded.as_mut().unwrap().exchange = None;
    }
    let before = page.clone();
    fit(&mut page, &mut Loads::default()).unwrap();
    assert_eq!(page, before);
}
