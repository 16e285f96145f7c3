//! Surveys of people.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use crate::support::{Sandbox, small_har};

/// Makes a survey of a small page over two versions of HTTP.
fn made(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("site.har", &small_har());
    let done = sandbox.run(&["survey", "new", "site.har", "--protocol", "h1,h2"]);
    assert_eq!(done.code, 0, "{}", done.err);
    sandbox
}

/// Returns the answer of a survey's server to this request.
fn ask(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server answers");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
    )
    .expect("the server answers");
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .expect("the server answers");
    answer
}

#[test]
fn a_survey_is_made_and_served() {
    let sandbox = made("survey-served");
    for file in ["survey.json", "player.js", "player.css", "films/scene.json"] {
        assert!(sandbox.path("survey").join(file).exists(), "{file}");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_pagerace"))
        .args(["survey", "serve", "survey", "--port", "0"])
        .current_dir(sandbox.path("."))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let (_, address) = line.split_once("http://").unwrap();
    let (address, _) = address.split_once('/').unwrap();
    let first = ask(address, "/");
    let player = ask(address, "/player.js");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.starts_with("HTTP/1.1 200"), "{first}");
    assert!(
        !first.contains("http://") && !first.contains("https://"),
        "{first}"
    );
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
