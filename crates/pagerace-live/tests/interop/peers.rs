//! Locations and invocations of the independent peers.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use ring::digest::{SHA256, digest};
use serde_json::Value;

/// An independent HTTP/3 stack, or Go's HTTP/2 server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    Aioquic,
    QuicGo,
    GoHttp2,
    /// Servers of files.
    Nginx,
    Ngtcp2,
}

/// The role of a peer in a test.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Client,
    Server,
}

/// Returns the root of the project, of which tools of another folder use this file as well.
fn root() -> &'static Path {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let root = folders.find(|folder| folder.join("tests/interop").exists());
    root.expect("the project has tests of interoperability")
}

impl Peer {
    /// Returns the command that runs the peer. Prints a note and returns `None` if it is
    /// missing.
    pub(crate) fn command(self, side: Side) -> Option<Command> {
        let built = root().join("target/interop");
        let script = |name: &str| root().join("tests/interop").join(name);
        let (program, script) = match (self, side) {
            (Self::Aioquic, Side::Client) => (
                built.join("venv/bin/python"),
                Some(script("aioquic_client.py")),
            ),
            (Self::Aioquic, Side::Server) => (
                built.join("venv/bin/python"),
                Some(script("aioquic_server.py")),
            ),
            (Self::QuicGo | Self::GoHttp2, Side::Client) => (built.join("bin/quicgo-client"), None),
            (Self::QuicGo | Self::GoHttp2, Side::Server) => (built.join("bin/quicgo-server"), None),
            (Self::Nginx | Self::Ngtcp2, _) => (
                built.join("venv/bin/python"),
                Some(script("files_server.py")),
            ),
        };
        if !program.exists() {
            eprintln!(
                "skipped: {self:?} is not there; run tests/interop/setup.sh \
                 (needs python3 with venv, and go)"
            );
            return None;
        }
        let mut command = Command::new(program);
        command.args(script).env("PYTHONDONTWRITEBYTECODE", "1");
        command.args(match self {
            Self::Nginx => Some("nginx"),
            Self::Ngtcp2 => Some("gtlsserver"),
            _ => None,
        });
        Some(command)
    }
}

/// A unique file name. The file is removed on drop.
pub(crate) struct TemporaryFile(PathBuf);

impl TemporaryFile {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("pagerace-interop-{}-{count}.der", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl TemporaryFile {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // The file may never have been written.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// An independent server, which runs until it is dropped.
pub(crate) struct TheirServer {
    child: Child,
    pub(crate) port: u16,
    pub(crate) certificate: Vec<u8>,
}

impl TheirServer {
    pub(crate) fn start(peer: Peer) -> Option<Self> {
        let certificate = TemporaryFile::new();
        let mut command = peer.command(Side::Server)?;
        command
            .arg(&certificate.0)
            .args((peer == Peer::GoHttp2).then_some("h2"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        if line.starts_with("missing: ") {
            eprintln!("skipped: {}", line.trim());
            child.wait().unwrap();
            return None;
        }
        let port = line
            .trim()
            .strip_prefix("port ")
            .and_then(|p| p.parse().ok());
        let Some(port) = port else {
            child.wait().unwrap();
            panic!("{peer:?} did not say its port but {line:?}");
        };
        Some(Self {
            child,
            port,
            certificate: std::fs::read(&certificate.0).unwrap(),
        })
    }
}

impl Drop for TheirServer {
    fn drop(&mut self) {
        // The servers run until their standard input closes.
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// A response as an independent client reports it, in order of completion.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) path: String,
    pub(crate) status: u64,
    pub(crate) length: u64,
    pub(crate) sha256: String,
    pub(crate) headers: Value,
}

/// Runs an independent client against a server on 127.0.0.1.
pub(crate) fn run_client(
    peer: Peer,
    port: u16,
    certificate: &[u8],
    requests: &Value,
) -> Option<Vec<Report>> {
    let mut command = peer.command(Side::Client)?;
    let file = TemporaryFile::new();
    std::fs::write(&file.0, certificate).unwrap();
    command
        .arg(port.to_string())
        .arg(&file.0)
        .arg(requests.to_string());
    let output = command.output().unwrap();
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{peer:?}: {stdout}{stderr}");
    let report = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        Report {
            path: value["path"].as_str().unwrap().to_owned(),
            status: value["status"].as_u64().unwrap(),
            length: value["length"].as_u64().unwrap(),
            sha256: value["sha256"].as_str().unwrap().to_owned(),
            headers: value["headers"].clone(),
        }
    };
    Some(stdout.lines().map(report).collect())
}

/// Returns `length` bytes, of which byte i is i mod 251.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

/// Returns the SHA-256 hash in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = digest(&SHA256, bytes);
    let bytes = digest.as_ref().iter();
    bytes.fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
