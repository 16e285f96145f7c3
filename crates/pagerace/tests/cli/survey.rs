//! Surveys of people.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

#[cfg(feature = "live")]
mod browser;
#[cfg(unix)]
mod kill;
mod report;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use pagerace_survey::Survey;
use pagerace_survey::survey::FILE;

use crate::support::{Sandbox, small_har};

/// Makes a survey of a small page over two versions of HTTP.
fn made(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("site.har", &small_har());
    let done = sandbox.run(&["survey", "new", "site.har", "--protocol", "h1,h2"]);
    assert_eq!(done.code, 0, "{}", done.err);
    sandbox
}

/// Changes the file of a survey.
fn change(sandbox: &Sandbox, folder: &str, change: impl FnOnce(&mut Survey)) {
    let mut survey = Survey::read(&sandbox.path(folder)).unwrap();
    change(&mut survey);
    let text = serde_json::to_string(&survey).unwrap();
    sandbox.write(&format!("{folder}/{FILE}"), &text);
}

/// A running `pagerace survey serve`, killed on drop.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(sandbox: &Sandbox, folder: &str) -> Self {
        let mut command = sandbox.command(&["survey", "serve", folder, "--port", "0"]);
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let (_, address) = line.split_once("http://").expect(&line);
        let (address, _) = address.split_once('/').unwrap();
        let address = address.to_owned();
        Self { child, address }
    }

    /// Ends the server without a chance to do anything.
    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the response to a request with this method and form; `None` if it does not come whole.
fn ask(address: &str, method: &str, path: &str, form: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    let length = form.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\r\n{form}"
    )
    .ok()?;
    let mut response = String::new();
    stream.read_to_string(&mut response).ok()?;
    response.contains("\r\n\r\n").then_some(response)
}

#[test]
fn a_survey_is_made_and_served() {
    let sandbox = made("survey-served");
    for file in ["survey.json", "player.js", "player.css", "films/scene.json"] {
        assert!(sandbox.path("survey").join(file).exists(), "{file}");
    }
    let served = Served::start(&sandbox, "survey");
    let get = |path: &str| ask(&served.address, "GET", path, "").unwrap();
    let first = get("/");
    assert!(first.starts_with("HTTP/1.1 200"), "{first}");
    assert!(
        !first.contains("http://") && !first.contains("https://"),
        "{first}"
    );
    let player = get("/player.js");
    assert!(player.contains("pageracePlayer"), "{player}");
}

#[test]
fn a_survey_without_versions_or_answers_is_an_error() {
    let sandbox = made("survey-errors");
    let again = sandbox.run(&["survey", "new", "site.har", "--protocol", "h1,h2"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("is not empty"), "{}", again.err);
    let alone = sandbox.run(&["survey", "new", "site.har", "-o", "alone"]);
    assert_eq!(alone.code, 2);
    assert!(alone.err.contains("nothing to compare"), "{}", alone.err);
    let report = sandbox.run(&["survey", "report", "survey"]);
    assert_eq!(report.code, 2);
    assert!(report.err.contains("nobody has answered"), "{}", report.err);
}

#[test]
fn mistakes_in_the_file_are_named() {
    let sandbox = made("survey-mistakes");
    let whole = sandbox.read("survey/survey.json");
    for (text, told) in [
        (whole[..whole.len() / 2].to_owned(), "EOF while parsing"),
        (
            whole.replace("\"seed\"", "\"sead\""),
            "unknown field `sead`",
        ),
        (
            whole.replace("\"id\": \"2\"", "\"id\": \"../2\""),
            "versions: id: \"../2\"",
        ),
    ] {
        sandbox.write("survey/survey.json", &text);
        for command in ["serve", "report"] {
            let run = sandbox.run(&["survey", command, "survey"]);
            assert_eq!(run.code, 2, "{told}");
            assert!(
                run.err.starts_with("error: survey/survey.json: "),
                "{}",
                run.err
            );
            assert!(run.err.contains(told), "{told}: {}", run.err);
        }
    }
}
