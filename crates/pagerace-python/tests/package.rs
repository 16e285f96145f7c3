//! Runs the tests of the Python package with the library that Cargo has built.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stderr, reason = "a test that skips says so")]

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn the_package_passes_its_own_tests() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let python = root.join("target/python/bin/python");
    if !python.exists() {
        eprintln!("skipped: no Python with the libraries of the tests; run python/setup.sh");
        return;
    }
    let test = std::env::current_exe().unwrap();
    let built = test.parent().unwrap();
    // The package as it is installed: its modules, and the library among them.
    let package = built.with_file_name("python-package");
    let modules = package.join("pagerace");
    fs::create_dir_all(&modules).unwrap();
    for entry in fs::read_dir(root.join("python/pagerace")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "py") {
            fs::copy(&path, modules.join(path.file_name().unwrap())).unwrap();
        }
    }
    let library = format!("{DLL_PREFIX}_engine{DLL_SUFFIX}");
    fs::copy(built.join(library), modules.join("_engine.abi3.so")).unwrap();
    let status = Command::new(python)
        .args(["-m", "pytest", "--quiet"])
        .env("PYTHONPATH", &package)
        .env("PAGERACE", built.with_file_name("pagerace"))
        .current_dir(root)
        .status()
        .unwrap();
    assert!(status.success());
}
