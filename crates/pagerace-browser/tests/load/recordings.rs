//! Every recording loads in every browser: all of it is found, once, and the
//! metrics are in order.

use std::path::PathBuf;
use std::sync::Arc;

use crate::common::{Network, load};
use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::Duration;
use pagerace_page::ImportOptions;

fn recordings() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/har");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: ../shared/data is not there (recordings)");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".har.gz"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_recording_loads_in_every_browser() {
    // 10 Mbit/s, 50 ms, and Lighthouse's phone.
    let network = Network {
        rtt: Duration::from_millis(50),
        rate: 1_250_000,
        ..Network::default()
    };
    let show = std::env::var_os("PAGERACE_SHOW").is_some();
    let (mut loads, mut files) = (0, 0);
    for file in recordings() {
        files += 1;
        let Ok(page) = pagerace_page::load(&file, &ImportOptions::default()) else {
            continue;
        };
        let page = Arc::new(page);
        for profile in [Profile::Chrome, Profile::Firefox, Profile::Safari] {
            let config = BrowserConfig {
                profile,
                cpu: 4.0,
                jitter: 0.1,
            };
            let l = load(&page, &config, &network, 1);
            let name = &page.name;
            assert!(l.done, "{name} in {profile:?} does not end");
            let mut fetched = l.fetch_order();
            let count = fetched.len();
            fetched.sort_unstable();
            fetched.dedup();
            assert_eq!(
                fetched.len(),
                count,
                "{name} in {profile:?} fetches something twice"
            );
            assert_eq!(
                count,
                page.resources.len(),
                "{name} in {profile:?} misses something"
            );
            let m = l.browser.metrics();
            assert!(
                m.onload.is_some(),
                "{name} in {profile:?} has no load event"
            );
            assert!(m.fcp <= m.lcp && m.ttfb <= m.onload);
            assert!(m.dom_content_loaded <= m.onload);
            assert_eq!(
                l.browser.visual_progress().last().map(|p| p.1),
                m.fcp.map(|_| 1.0)
            );
            // No faster than the bytes allow.
            let floor = page.body_bytes() as f64 / 1_250_000.0;
            assert!(
                l.ended.as_millis_f64() / 1e3 >= floor,
                "{name} beats its link"
            );
            loads += 1;
            if show && profile == Profile::Chrome {
                let f = |d: Option<Duration>| d.map_or(-1.0, Duration::as_millis_f64);
                eprintln!(
                    "{name:34} n {count:5} fcp {:7.0} lcp {:7.0} si {:7.0} bi {:7.0} tti {:7.0} tbt {:7.0} dcl {:7.0} load {:7.0}  recorded dcl {:7.0} load {:7.0} end {:7.0}",
                    f(m.fcp),
                    f(m.lcp),
                    f(m.speed_index),
                    f(m.byte_index),
                    f(m.tti),
                    f(m.tbt),
                    f(m.dom_content_loaded),
                    f(m.onload),
                    f(page.recorded.on_content_load),
                    f(page.recorded.on_load),
                    l.ended.as_millis_f64(),
                );
            }
        }
    }
    assert!(
        files == 0 || loads >= 120,
        "{loads} loads of {files} recordings"
    );
}
