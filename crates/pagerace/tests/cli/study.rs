//! Studies: what is done is not done again, parts merge, and statistics come from the files.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

mod plans;
mod readers;
mod reports;
mod runs;

use std::fs;

use crate::support::{Sandbox, small_har};

const PLAN: &str = r#"
pages = ["*.har"]
runs = 3

[[race]]
name = "loss"
network = ["rate 2mbit rtt 100ms loss 1%"]
strategy = ["sequential", "round-robin"]

[[race]]
name = "hosts"
network = "cable"
protocol = ["h2", "h3"]
"#;

const EVALUATION: &str = r#"
[[table]]
name = "Versions"
compare = "protocol"
baseline = "h2"
where = { race = "hosts" }

[[claim]]
name = "HTTP/3 shows pages"
holds = "median over pages of h3 of lcp_ms > 0"
where = { race = "hosts" }

[[claim]]
holds = "maximum over pages of (h2 - h3)/h2 of lcp_ms > 100%"
where = { race = "hosts" }
"#;

const PAPER: &str = r#"
title = "A paper"
about = "It compares | strategies."
pages = ["*.har"]
runs = 3

[[race]]
name = "rates"
network = ["rate 1mbit rtt 100ms", "rate 5mbit rtt 100ms"]
strategy = ["sequential", "round-robin"]

[[race]]
name = "again"
network = ["rate 1mbit rtt 100ms"]
strategy = ["sequential", "fifo"]

[[matrix]]
name = "Speed Index"
rows = ["rate 1mbit rtt 100ms", "rate 5mbit rtt 100ms"]
columns = ["round-robin"]
value = "median over pages of ('{column} @ {row}' - 'sequential @ {row}')/'sequential @ {row}' of lcp"
published = [[0.25], [nan]]
where = { race = "rates" }

[[plot]]
name = "First paint"
metric = "fcp_ms"
compare = "strategy"
baseline = "sequential"
where = { race = "rates" }

[[claim]]
name = "More bandwidth shows pages sooner"
holds = "median over pages of 'sequential @ rate 1mbit rtt 100ms' / 'sequential @ rate 5mbit rtt 100ms' of lcp > 1"
published = 100
headline = true
where = { race = "rates" }
"#;

fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("one.har", &small_har());
    sandbox.write("two.har", &small_har().replace("4000", "9000"));
    sandbox.write("plan.toml", PLAN);
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let run = sandbox.run(&[&["study"], arguments].concat());
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    run.out
}

fn refused(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let run = sandbox.run(&[&["study"], arguments].concat());
    assert_eq!(run.code, 2, "{arguments:?}: {}", run.out);
    run.err
}

fn exported(sandbox: &Sandbox, folder: &str) -> Vec<u8> {
    run(
        sandbox,
        &["export", "plan.toml", "-o", folder, "--to", "loads.parquet"],
    );
    fs::read(sandbox.path("loads.parquet")).unwrap()
}

/// Copies the files of a folder and of its folders, as `cp -r` does.
fn copy(sandbox: &Sandbox, from: &str, to: &str) {
    fs::create_dir_all(sandbox.path(to)).unwrap();
    for name in sandbox.names_in(from) {
        let (from, to) = (format!("{from}/{name}"), format!("{to}/{name}"));
        if sandbox.path(&from).is_dir() {
            copy(sandbox, &from, &to);
        } else {
            fs::copy(sandbox.path(&from), sandbox.path(&to)).unwrap();
        }
    }
}
