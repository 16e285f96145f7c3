#![allow(clippy::all, missing_docs, clippy::unwrap_used)]
use std::sync::Arc;
use pagerace_page::essential::*;
use pagerace_page::ads::Matchers;
use pagerace_page::{ImportOptions, load};
#[test]
fn scratch() {
    let mut files: Vec<_> = std::fs::read_dir("../../../shared/data/har").unwrap().map(|e| e.unwrap().path()).filter(|p| p.to_string_lossy().ends_with(".har.gz")).collect();
    files.sort();
    for f in files {
        let page = Arc::new(load(&f, &ImportOptions::default()).unwrap());
        let t = std::time::Instant::now();
        let effects = pagerace_sim::paint_critical(&page, &Default::default());
        let dt = t.elapsed();
        println!("PAGE {} n={} {:?}", page.name, page.resources.len(), dt);
        for (e, r) in effects.iter().zip(&page.resources) {
            if !e.is_none() { println!("  EFF {} needs={} {:?} rb={} {} :: {}", r.id.0, e.needs(), r.destination, r.render_blocking, &r.url[..r.url.len().min(90)], e); }
        }
        let a = assess(&page, &Matchers::built_in(), Some(&effects), &Overrides::default()).unwrap();
        for (a, r) in a.iter().zip(&page.resources) {
            println!("  OBJ {} {} {:?} {:?} {} {} :: {}", if a.essential {"ESS"} else {"non"}, r.id.0, r.category, r.destination, r.body_bytes, &r.url[..r.url.len().min(100)], a.reasons.iter().map(|r| r.to_string()).collect::<Vec<_>>().join("; "));
        }
    }
}
