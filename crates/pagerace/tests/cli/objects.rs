//! Exported objects are written completely or not at all, and other files stay untouched.

use std::fs;

use serde_json::Value;

use crate::support::{Sandbox, small_har};

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("site.har", &small_har());
    sandbox
}

#[test]
fn objects_are_as_large_as_recorded() {
    let sandbox = sandbox("objects");
    let run = sandbox.run(&["objects", "site.har", "-o", "out/"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(
        run.out,
        "Wrote out/: 5 objects of 181000 bytes, transfer_log.csv, transfer_sequence.json\n"
    );
    assert_eq!(sandbox.names(), ["out", "site.har"], "nothing else is left");
    assert_eq!(
        sandbox.names_in("out"),
        [
            "object-0000.html",
            "object-0001.css",
            "object-0002.js",
            "object-0003.jpg",
            "object-0004.jpg",
            "transfer_log.csv",
            "transfer_sequence.json"
        ]
    );
    let sequence: Value =
        serde_json::from_str(&sandbox.read("out/transfer_sequence.json")).unwrap();
    for object in sequence.as_array().unwrap() {
        let name = object["file_name"].as_str().unwrap();
        let size = fs::metadata(sandbox.path("out").join(name)).unwrap().len();
        assert_eq!(object["size_bytes"], size, "{name}");
    }
    let log = sandbox.read("out/transfer_log.csv");
    assert_eq!(log.lines().count(), 6);
    assert_eq!(
        log.lines().nth(2),
        Some("1,css,false,https://site.example/style.css,css,9000,150,120,object-0001.css"),
        "{log}"
    );
}

#[test]
fn an_earlier_export_is_replaced_only_with_force() {
    let sandbox = sandbox("objects-force");
    fs::create_dir(sandbox.path("out")).unwrap();
    let words = ["objects", "site.har", "-o", "out"];
    assert_eq!(sandbox.run(&words).code, 0, "an empty folder may be filled");
    sandbox.write("out/object-9999.js", "old");
    let refused = sandbox.run(&words);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("out: holds an earlier export"),
        "{}",
        refused.err
    );
    let forced = sandbox.run(&[&words[..], &["--force"]].concat());
    assert_eq!(forced.code, 0, "{}", forced.err);
    assert!(!sandbox.path("out/object-9999.js").exists());
    sandbox.write("out/notes.txt", "mine");
    let refused = sandbox.run(&[&words[..], &["--force"]].concat());
    assert_eq!(refused.code, 2);
    assert!(
        refused
            .err
            .contains("out: holds notes.txt, which no export wrote"),
        "{}",
        refused.err
    );
    assert_eq!(sandbox.read("out/notes.txt"), "mine");
    assert_eq!(sandbox.names(), ["out", "site.har"]);
}

#[test]
fn what_cannot_be_exported_leaves_nothing() {
    let sandbox = sandbox("objects-wrong");
    let big = small_har().replace("90000", "4000000000");
    sandbox.write("big.har", &big.replace("90100", "4000000100"));
    sandbox.write("file", "");
    for (words, expected) in [
        (
            vec!["big.har", "-o", "out"],
            "big.har: its objects have 4000091000 bytes, more than the 200000000 of --max-bytes; \
             the largest, resource 3 (https://site.example/hero.jpg), has 4000000000; allow it \
             with --max-bytes 4001MB",
        ),
        (
            vec!["site.har", "-o", "out", "--max-bytes", "180kB"],
            "allow it with --max-bytes 1MB",
        ),
        (
            vec!["site.har", "-o", "out", "--page", "7"],
            "site.har: has no page \"7\"",
        ),
        (
            vec!["missing.har", "-o", "out"],
            "missing.har: cannot be read",
        ),
        (
            vec!["site.har", "-o", "file"],
            "file: is a file, not a folder",
        ),
        (vec!["site.har", "-o", "."], ".: not the name of a folder"),
        (
            vec!["site.har", "-o", "no/such"],
            "no/such: cannot be created in no",
        ),
    ] {
        let run = sandbox.run(&[&["objects"], &words[..]].concat());
        assert_eq!(run.code, 2, "{words:?}");
        assert!(run.err.contains(expected), "{}\nlacks {expected}", run.err);
        assert_eq!(run.err.lines().count(), 1, "{}", run.err);
        assert_eq!(
            sandbox.names(),
            ["big.har", "file", "site.har"],
            "{words:?}"
        );
    }
}
