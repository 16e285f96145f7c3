//! Scans of independent servers: aioquic and quic-go.
//!
//! `tests/interop/setup.sh` prepares them. Without them, the tests skip aloud.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

mod internet;

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use internet::asked::{Folder, rows, scan};
use internet::{Internet, Server, kind};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A server that ends with its standard input, at the latest with the value.
struct Peer(Child);

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server, and returns where it listens.
fn start(mut command: Command, certificate: &Path) -> (Peer, SocketAddr) {
    command
        .arg(certificate)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let port = line.trim().strip_prefix("port ").unwrap().parse().unwrap();
    (Peer(child), SocketAddr::from(([127, 0, 0, 1], port)))
}

fn scan_of(name: &'static str, command: Command) {
    let folder = Folder::new(name);
    let (_peer, at) = start(command, &folder.0.join("certificate.der"));
    let internet = Internet::start(vec![kind(name, 1, Server::Dead)], 1);
    internet.place(0, at);
    let domain = format!("0.{name}.test");
    let scan = scan(
        &internet,
        &folder,
        vec![domain.clone()],
        Duration::from_secs(10),
    );
    let row = rows(scan, &folder).remove(&domain).unwrap();
    let host = row.v4.unwrap();
    assert!(host.tcp.unwrap().error.unwrap().starts_with("refused: "));
    let quic = host.quic.unwrap();
    assert!(quic.error.is_none() && quic.status.is_some(), "{quic:?}");
    assert!(
        quic.settings.is_some() && quic.parameters.is_some(),
        "{quic:?}"
    );
    let versions = quic.versions.as_deref().unwrap();
    assert!(
        versions.split(' ').any(|version| version == "1"),
        "{versions}"
    );
    assert!(quic.amplification.unwrap() <= 3.0, "{quic:?}");
    // The certificate is signed by itself, for another name.
    assert_ne!(quic.certificate.unwrap().verdict, "valid");
    assert!(!quic.retry);
}

#[test]
fn aioquic_is_scanned() {
    let python = root().join("target/interop/venv/bin/python");
    if !python.exists() {
        println!("SKIPPED: no aioquic; run tests/interop/setup.sh");
        return;
    }
    let mut command = Command::new(python);
    command
        .arg("aioquic_server.py")
        .current_dir(root().join("tests/interop"));
    scan_of("aioquic", command);
}

#[test]
fn quic_go_is_scanned() {
    let server = root().join("target/interop/bin/quicgo-server");
    if !server.exists() {
        println!("SKIPPED: no quic-go; run tests/interop/setup.sh");
        return;
    }
    scan_of("quic-go", Command::new(server));
}
