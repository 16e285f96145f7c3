//! Endpoints of a transfer that are external programs, with the command line of
//! `tests/interop/quicgo/bulk`.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use pagerace_core::Duration;
use pagerace_live::link::{Namespace, RunDirectory};
use serde::Deserialize;

use super::ends::{Running, Seen};

/// The file in a run's directory through which a client learns the server's certificate.
const CERTIFICATE: &str = "certificate.der";

/// A program that serves until its standard input closes.
pub(super) struct Program {
    child: Child,
    /// The directory of the certificate. Dropping it ends programs that still use it.
    _directory: RunDirectory,
}

impl Program {
    pub(super) fn stop(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        self.child.wait()?;
        Ok(())
    }
}

/// The output of a client; times in nanoseconds.
#[derive(Deserialize)]
struct Report {
    connected: u64,
    finished: u64,
    length: u64,
}

/// Starts a server and returns it with its certificate (DER).
pub(super) fn server(
    namespace: &Namespace,
    program: &Path,
    address: SocketAddr,
    mtu: u16,
) -> Result<(Running, Vec<u8>)> {
    let directory = RunDirectory::create()?;
    let certificate = directory.path().join(CERTIFICATE);
    let mut command = Command::new(program);
    command
        .args(["server", &address.to_string()])
        .arg(&certificate)
        .arg(mtu.to_string())
        .stdin(Stdio::piped());
    let (child, out) = start(namespace, command)?;
    // From here on the program is stopped on every path.
    let program = Program {
        child,
        _directory: directory,
    };
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    if line.trim() != "ready" {
        program.stop()?;
        bail!("the server program said {line:?} instead of \"ready\"");
    }
    let der = std::fs::read(&certificate)?;
    Ok((Running::Program(program), der))
}

/// Runs a client until it exits.
pub(super) fn client(
    namespace: &Namespace,
    program: &Path,
    address: SocketAddr,
    certificate: &[u8],
    bytes: u64,
    mtu: u16,
) -> Result<Seen> {
    let directory = RunDirectory::create()?;
    let file = directory.path().join(CERTIFICATE);
    std::fs::write(&file, certificate)?;
    let mut command = Command::new(program);
    command
        .args(["client", &address.to_string()])
        .arg(&file)
        .args([bytes.to_string(), mtu.to_string()])
        .stdin(Stdio::null());
    let (mut child, mut out) = start(namespace, command)?;
    let mut text = String::new();
    let read = out.read_to_string(&mut text);
    let status = child.wait()?;
    read?;
    let report: Report = serde_json::from_str(&text)
        .with_context(|| format!("the client program ended with {status} and printed {text:?}"))?;
    Ok(Seen {
        connect: Duration::from_nanos(report.connected),
        finished: Duration::from_nanos(report.finished),
        bytes: report.length,
    })
}

fn start(namespace: &Namespace, mut command: Command) -> Result<(Child, ChildStdout)> {
    command.stdout(Stdio::piped());
    let name = command.get_program().to_owned();
    let child = namespace.spawn(command);
    let mut child = child.with_context(|| format!("{} cannot be started", name.display()))?;
    let out = child.stdout.take().expect("it is piped");
    Ok((child, out))
}
