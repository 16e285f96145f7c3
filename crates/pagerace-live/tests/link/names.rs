//! Programs in the client's namespace resolve names at our server, over the link.

use std::net::Ipv4Addr;
use std::process::{Command, Stdio};

use pagerace_live::link::RunDirectory;
use pagerace_live::names::NameServer;
use pagerace_net::Network;

use crate::common::open;

#[test]
fn the_machines_own_resolver_asks_over_the_link() {
    let Some(bed) = open() else { return };
    let testbed = &bed.testbed;
    let before = std::fs::read("/etc/resolv.conf").unwrap();
    let directory = RunDirectory::create().unwrap();
    testbed.redirect_names(directory.path()).unwrap();
    // The mounts keep the files alive.
    drop(directory);
    let address: Ipv4Addr = testbed.server_address(7).unwrap();
    let names = [("A.test".to_owned(), address.into())];
    let _server = NameServer::start(testbed.server(), testbed.name_server(), names).unwrap();

    let network = Network::parse("rate 10mbit rtt 30ms").unwrap();
    testbed.begin(&network, 1).unwrap();
    let known = look_up(testbed, "a.test");
    let unknown = look_up(testbed, "b.test");
    let report = testbed.finish().unwrap();

    assert_eq!(known.split_whitespace().next(), Some("10.1.0.8"), "{known}");
    assert_eq!(unknown, "");
    let to_server = |p: &&pagerace_live::link::LinkPacket| p.flow.server == testbed.name_server();
    assert!(report.packets.iter().filter(to_server).count() >= 4);
    assert_eq!(std::fs::read("/etc/resolv.conf").unwrap(), before);
}

fn look_up(testbed: &pagerace_live::link::Testbed, name: &str) -> String {
    let mut getent = Command::new("getent");
    getent.args(["ahostsv4", name]).stdout(Stdio::piped());
    let child = testbed.client().spawn(getent).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}
