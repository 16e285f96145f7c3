use std::fs;
use std::sync::Arc;

use super::Resolved;

const PLAN: &str = r#"
pages = ["srivastava-news-1"]
runs = 1

[[race]]
name = "strategies"
network = "cable"
strategy = ["sequential", "eps"]

[[race]]
name = "versions"
network = "cable"
contender = ["h2", "h3"]

[[race]]
name = "failures"
network = "cable"
what-if = "each-host"
"#;

#[test]
fn races_share_the_import_of_a_page() {
    let name = format!("pagerace-resolve-{}.toml", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, PLAN).unwrap();
    let resolved = Resolved::read(&path, &[], None);
    fs::remove_file(&path).unwrap();
    let resolved = resolved.unwrap();
    let page = |race| Arc::clone(&resolved.cells(race, 0, true).unwrap().plan.pages[0]);
    let first = page(0);
    assert!((1..3).all(|race| Arc::ptr_eq(&first, &page(race))));
    let (loads, shards) = resolved.check_pages().unwrap();
    assert!(loads > 4 && shards > 0, "{loads} loads");
}
