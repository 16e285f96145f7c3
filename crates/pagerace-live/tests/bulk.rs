//! Transfers over the emulated link. These tests check which packets crossed it;
//! `cargo run -p pagerace-tools --bin transfers` measures the speed.
//!
//! The tests need root and /dev/net/tun. Without them they print a note and pass.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "a tool uses more of it")]
#[path = "support/bulk/mod.rs"]
mod bulk;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/client.rs"]
mod client;

use pagerace_core::Protocol;
use pagerace_live::LiveError;
use pagerace_live::link::{Direction, Testbed, Transport};
use pagerace_net::Network;

use bulk::{Bulk, BulkObserved, Carrier, QuicEnd, transfer};

const BYTES: u64 = 300_000;

/// Opens a testbed. Prints a note and returns `None` where that is not permitted.
fn testbed() -> Option<Testbed> {
    match Testbed::open() {
        Ok(testbed) => Some(testbed),
        Err(error @ (LiveError::Privileges { .. } | LiveError::Tool { .. })) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn run(testbed: &Testbed, network: &str, carrier: Carrier) -> BulkObserved {
    let bulk = Bulk {
        bytes: BYTES,
        carrier,
    };
    let network = Network::parse(network).expect("a network");
    transfer(testbed, &network, 1, &bulk).expect("the transfer goes through")
}

fn tcp(protocol: Protocol, congestion: &str) -> Carrier {
    Carrier::KernelTcp {
        protocol,
        congestion: congestion.to_owned(),
    }
}

fn quic() -> Carrier {
    Carrier::Quic {
        congestion: "cubic".to_owned(),
        mtu: 1_200,
        server: QuicEnd::Ours,
        client: QuicEnd::Ours,
    }
}

/// Asserts that everything crossed the link over the requested transport and took at
/// least the time that the link's rate requires.
fn check(observed: &BulkObserved, transport: Transport, rate: f64) {
    assert_eq!(observed.bytes, BYTES);
    assert!(observed.tally.bytes > BYTES);
    let packets = &observed.link.packets;
    let stranger = packets.iter().find(|p| p.flow.transport != transport);
    assert_eq!(stranger, None, "of {} packets", packets.len());
    assert!(packets.iter().any(|p| p.direction == Direction::Up));
    let least = 8.0 * BYTES as f64 / rate;
    assert!(observed.finished.as_secs_f64() > least);
    assert!(observed.connect < observed.finished);
}

#[test]
fn kernel_tcp_carries_http() {
    let Some(testbed) = testbed() else { return };
    for (protocol, congestion) in [
        (Protocol::H1, "reno"),
        (Protocol::H2, "cubic"),
        (Protocol::H2, "reno"),
    ] {
        let network = "rate 20mbit rtt 20ms queue 1000p";
        let observed = run(&testbed, network, tcp(protocol, congestion));
        check(&observed, Transport::Tcp, 20e6);
        assert_eq!(observed.tally.lost + observed.tally.dropped, 0);
    }
}

#[test]
fn quic_carries_http() {
    let Some(testbed) = testbed() else { return };
    let observed = run(&testbed, "rate 20mbit rtt 20ms queue 1000p", quic());
    check(&observed, Transport::Udp, 20e6);
    assert_eq!(observed.tally.lost + observed.tally.dropped, 0);
    assert_eq!(observed.tally.repeated_bytes, 0);
}

#[test]
fn what_is_lost_is_sent_again() {
    let Some(testbed) = testbed() else { return };
    let network = "rate 20mbit rtt 20ms loss 3%";
    let observed = run(&testbed, network, tcp(Protocol::H2, "reno"));
    check(&observed, Transport::Tcp, 20e6);
    let tally = observed.tally;
    assert!(tally.lost > 0);
    // Only the loss of an acknowledgement or FIN needs no retransmission.
    assert!(
        tally.repeated_bytes >= 1_000 * (tally.lost / 2),
        "{tally:?}"
    );
    check(&run(&testbed, network, quic()), Transport::Udp, 20e6);
}

#[test]
fn an_unknown_controller_is_told() {
    let Some(testbed) = testbed() else { return };
    let bulk = Bulk {
        bytes: BYTES,
        carrier: tcp(Protocol::H2, "no-such-controller"),
    };
    let network = Network::parse("rate 20mbit rtt 20ms").unwrap();
    let error = transfer(&testbed, &network, 1, &bulk).unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(LiveError::Congestion { .. })),
        "{error}"
    );
    // The testbed stays usable.
    let bulk = Bulk {
        carrier: tcp(Protocol::H2, "reno"),
        ..bulk
    };
    let observed = transfer(&testbed, &network, 1, &bulk).unwrap();
    assert_eq!(observed.bytes, BYTES);
}
