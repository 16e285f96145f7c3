#![no_main]
use libfuzzer_sys::fuzz_target;
use pagerace_probe::find::{LOOKED_MAX, references};
use url::Url;

fuzz_target!(|html: &str| {
    let page = Url::parse("https://a.example/b/?c").expect("it is one");
    let (found, paths) = references(html, &page);
    assert!(paths.len() == found.own.min(LOOKED_MAX));
    assert!(paths.iter().all(|path| path.starts_with('/')));
});
