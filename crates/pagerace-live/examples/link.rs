//! Runs two commands with an emulated link between them.
//!
//! ```text
//! cargo run -p pagerace-live --example link -- slow-4g 'python3 -m http.server 80' 'curl -s -o /dev/null http://10.1.0.1/'
//! ```
//!
//! The first command runs in the namespace of the servers, which has 10.1.0.1 and all
//! other addresses of 10.1.0.0/16. The second runs in that of the client, at 10.0.0.1.
//! When the second ends, the example prints the link's report and removes everything.

use std::error::Error;
use std::process::Command;
use std::time::Duration;

use pagerace_live::link::{LinkReport, RunDirectory, Testbed, hol_blocked_tcp};
use pagerace_net::Network;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [network, server, client] = &arguments[..] else {
        return Err("usage: link NETWORK SERVER-COMMAND CLIENT-COMMAND".into());
    };
    let network = Network::parse(network)?;
    let directory = RunDirectory::create()?;
    let testbed = Testbed::open()?;
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(line);
        command.env("PAGERACE_DIRECTORY", directory.path());
        command
    };
    let mut server = testbed.server().spawn(shell(server))?;
    // The server needs some time to open its sockets.
    std::thread::sleep(Duration::from_millis(500));
    testbed.begin(&network, 1)?;
    eprintln!("{} in {}", network.describe(), directory.path().display());
    testbed.client().spawn(shell(client))?.wait()?;
    print(&testbed.finish()?);
    server.kill()?;
    server.wait()?;
    Ok(())
}

fn print(report: &LinkReport) {
    for (way, counters) in [("down", report.down), ("up", report.up)] {
        eprintln!(
            "{way}: {} packets delivered ({} bytes), {} lost, {} dropped by the queue",
            counters.delivered, counters.bytes_delivered, counters.lost, counters.queue_drops
        );
    }
    let blocked = hol_blocked_tcp(&report.packets);
    eprintln!("bytes that TCP held back behind a gap: {}", blocked.bytes);
    eprintln!("lateness: {}", report.lateness);
    match report.objection() {
        Some(why) => eprintln!("do not believe this run: {why}"),
        None => eprintln!("this run may be believed"),
    }
}
