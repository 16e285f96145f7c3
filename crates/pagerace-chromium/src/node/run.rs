//! Running a program with input, output and a timeout.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

use pagerace_core::Duration;
use serde_json::Value;

use super::package::{Package, SCRIPT};
use crate::browser::Spawn;
use crate::error::ChromiumError;

/// Returns the first lines of standard error as one line. npm and Node.js report the
/// cause first, followed by many details.
fn said(err: &[u8]) -> String {
    let text = String::from_utf8_lossy(err);
    let lines = text.lines().map(str::trim);
    let told = lines.filter(|line| !line.is_empty() && !line.starts_with("npm warn"));
    told.take(12).collect::<Vec<_>>().join(" | ")
}

/// Writes `input` to a program whose three streams are pipes, waits for its end and returns
/// its output; kills it after `timeout`. An error message follows the program's name.
pub(super) fn finish(
    mut child: Child,
    input: Vec<u8>,
    timeout: Duration,
) -> Result<Vec<u8>, String> {
    let (sender, receiver) = channel();
    let mut readers = 0;
    if let Some(mut stdin) = child.stdin.take() {
        // Write errors are ignored: a program that stops reading fails and reports why.
        thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|s| Box::new(s) as _),
        child.stderr.take().map(|s| Box::new(s) as _),
    ];
    for (which, stream) in streams.into_iter().enumerate() {
        let Some(mut stream) = stream else { continue };
        let sender = sender.clone();
        readers += 1;
        thread::spawn(move || {
            let mut bytes = Vec::new();
            // Bytes that were read before an error are kept.
            let _ = stream.read_to_end(&mut bytes);
            // The receiver is gone after a timeout.
            let _ = sender.send((which, bytes));
        });
    }
    let mut texts = [Vec::new(), Vec::new()];
    for _ in 0..readers {
        match receiver.recv_timeout(timeout.to_std()) {
            Ok((which, bytes)) => texts[which] = bytes,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                // An error means that the program has ended meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("did not end within {timeout}"));
            }
        }
    }
    let status = child
        .wait()
        .map_err(|e| format!("cannot be awaited: {e}"))?;
    let [out, err] = texts;
    if status.success() {
        Ok(out)
    } else {
        Err(format!("failed: {}", said(&err)))
    }
}

impl Package {
    /// Runs the script of an installed package with JSON input and output.
    pub(super) fn run(
        &self,
        folder: &Path,
        input: &Value,
        timeout: Duration,
        spawn: Spawn<'_>,
    ) -> Result<Value, ChromiumError> {
        let mut node = Command::new("node");
        node.arg(folder.join(SCRIPT))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = spawn(node).map_err(|e| self.cannot_start("node", &e))?;
        let output = finish(child, input.to_string().into_bytes(), timeout)
            .map_err(|reason| self.error(&format!("its script {reason}")))?;
        serde_json::from_slice(&output)
            .map_err(|e| self.error(&format!("its script wrote no JSON ({e})")))
    }
}
