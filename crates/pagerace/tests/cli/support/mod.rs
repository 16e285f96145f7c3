//! A directory for each test, the real binary, and a small page.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though no function here is a test"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A new working directory, removed on drop.
pub(crate) struct Sandbox(PathBuf);

/// Exit code and output of a command.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("cli-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the sorted names in the directory.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names_in(".")
    }

    /// Returns the sorted names in one of its folders.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let entry =
            |e: std::io::Result<fs::DirEntry>| e.unwrap().file_name().into_string().unwrap();
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries.map(entry).collect();
        names.sort();
        names
    }

    /// Returns a command that runs the binary without environment variables for colours.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagerace"));
        command
            .args(words)
            .current_dir(&self.0)
            .stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    /// Returns a command that starts with SIGINT ignored, as shells start background jobs.
    #[cfg(unix)]
    pub(crate) fn deaf(&self, words: &[&str]) -> Command {
        let command = self.command(words);
        let mut deaf = Command::new("sh");
        deaf.args(["-c", "trap '' INT; exec \"$0\" \"$@\""])
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        deaf
    }

    pub(crate) fn run(&self, words: &[&str]) -> Run {
        self.run_with(words, &[])
    }

    pub(crate) fn run_with(&self, words: &[&str], environment: &[(&str, &str)]) -> Run {
        let mut command = self.command(words);
        let output = command.envs(environment.iter().copied()).output().unwrap();
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a page with a document, a style sheet, a script and two images.
pub(crate) fn small_har() -> String {
    let entries: Vec<Value> = [
        ("", "text/html", 12_000, 0, "VeryHigh", "document"),
        (
            "style.css",
            "text/css",
            9_000,
            150,
            "VeryHigh",
            "stylesheet",
        ),
        ("app.js", "text/javascript", 40_000, 152, "High", "script"),
        ("hero.jpg", "image/jpeg", 90_000, 160, "High", "image"),
        ("more.jpg", "image/jpeg", 30_000, 165, "Low", "image"),
    ]
    .into_iter()
    .map(|(path, mime, bytes, start, priority, kind)| {
        entry(path, mime, bytes, start, priority, kind)
    })
    .collect();
    json!({"log": {
        "version": "1.2",
        "creator": {"name": "Pagerace tests", "version": "1"},
        "pages": [{
            "startedDateTime": "2026-01-01T00:00:00.000Z",
            "id": "page_1",
            "title": "https://site.example/",
            "pageTimings": {"onContentLoad": 400, "onLoad": 700},
        }],
        "entries": entries,
    }})
    .to_string()
}

fn entry(path: &str, mime: &str, bytes: u64, start: u64, priority: &str, kind: &str) -> Value {
    let initiator = if path.is_empty() {
        json!({"type": "other"})
    } else {
        json!({"type": "parser", "url": "https://site.example/", "lineNumber": 10})
    };
    json!({
        "pageref": "page_1",
        "startedDateTime": format!("2026-01-01T00:00:00.{start:03}Z"),
        "time": 120,
        "_priority": priority,
        "_resourceType": kind,
        "_initiator": initiator,
        "request": {
            "method": "GET",
            "url": format!("https://site.example/{path}"),
            "httpVersion": "h3",
            "headers": [{"name": "accept", "value": "*/*"}],
            "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0,
        },
        "response": {
            "status": 200, "statusText": "", "httpVersion": "h3",
            "headers": [{"name": "content-type", "value": mime}],
            "cookies": [], "redirectURL": "", "headersSize": -1, "bodySize": bytes,
            "content": {"size": bytes, "mimeType": mime},
            "_transferSize": bytes + 100,
        },
        "cache": {},
        "timings": {"blocked": 1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 60,
            "receive": 59},
        "serverIPAddress": "192.0.2.1",
    })
}
