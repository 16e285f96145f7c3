//! Lighthouse with a real Chromium. The test is skipped with a message if either is
//! missing. It is slow (about 20 s a run), so that it runs only on request:
//! `cargo test -p pagerace-chromium --test lighthouse -- --ignored`.

#[path = "browser/server.rs"]
mod server;

use std::process::Command;

use pagerace_chromium::node::{Throttling, lighthouse};
use pagerace_chromium::{ChromiumError, Options};
use pagerace_core::Duration;

const PAGE: server::Files = &[(
    "/",
    "text/html",
    "<!doctype html><title>x</title><meta name=viewport content='width=device-width'><h1>Heading</h1><p>Text",
)];

#[test]
#[ignore = "takes a minute and installs Lighthouse"]
fn lighthouse_observes_and_predicts() {
    let folder = format!("pagerace-lighthouse-{}", std::process::id());
    let scratch = std::env::temp_dir().join(folder);
    let options = Options::new(&scratch);
    let url = format!("http://{}/", server::serve(PAGE));
    let spawn = |mut command: Command| command.spawn();
    let link = Throttling {
        rtt_ms: 400.0,
        throughput_kbps: 1_000.0,
        cpu_slowdown: 1.0,
    };
    let seen = match lighthouse(&options, &url, None, &spawn) {
        Ok(seen) => seen,
        Err(error @ (ChromiumError::NotFound { .. } | ChromiumError::Node { .. })) => {
            eprintln!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    eprintln!("{seen:#?}");
    assert_eq!(seen.version, "12.8.2");
    // Without throttling, Lighthouse reports what it observes.
    assert!(seen.fcp < Some(Duration::from_millis(800)));
    assert!(seen.lcp >= seen.fcp && seen.fcp.is_some());
    assert!(seen.tti.is_some() && seen.speed_index.is_some());

    let predicted = lighthouse(&options, &url, Some(link), &spawn).expect("as before");
    eprintln!("{predicted:#?}");
    // A connection and a request take at least two round trips.
    assert!(predicted.fcp >= Some(Duration::from_millis(800)));
    let _ = std::fs::remove_dir_all(&scratch);
}
