//! Crates only depend on lower ones; `ARCHITECTURE.md` lists them from the bottom.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Crates from the bottom up. A crate may use those before it.
const LAYERS: [&str; 27] = [
    "pagerace-core",
    "pagerace-page",
    "pagerace-har",
    "pagerace-essential",
    "pagerace-net",
    "pagerace-cc",
    "pagerace-delivery",
    "pagerace-papers",
    "pagerace-transport",
    "pagerace-http",
    "pagerace-peer",
    "pagerace-probe",
    "pagerace-browser",
    "pagerace-sim",
    "pagerace-qlog",
    "pagerace-chromium",
    "pagerace-live",
    "pagerace-report",
    "pagerace-lab",
    "pagerace-calibration",
    "pagerace-study",
    "pagerace-corpus",
    "pagerace-scan",
    "pagerace-survey",
    "pagerace",
    "pagerace-python",
    "pagerace-tools",
];

/// Pairs that are forbidden although their order would permit them.
const STRANGERS: [(&str, &str); 7] = [
    ("pagerace-transport", "pagerace-net"),
    ("pagerace-browser", "pagerace-transport"),
    ("pagerace-live", "pagerace-sim"),
    ("pagerace-report", "pagerace-sim"),
    ("pagerace-browser", "pagerace-har"),
    ("pagerace-sim", "pagerace-har"),
    ("pagerace-scan", "pagerace-sim"),
];

#[test]
fn dependencies_point_down() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let level = |name: &str| LAYERS.iter().position(|l| *l == name);
    assert_eq!(
        packages.len(),
        LAYERS.len(),
        "every crate has a place in the list"
    );
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        let mine = level(name).unwrap_or_else(|| panic!("{name} has no place in the list"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let other = dependency["name"].as_str().expect("a name");
            let Some(theirs) = level(other) else { continue };
            assert!(theirs < mine, "{name} must not use {other}");
            let normal = dependency["kind"].is_null();
            assert!(
                !normal || !STRANGERS.contains(&(name, other)),
                "{name} must not use {other}"
            );
        }
    }
}

/// What commands share knows no command, so that a command is its folder and a line of the table.
#[test]
fn shared_modules_know_no_command() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source.join("cli"), source.join("table")];
    let mut files = ["cli", "failed", "lists", "progress", "table", "text"]
        .map(|name| source.join(name).with_extension("rs"))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 20, "the modules have moved");
    for file in files {
        let text = fs::read_to_string(&file).expect("a source");
        assert!(!text.contains("commands::"), "{}", file.display());
    }
}
