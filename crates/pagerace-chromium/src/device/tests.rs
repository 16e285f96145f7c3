use super::*;

const OWN: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36";

#[test]
fn every_name_is_a_device() {
    for name in Device::NAMES {
        assert_eq!(Device::named(name).unwrap().name, name);
    }
    let error = Device::named("toaster").unwrap_err().to_string();
    assert!(error.contains("toaster") && error.contains("tablet"));
}

#[test]
fn no_page_sees_a_headless_browser() {
    let agent = Device::desktop().user_agent(OWN, "156.0.7000.1");
    assert!(agent.contains(" Chrome/156.0.0.0 ") && !agent.contains("Headless"));
    let agent = Device::mobile().user_agent(OWN, "156.0.7000.1");
    assert!(agent.contains("Android") && agent.contains("Chrome/156.0.0.0 Mobile"));
}
