//! From a folder to a calibration, in a real browser. The tests need root, TUN, iproute2
//! and Chromium. Without them they print a note and pass.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function here is a test"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Sandbox, small_har};

/// Returns a requirement of live loads that is missing; `None` if there is none.
fn missing() -> Option<&'static str> {
    let says = |program: &str, words: &[&str]| {
        let output = Command::new(program).args(words).output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    if says("id", &["-u"]).is_none_or(|id| id.trim() != "0") {
        return Some("root");
    }
    if fs::OpenOptions::new()
        .write(true)
        .read(true)
        .open("/dev/net/tun")
        .is_err()
    {
        return Some("/dev/net/tun");
    }
    if says("ip", &["-V"]).is_none() {
        return Some("the ip command (iproute2)");
    }
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let found = browsers.iter().any(|b| says(b, &["--version"]).is_some());
    (!found).then_some("Chromium")
}

/// Options with which a busy machine passes: these tests check facts and not times.
const PATIENT: [&str; 7] = [
    "--busy-max",
    "100",
    "--retries",
    "30",
    "--no-speed-index",
    "--network",
    "rate 10mbit rtt 20ms queue 100p",
];

fn site(sandbox: &Sandbox) {
    fs::create_dir_all(sandbox.path("site")).unwrap();
    let page = "<!doctype html><title>t</title><link rel=stylesheet href=style.css>\
                <h1>Words that are the largest thing here</h1><img src=dot.svg width=40 height=40>";
    sandbox.write("site/index.html", page);
    sandbox.write("site/style.css", "h1 { color: teal }");
    let dot = "<svg xmlns='http://www.w3.org/2000/svg'><circle r='9' fill='red'/></svg>";
    sandbox.write("site/dot.svg", dot);
}

/// Returns a recording as another recorder would have made it.
fn without_own_fields(recording: &str) -> String {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, _| !name.starts_with('_'));
                fields.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut har = serde_json::from_str(recording).unwrap();
    strip(&mut har);
    har.to_string()
}

/// Runs the binary with its scratch files in the sandbox and checks that none remain.
fn run(sandbox: &Sandbox, words: &[&str]) -> crate::support::Run {
    let scratch = sandbox.path("scratch");
    fs::create_dir_all(&scratch).unwrap();
    let run = sandbox.run_with(words, &[("TMPDIR", scratch.to_str().unwrap())]);
    let left: Vec<_> = fs::read_dir(&scratch)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .filter(|name| name.to_string_lossy().starts_with("pagerace-"))
        .collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    run
}

/// A live run ends by SIGINT even if it started with SIGINT ignored. The next run removes the
/// files of one that was killed, with the folders `org.chromium.*` of its browser.
#[cfg(unix)]
#[test]
fn a_live_run_ends_by_any_signal_and_nothing_stays() {
    if let Some(missing) = missing() {
        eprintln!("skipped: live loads need {missing}");
        return;
    }
    let sandbox = Sandbox::new("live-signals");
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/corpus/todo.page.gz"
    );
    let live = |runs| {
        let words = ["live", page, "-P", "h2", "--no-prediction", "--runs", runs];
        [&words[..], &PATIENT].concat()
    };
    // Short, because paths of Chromium's sockets have a maximum length.
    let scratch = std::env::temp_dir().join(format!("pr-{}", std::process::id()));
    fs::create_dir_all(&scratch).unwrap();
    let files = || fs::read_dir(&scratch).unwrap().count();
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let mut command = sandbox.deaf(&live("1000"));
        let mut child = command.env("TMPDIR", &scratch).spawn().unwrap();
        for _ in 0..600 {
            if files() > 0 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        // A browser starts and loads.
        std::thread::sleep(std::time::Duration::from_secs(3));
        let pid = child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success(), "it still runs");
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        let folder = [("TMPDIR", scratch.to_str().unwrap())];
        let next = sandbox.run_with(&live("1"), &folder);
        assert_eq!(next.code, 0, "{}", next.err);
        assert_eq!(files(), 0, "{signal}");
    }
    fs::remove_dir_all(scratch).unwrap();
}

#[test]
fn from_a_folder_to_a_calibration() {
    if let Some(missing) = missing() {
        eprintln!("skipped: live loads need {missing}");
        return;
    }
    let sandbox = Sandbox::new("live");
    site(&sandbox);
    let record = run(&sandbox, &["record", "site/index.html", "-o", "site.page"]);
    assert_eq!(record.code, 0, "{}", record.err);
    assert!(Path::new(&sandbox.path("site.page")).is_file());

    sandbox.write("site.har", &without_own_fields(&sandbox.read("site.page")));
    let again = run(&sandbox, &["record", "site.har", "-o", "again.page"]);
    assert_eq!(again.code, 0, "{}", again.err);
    let guessed = run(&sandbox, &["page", "site.har"]);
    for text in ["paints guessed: ", "pagerace record FILE"] {
        assert!(guessed.out.contains(text), "{text}: {}", guessed.out);
    }
    let measured = run(&sandbox, &["page", "again.page"]);
    let recorded = run(&sandbox, &["page", "site.page"]);
    let paints = |out: &str| {
        let mut lines = out.lines().filter(|line| line.starts_with("paints "));
        lines.next().map(str::to_owned)
    };
    assert!(paints(&recorded.out).is_some(), "{}", recorded.out);
    assert_eq!(paints(&measured.out), paints(&recorded.out));

    let words = [
        "live",
        "site.page",
        "-P",
        "h1,h3",
        "--runs",
        "1",
        "--json",
        "live.json",
        "--report",
        "live.html",
    ];
    let live = run(&sandbox, &[&words[..], &PATIENT].concat());
    assert_eq!(live.code, 0, "{}", live.err);
    for text in [
        "Pagerace",
        ", live",
        "Measured live",
        "Chromium",
        "Predicted by the model",
    ] {
        assert!(live.out.contains(text), "{text}: {}", live.out);
    }
    let json: Value = serde_json::from_str(&sandbox.read("live.json")).unwrap();
    assert_eq!(json["world"], "live", "{json}");
    let report = sandbox.read("live.html");
    for text in [
        "measured in a real browser",
        "\"world\":\"live\"",
        "style.css",
    ] {
        assert!(report.contains(text), "{text}");
    }

    let words = [
        "live",
        "site.page",
        "-P",
        "h3",
        "--runs",
        "1",
        "--delay",
        "css=700ms",
    ];
    let files = ["--csv", "late.csv", "--metric", "fcp", "--film", "late.png"];
    // Two loads, one of which is watched.
    let patient: Vec<&str> = PATIENT
        .into_iter()
        .filter(|word| *word != "--no-speed-index")
        .collect();
    let late = run(&sandbox, &[&words[..], &files, &patient].concat());
    assert_eq!(late.code, 0, "{}", late.err);
    let film = fs::read(sandbox.path("late.png")).unwrap();
    assert!(film.starts_with(b"\x89PNG"));
    let csv = sandbox.read("late.csv");
    let mut lines = csv.lines();
    let column = lines
        .next()
        .unwrap()
        .split(',')
        .position(|name| name.starts_with("fcp"));
    let row = lines.next().unwrap();
    let fcp: f64 = fields(row)[column.unwrap()].parse().unwrap();
    assert!(fcp > 700.0, "the sheet holds the first paint back: {row}");

    let words = ["calibrate", "site.page", "--runs", "1"];
    let files = [
        "--observations",
        "seen.json",
        "-o",
        "accuracy.md",
        "--cells",
        "cells.csv",
        "--timelines",
        "t.csv",
        "--models",
        "models.json.gz",
    ];
    let all = [&words[..], &files, &PATIENT].concat();
    let calibrate = run(&sandbox, &all);
    assert_eq!(calibrate.code, 0, "{}", calibrate.err);
    let accuracy = sandbox.read("accuracy.md");
    assert!(accuracy.contains("Page Load Time"), "{accuracy}");
    let cells = sandbox.read("cells.csv");
    let loaded = |line: &str| line.starts_with("site,false,") && line.contains(",onload,");
    assert!(cells.lines().any(loaded), "{cells}");
    let timelines = sandbox.read("t.csv");
    for (world, path) in [
        ("live", "style.css"),
        ("simulated", "style.css"),
        ("live", "dot.svg"),
    ] {
        let there = |line: &str| line.contains(world) && line.contains(path);
        assert!(timelines.lines().any(there), "{world} {path}: {timelines}");
    }
    // Comparing stored observations needs no browser.
    let again = run(
        &sandbox,
        &[&all[..], &["--offline", "--chromium", "/none"]].concat(),
    );
    assert_eq!(again.code, 0, "{}", again.err);
    // Nor does it need the recording, once the model of the page is kept.
    let kept = ["--models", "models.json.gz", "--observations", "seen.json"];
    let same = ["--runs", "1", "--offline", "--timelines", "again.csv"];
    let kept = sandbox.run(&[&["calibrate"][..], &kept, &same, &PATIENT].concat());
    assert_eq!(kept.code, 0, "{}", kept.err);
    assert_eq!(sandbox.read("again.csv"), sandbox.read("t.csv"));
    // Predictions are for the machine of the observations.
    let mut seen: Value = serde_json::from_str(&sandbox.read("seen.json")).unwrap();
    let settings = seen["settings"].as_array_mut().unwrap();
    assert_eq!((settings.len(), &settings[0]["cpu"]), (1, &json!(1.0)));
    settings[0]["cpu"] = json!(8.0);
    sandbox.write("slow.json", &seen.to_string());
    let kept = ["--models", "models.json.gz", "--observations", "slow.json"];
    let slow = sandbox.run(&[&["calibrate"][..], &kept, &same, &PATIENT].concat());
    assert_eq!(slow.code, 0, "{}", slow.err);
    assert_ne!(sandbox.read("again.csv"), sandbox.read("t.csv"));
    let other = run(
        &sandbox,
        &[&all[..], &["--offline", "--quic-mtu", "1400"]].concat(),
    );
    assert_eq!(other.code, 2, "{}", other.out);
    assert!(other.err.contains("other settings"), "{}", other.err);
    // A recording of other content leaves the file of models alone.
    for page in seen["pages"].as_object_mut().unwrap().values_mut() {
        page["content"] = json!("0123456789abcdef");
    }
    sandbox.write("seen.json", &seen.to_string());
    fs::remove_file(sandbox.path("models.json.gz")).unwrap();
    let other = run(&sandbox, &[&all[..], &["--offline"]].concat());
    assert_eq!(other.code, 2, "{}", other.out);
    assert!(other.err.contains("content"), "{}", other.err);
    assert!(!Path::new(&sandbox.path("models.json.gz")).exists());
}

/// Splits a CSV line into fields, including quoted ones.
fn fields(line: &str) -> Vec<String> {
    let (mut all, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(String::new()),
            c => all.last_mut().expect("there is one").push(c),
        }
    }
    all
}

#[test]
fn what_cannot_be_loaded_live_is_told() {
    let sandbox = Sandbox::new("live-errors");
    sandbox.write("bare.har", &small_har());
    for (words, text) in [
        (&["live", "none.page"][..], "none.page"),
        (&["live", "bare.har"], "no bodies"),
        (&["calibrate", "bare.har", "--offline"], "--observations"),
        (
            &["calibrate", "--models", "m.json.gz"],
            "new loads need recordings",
        ),
        (
            &[
                "calibrate",
                "--models",
                "m.json.gz",
                "--offline",
                "--observations",
                "o.json",
            ],
            "m.json.gz",
        ),
        (
            &[
                "calibrate",
                "bare.har",
                "--offline",
                "--observations",
                "o.json",
                "--cpu",
                "2",
            ],
            "--cpu",
        ),
        (&["calibrate", "none.page", "-o", "none/a.md"], "none/a.md"),
        (&["live", "bare.har", "--block", "ads=1s"], "--block"),
        (&["record", "none.html", "-o", "x.page"], "none.html"),
    ] {
        let run = sandbox.run(words);
        assert_eq!(run.code, 2, "{words:?}: {}", run.err);
        assert!(run.err.contains(text), "{words:?}: {}", run.err);
    }
    assert_eq!(sandbox.names(), ["bare.har"]);
}

/// The committed screenshots are compared with films without a browser and without recordings.
#[test]
fn the_record_of_films_is_made_of_committed_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../calibration");
    let sandbox = Sandbox::new("live-films");
    let [models, seen] =
        ["films-models.json.gz", "films-observed.json"].map(|name| format!("{folder}/{name}"));
    let words = [
        "calibrate",
        "--films",
        "--offline",
        "-n",
        "fast-4g,cable",
        "--runs",
        "1",
    ];
    let files = [
        "--models",
        &models,
        "--observations",
        &seen,
        "-o",
        "films.md",
    ];
    let done = sandbox.run(&[&words[..], &files].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let text = sandbox.read("films.md");
    let committed = fs::read_to_string(format!("{folder}/../docs/accuracy-films.md")).unwrap();
    let measured = |text: &str| {
        text.split("## What was measured")
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(measured(&text), measured(&committed));
}

/// A page without pictures has no film.
#[test]
fn films_need_pictures() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let sandbox = Sandbox::new("live-bare");
    let todo = format!("{root}/tests/corpus/todo.page.gz");
    let words = [
        "calibrate",
        &todo,
        "--films",
        "--offline",
        "--observations",
        "o.json",
    ];
    let run = sandbox.run(&words);
    assert_eq!(run.code, 2, "{}", run.out);
    assert!(
        run.err.contains("todo: the recording has no pictures"),
        "{}",
        run.err
    );
}

#[test]
fn a_calibration_names_all_pages_that_serve_other_content() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let sandbox = Sandbox::new("live-content");
    let measured = fs::read_to_string(format!("{root}/calibration/observed.json")).unwrap();
    let mut seen: Value = serde_json::from_str(&measured).unwrap();
    let other = json!({"content": "0", "urls": []});
    seen["pages"] = json!({"slides": other, "todo": other});
    seen["observations"] = json!([]);
    sandbox.write("seen.json", &seen.to_string());
    let [slides, todo, carousel] =
        ["slides", "todo", "carousel"].map(|name| format!("{root}/tests/corpus/{name}.page.gz"));
    let options = ["--offline", "--observations", "seen.json"];
    let run = sandbox.run(&[&["calibrate", &slides, &carousel, &todo][..], &options].concat());
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.err.contains("slides, todo: "), "{}", run.err);
}
