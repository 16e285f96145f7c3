//! The examples, run as people run them: one serves a folder, the other fetches
//! from it.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Ends the server however the test ends, and clears away its folder.
struct Served {
    child: Child,
    folder: PathBuf,
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself, and then the test has failed already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Cargo puts examples next to the folder of the tests, and builds them with
/// all targets, but not when it is asked for this test alone.
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

#[test]
fn the_client_gets_what_the_server_serves() {
    let (Some(server), Some(client)) = (example("h3_server"), example("h3_client")) else {
        return;
    };
    let folder = std::env::temp_dir().join(format!("pagerace-examples-{}", std::process::id()));
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
