//! Misuse of the interface by a driver. Whole loads are tested in `tests/`.

use super::*;
use crate::LoadMetrics;

#[test]
fn an_empty_page_is_done_at_once() {
    let text = r#"{"name":"t","url":"","origins":[],"document":0,"resources":[],
      "recorded":{"on_content_load":null,"on_load":null,"creator":""},"notes":[]}"#;
    let page: Page = serde_json::from_str(text).expect("a page");
    let mut browser = Browser::new(Arc::new(page), &BrowserConfig::default(), 1);
    browser.start(Instant::ZERO);
    assert!(browser.is_done());
    assert_eq!(browser.metrics(), LoadMetrics::default());
}

#[test]
#[should_panic(expected = "once")]
fn starting_twice_is_a_bug() {
    let text = r#"{"name":"t","url":"","origins":[],"document":0,"resources":[],
      "recorded":{"on_content_load":null,"on_load":null,"creator":""},"notes":[]}"#;
    let page: Page = serde_json::from_str(text).expect("a page");
    let mut browser = Browser::new(Arc::new(page), &BrowserConfig::default(), 1);
    browser.start(Instant::ZERO);
    browser.start(Instant::ZERO);
}

#[test]
#[should_panic(expected = "before a load")]
fn a_cache_that_fills_too_late_is_a_bug() {
    let text = r#"{"name":"t","url":"","origins":[],"document":0,"resources":[],
      "recorded":{"on_content_load":null,"on_load":null,"creator":""},"notes":[]}"#;
    let page: Page = serde_json::from_str(text).expect("a page");
    let mut browser = Browser::new(Arc::new(page), &BrowserConfig::default(), 1);
    browser.start(Instant::ZERO);
    browser.set_cached(Vec::new());
}
