use pagerace_sim::EarlyData;

use super::facts;
use crate::fake;

#[test]
fn strategies_alone_over_http_3() {
    assert_eq!(
        facts(&fake::plan(&["sequential", "eps"], 3)),
        "chrome, CPU x1, jitter 0.1, connections per origin, cubic, lost bytes sent again at once"
    );
}

#[test]
fn what_varies_stands_elsewhere() {
    assert_eq!(
        facts(&fake::plan(&["h2", "h3 reno"], 3)),
        "chrome, CPU x1, jitter 0.1, connections per origin, strategy sequential, QUIC's lost \
         bytes sent again at once, TLS 1.3 over TCP"
    );
    assert_eq!(
        facts(&fake::plan(&["h1 cubic", "h1 reno"], 3)),
        "chrome, CPU x1, jitter 0.1, h1, connections per origin, TLS 1.3 over TCP"
    );
}

#[test]
fn later_visits_say_what_leaves_early() {
    let mut plan = fake::plan(&["h3 resumed", "h3 resumed eps"], 3);
    assert!(facts(&plan).contains("a resumed visit"));
    assert!(facts(&plan).ends_with("early data on QUIC"));
    plan.transport.early_data = EarlyData::Off;
    assert!(facts(&plan).ends_with("no early data"));
}
