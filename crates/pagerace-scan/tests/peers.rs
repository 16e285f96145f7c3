//! Scans of independent servers: aioquic, quic-go and nginx.
//!
//! `tests/interop/setup.sh` prepares the first two; nginx is that of the system, if it was built
//! with HTTP/3. Without them, the tests skip aloud.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

mod internet;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use internet::asked::{Folder, rows, scan};
use internet::certificate::pem;
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
    scan_at(name, at, &folder);
}

/// Scans a server that speaks QUIC alone.
fn scan_at(name: &'static str, at: SocketAddr, folder: &Folder) {
    let internet = Internet::start(vec![kind(name, 1, Server::Dead)], 1);
    internet.place(0, at);
    let domain = format!("0.{name}.test");
    let scan = scan(
        &internet,
        folder,
        vec![domain.clone()],
        Duration::from_secs(10),
    );
    let row = rows(scan, folder).remove(&domain).unwrap();
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

/// Returns true if there is an nginx with HTTP/3, and `setpriv`, which ends it with the test.
fn has_nginx() -> bool {
    let built = Command::new("nginx").arg("-V").output();
    let http3 = built
        .is_ok_and(|told| String::from_utf8_lossy(&told.stderr).contains("--with-http_v3_module"));
    http3 && Command::new("setpriv").arg("--version").output().is_ok()
}

#[test]
fn nginx_is_scanned() {
    if !has_nginx() {
        println!("SKIPPED: no nginx with http_v3_module, or no setpriv");
        return;
    }
    let folder = Folder::new("nginx");
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let write = |name, text| fs::write(folder.0.join(name), text).unwrap();
    write(
        "key.pem",
        pem("PRIVATE KEY", &key.signing_key.serialize_der()),
    );
    write("certificate.pem", pem("CERTIFICATE", key.cert.der()));
    let free = UdpSocket::bind("127.0.0.1:0").unwrap();
    let at = free.local_addr().unwrap();
    drop(free);
    let settings = format!(
        "daemon off; master_process off; pid nginx.pid; error_log stderr notice;
        events {{}}
        http {{ access_log off; client_body_temp_path body; proxy_temp_path proxy;
        fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi; server {{
            listen {at} quic;
            ssl_certificate certificate.pem;
            ssl_certificate_key key.pem;
            root html;
        }} }}"
    );
    // Paths of certificates are relative to the file.
    let file = folder.0.join("nginx.conf");
    fs::write(&file, settings).unwrap();
    let child = Command::new("setpriv")
        .args(["--pdeathsig", "KILL", "nginx", "-e", "stderr", "-p"])
        .arg(&folder.0)
        .arg("-c")
        .arg(&file)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut peer = Peer(child);
    let mut told = String::new();
    let mut lines = BufReader::new(peer.0.stderr.take().unwrap());
    // nginx says this when its sockets are open.
    while !told.contains("event method") {
        let length = lines.read_line(&mut told).unwrap();
        assert!(length > 0, "nginx does not start: {told}");
    }
    scan_at("nginx", at, &folder);
}
