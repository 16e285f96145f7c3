use pagerace_transport::quic::keys::FlightSizes;

use super::*;

#[test]
fn a_lost_connection_keeps_nothing_of_its_requests() {
    let mut client = client();
    while client.pump.h3.poll_write().is_some() {}
    client.tokens.insert(0, 7);
    client.streams.insert(7, 0);
    client.fail_all("the cable was cut".into());
    let (token, code) = (7, h3::Code::NO_ERROR.0);
    assert_eq!(
        client.events.pop_front(),
        Some(ClientEvent::Failed { token, code })
    );
    client.reprioritise(token, Priority::new(0, false));
    assert_eq!(client.pump.h3.poll_write(), None, "no PRIORITY_UPDATE");
}

#[test]
fn a_request_after_the_loss_fails_at_once() {
    let mut client = client();
    let reason = "the cable was cut".to_owned();
    client.fail_all(reason.clone());
    assert_eq!(client.poll_event(), Some(ClientEvent::Lost { reason }));
    client.request(Instant::ZERO, 7, Vec::new(), None, None);
    let (token, code) = (7, h3::Code::REQUEST_REJECTED.0);
    let failed = ClientEvent::Failed { token, code };
    assert_eq!(client.poll_event(), Some(failed));
    assert!(client.waiting.is_empty());
}

fn client() -> Client {
    let config = ClientConfig {
        settings: QuicSettings::default(),
        keys: ClientKeys::Null(FlightSizes::default()),
        seed: 1,
        h3: h3::Config::default(),
        record: false,
    };
    let address = ([10, 0, 0, 2], 443).into();
    Client::connect(&config, Instant::ZERO, Epoch::new(), address, "localhost").unwrap()
}
