//! HTTP/1.1 and HTTP/2 over TCP: our server against curl, Python's http.client, hyper,
//! h2spec and our own client.

#[path = "tcp/their_hyper.rs"]
mod their_hyper;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use base64::Engine as _;
use bytes::Bytes;
use pagerace_core::{Priority, Protocol};
use pagerace_live::tcp::{TlsServer, TlsServerConfig, server_tls};
use pagerace_peer::SentFrame;
use pagerace_peer::stream::{StreamClientConfig, StreamServerConfig};
use pagerace_transport::quic::keys::Identity;
use serde_json::Value;

use crate::client::{Fetch, Fetched, TcpClientConfig, client_tls, get_over_tcp};
use crate::memory::MemorySite;
use crate::ours::{PATIENCE, SIZES, local, overtaking};
use crate::peers::{TemporaryFile, pattern, sha256};

const BOTH: [Protocol; 2] = [Protocol::H1, Protocol::H2];

/// The initial window of an HTTP/2 connection, in bytes, which is also the smallest.
const WINDOW: u32 = 65_535;

/// Our server, which runs until it is dropped.
struct OurServer {
    port: u16,
    certificate: Vec<u8>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<SentFrame>>>,
}

impl OurServer {
    fn start(strategy: &str) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let mut stream = StreamServerConfig::new(strategy.parse().unwrap());
        stream.record_frames = true;
        let config = TlsServerConfig::new(stream, server_tls(&identity).unwrap());
        let site = SIZES
            .iter()
            .fold(MemorySite::default(), |site, (path, size)| {
                site.with(path, pattern(*size))
            });
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = TlsServer::bind(address, &config, site).unwrap();
        let port = server.local_address().unwrap().port();
        let stop = Arc::new(AtomicBool::new(false));
        let thread = {
            let stop = stop.clone();
            std::thread::spawn(move || {
                server.run(&stop).unwrap();
                server.take_frames()
            })
        };
        Self {
            port,
            certificate: identity.certificate().to_vec(),
            stop,
            thread: Some(thread),
        }
    }

    /// Stops the server and returns the sent frames in order.
    fn stop(mut self) -> Vec<SentFrame> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }

    fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    /// Returns a file with the server's certificate in PEM, for OpenSSL.
    fn pem(&self) -> TemporaryFile {
        let file = TemporaryFile::new();
        let text = base64::engine::general_purpose::STANDARD.encode(&self.certificate);
        let lines: Vec<&str> = (0..text.len())
            .step_by(64)
            .map(|at| &text[at..text.len().min(at + 64)])
            .collect();
        let pem = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
            lines.join("\n")
        );
        std::fs::write(file.path(), pem).unwrap();
        file
    }
}

impl Drop for OurServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn client_config(server: &OurServer, protocol: Protocol) -> TcpClientConfig {
    TcpClientConfig {
        protocol,
        stream: StreamClientConfig::default(),
        tls: client_tls(&server.certificate, protocol).unwrap(),
    }
}

/// Runs a program. Prints a note and returns `None` if the program is missing.
fn run(command: &mut Command) -> Option<Output> {
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            let program = command.get_program().to_string_lossy();
            eprintln!("skipped: {program} cannot be run ({error})");
            None
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn our_client_and_our_server() {
    for protocol in BOTH {
        let server = OurServer::start("round-robin");
        let mut requests: Vec<Fetch> = SIZES.iter().map(|(path, _)| Fetch::get(*path)).collect();
        requests.push(Fetch::get("/none"));
        requests.push(Fetch {
            method: "HEAD".into(),
            ..Fetch::get("/a")
        });
        requests.push(Fetch {
            method: "POST".into(),
            body: Some(Bytes::from(pattern(3_000_000))),
            ..Fetch::get("/d")
        });
        let config = client_config(&server, protocol);
        let fetched = get_over_tcp(
            local(server.port),
            "localhost",
            &config,
            &requests,
            PATIENCE,
        )
        .unwrap();
        assert_eq!(fetched.len(), requests.len());
        for (path, size) in SIZES {
            let whole = |f: &Fetched| f.path == path && f.status == 200 && f.body == pattern(size);
            assert!(fetched.iter().any(whole), "{protocol} {path}");
        }
        let of = |status| fetched.iter().find(|f| f.status == status).unwrap();
        assert_eq!((&of(404).path[..], &of(405).path[..]), ("/none", "/d"));
        assert!(fetched.iter().any(|f| f.path == "/a" && f.body.is_empty()));
    }
}

#[test]
fn our_server_obeys_our_client() {
    let urgent = |urgency| Some(Priority::new(urgency, false));
    for (update, first, other) in [(None, 1, 3), (urgent(7), 3, 1)] {
        for strategy in ["eps", "h2-tree"] {
            let server = OurServer::start(strategy);
            let requests = [
                Fetch {
                    priority: urgent(1),
                    update,
                    ..Fetch::get("/a")
                },
                Fetch {
                    priority: urgent(5),
                    ..Fetch::get("/b")
                },
            ];
            let mut config = client_config(&server, Protocol::H2);
            // A small window leaves most bytes unsent when the first ones arrive.
            config.stream.h2.connection_window = WINDOW;
            get_over_tcp(
                local(server.port),
                "localhost",
                &config,
                &requests,
                PATIENCE,
            )
            .unwrap();
            // One window before the client receives the first bytes, and one that it has
            // opened since.
            let before = overtaking(&server.stop(), first, other);
            assert!(
                before <= 2 * u64::from(WINDOW),
                "{strategy}: {before} bytes of stream {other} overtook stream {first}"
            );
        }
    }
}

#[test]
fn a_server_that_is_not_trusted_is_refused() {
    let server = OurServer::start("eps");
    let stranger = Identity::new(&["localhost"]).unwrap();
    let config = TcpClientConfig {
        tls: client_tls(stranger.certificate(), Protocol::H2).unwrap(),
        ..client_config(&server, Protocol::H2)
    };
    let requests = [Fetch::get("/d")];
    let error = get_over_tcp(
        local(server.port),
        "localhost",
        &config,
        &requests,
        PATIENCE,
    );
    let error = error.unwrap_err().to_string();
    assert!(error.contains("is lost"), "{error}");
}

#[test]
fn curl_gets_everything() {
    let server = OurServer::start("eps");
    let pem = server.pem();
    let curl = |version: &str, more: &[&str]| -> Option<String> {
        let mut command = Command::new("curl");
        command
            .args(["--silent", "--show-error", "--max-time", "60", "--cacert"])
            .arg(pem.path())
            .args(["--resolve", &format!("localhost:{}:127.0.0.1", server.port)])
            .args([
                version,
                "--write-out",
                "%{http_version} %{response_code} %{size_download}\n",
            ])
            .args(more);
        let output = run(&mut command)?;
        let complaint = text(&output.stderr);
        assert!(output.status.success(), "{version} {more:?}: {complaint}");
        Some(text(&output.stdout))
    };
    for (option, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
        let file = TemporaryFile::new();
        let saved = file.path().to_string_lossy().into_owned();
        for (path, size) in SIZES {
            let Some(said) = curl(option, &["--output", &saved, &server.url(path)]) else {
                return;
            };
            assert_eq!(said, format!("{version} 200 {size}\n"), "{path}");
            if size > 0 {
                assert!(std::fs::read(&saved).unwrap() == pattern(size), "{path}");
            }
        }
        let url = server.url("/a");
        let said = curl(option, &["--head", "--output", &saved, &url]);
        assert_eq!(said, Some(format!("{version} 200 0\n")));
        // The content is large enough for curl to send `Expect: 100-continue`.
        std::fs::write(&saved, pattern(2_000_000)).unwrap();
        let content = format!("@{saved}");
        let post = ["--output", "/dev/null", "--data-binary", &content, &url];
        assert_eq!(curl(option, &post), Some(format!("{version} 405 18\n")));
    }
    let all: Vec<String> = SIZES.iter().map(|(path, _)| server.url(path)).collect();
    // Several requests at once on one connection. Their content is discarded.
    let mut parallel = vec!["--parallel"];
    for url in &all {
        parallel.extend(["--output", "/dev/null", url]);
    }
    let said = curl("--http2", &parallel).unwrap();
    let mut sizes: Vec<usize> = said
        .lines()
        .map(|line| line.strip_prefix("2 200 ").unwrap().parse().unwrap())
        .collect();
    let mut expected: Vec<usize> = SIZES.iter().map(|(_, size)| *size).collect();
    sizes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sizes, expected);
}

#[test]
fn python_keeps_its_connection() {
    let server = OurServer::start("fifo");
    let pem = server.pem();
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/interop/http_client.py"
    );
    let mut command = Command::new("python3");
    command.arg(script).arg(server.port.to_string());
    command.arg(pem.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let Some(output) = run(&mut command) else {
        return;
    };
    let (said, complaint) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}{complaint}");
    let reports: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let statuses: Vec<u64> = reports
        .iter()
        .map(|r| r["status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, [200, 404, 200, 200, 405, 405, 200]);
    let (path, size) = SIZES[6];
    let last = reports.last().unwrap();
    assert_eq!(last["path"], path);
    assert_eq!(last["sha256"], sha256(&pattern(size)));
    let head = &reports[2];
    assert_eq!(head["length"], 0);
    assert_eq!(head["headers"]["content-length"], SIZES[0].1.to_string());
}

/// Runs all of h2spec's tests for RFC 9113 and RFC 7541, including those of
/// recommendations.
#[test]
fn h2spec_passes() {
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../target/interop/bin/h2spec"
    );
    if !Path::new(program).exists() {
        eprintln!("skipped: h2spec is not there; run tests/interop/setup.sh (needs go)");
        return;
    }
    let server = OurServer::start("eps");
    let mut command = Command::new(program);
    command
        .args(["--strict", "--tls", "--insecure", "--timeout", "3"])
        .args(["--host", "127.0.0.1", "--path", "/a", "--port"])
        .arg(server.port.to_string());
    let output = run(&mut command).unwrap();
    let said = text(&output.stdout);
    let summary = said.lines().last().unwrap_or_default();
    assert!(output.status.success(), "{said}");
    assert_eq!(summary, "146 tests, 146 passed, 0 skipped, 0 failed");
}
