use super::*;

const OWN: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36";

#[test]
fn no_page_sees_a_headless_browser() {
    let agent = user_agent(&Device::desktop(), OWN, "156.0.7000.1");
    assert!(agent.contains(" Chrome/156.0.0.0 ") && !agent.contains("Headless"));
    let agent = user_agent(&Device::mobile(), OWN, "156.0.7000.1");
    assert!(agent.contains("Android") && agent.contains("Chrome/156.0.0.0 Mobile"));
}
