//! The examples, run as users run them: one serves a folder, the other fetches from it.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/client.rs"]
mod client;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pagerace_core::Protocol;
use pagerace_peer::stream::StreamClientConfig;

use client::{Fetch, TcpClientConfig, client_tls, get_over_tcp};

/// The server process and its folder. Drop kills the process and removes the folder.
struct Served {
    child: Child,
    folder: PathBuf,
}

impl Drop for Served {
    fn drop(&mut self) {
        // If the server has ended by itself, the test has failed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Cargo puts examples next to the folder of the tests. It builds them with all targets,
/// but not if only this test is requested.
fn example(name: &str) -> Option<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap();
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let example = built.join("examples").join(name);
    if example.exists() {
        return Some(example);
    }
    eprintln!("skipped: the examples are not built; run cargo test -p pagerace-live");
    None
}

/// Runs a server on a folder with one file. Returns its address and its certificate's
/// path.
fn serve(server: PathBuf, name: &str) -> (Served, String, PathBuf) {
    let folder = format!("pagerace-examples-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a.css"), vec![b'a'; 70_000]).unwrap();
    let certificate = folder.join("server.der");
    let child = Command::new(server)
        .arg(&folder)
        .args(["round-robin", "127.0.0.1:0"])
        .arg(&certificate)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut served = Served { child, folder };
    // "FOLDER is at https://ADDRESS/, trust CERTIFICATE"
    let mut line = String::new();
    BufReader::new(served.child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line
        .split_once("https://")
        .and_then(|(_, rest)| rest.split_once('/'));
    let (address, _) = address.expect("the server says where it is");
    (served, address.to_owned(), certificate)
}

#[test]
fn the_client_gets_what_the_server_serves() {
    let (Some(server), Some(client)) = (example("h3_server"), example("h3_client")) else {
        return;
    };
    let (_served, address, certificate) = serve(server, "h3");
    let output = Command::new(client)
        .arg(address)
        .arg(&certificate)
        .args(["/a.css=u=1", "/none"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let has = |words: &[&str]| said.lines().any(|l| words.iter().all(|w| l.contains(w)));
    assert!(has(&["200", "70000 bytes", "/a.css"]), "{said}");
    assert!(has(&["404", "/none"]), "{said}");
}

#[test]
fn the_tcp_server_serves_both_protocols() {
    let Some(server) = example("h2_server") else {
        return;
    };
    let (_served, address, certificate) = serve(server, "h2");
    for protocol in [Protocol::H1, Protocol::H2] {
        let certificate = std::fs::read(&certificate).unwrap();
        let config = TcpClientConfig {
            protocol,
            stream: StreamClientConfig::default(),
            tls: client_tls(&certificate, protocol).unwrap(),
        };
        let requests = [Fetch::get("/a.css"), Fetch::get("/none")];
        let remote = address.parse().unwrap();
        let patience = Duration::from_secs(30);
        let fetched = get_over_tcp(remote, "localhost", &config, &requests, patience).unwrap();
        let of = |path| fetched.iter().find(|f| f.path == path).unwrap();
        assert_eq!(
            (of("/a.css").status, of("/a.css").body.len()),
            (200, 70_000)
        );
        assert_eq!(of("/none").status, 404);
    }
}
