//! The command line, which makes loads repeatable and limits the browser's network
//! traffic to the page's servers.
//!
//! Flags: <https://peter.sh/experiments/chromium-command-line-switches/>.

use std::net::IpAddr;
use std::path::Path;

use super::Options;

/// The flags for every browser.
const ALWAYS: [&str; 24] = [
    "--headless",
    "--disable-gpu",
    "--mute-audio",
    "--hide-scrollbars",
    "--password-store=basic",
    "--use-mock-keychain",
    "--no-first-run",
    "--no-default-browser-check",
    // Disables the browser's own traffic.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--metrics-recording-only",
    "--no-pings",
    // Treats a page without a window as a foreground page.
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    // Disables field trials, which only unbranded builds run.
    "--disable-field-trial-config",
    // Prevents the estimate of a slow network from changing priorities.
    "--force-effective-connection-type=4G",
];

/// Features that make requests or cover the page.
const NOT_FEATURES: &str = "Translate,OptimizationHints,OptimizationGuideModelDownloading,MediaRouter,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,PrivacySandboxSettings4,HttpsUpgrades";

/// Returns all arguments. `root` is true if this process runs as root, for which Chromium
/// has no sandbox.
pub(super) fn arguments(
    options: &Options,
    profile: &Path,
    netlog: Option<&Path>,
    root: bool,
) -> Vec<String> {
    let mut list: Vec<String> = ALWAYS.iter().map(ToString::to_string).collect();
    list.push("--remote-debugging-pipe".into());
    list.push(format!("--disable-features={NOT_FEATURES}"));
    list.push(format!("--user-data-dir={}", profile.display()));
    let device = &options.device;
    list.push(format!("--window-size={},{}", device.width, device.height));
    if root {
        list.push("--no-sandbox".into());
    }
    if options.port {
        list.push("--remote-debugging-port=0".into());
    }
    if !options.online {
        list.extend(host_rules(options));
        list.extend(quic(&options.quic_hosts));
    }
    if !options.spki.is_empty() {
        let keys = options.spki.join(",");
        list.push(format!("--ignore-certificate-errors-spki-list={keys}"));
    }
    if let Some(path) = netlog {
        list.push(format!("--log-net-log={}", path.display()));
        list.push("--net-log-capture-mode=Default".into());
    }
    // Without a page to open, the browser renders its new tab page first.
    list.push("about:blank".into());
    list.extend(options.arguments.iter().cloned());
    list
}

fn host_rules(options: &Options) -> Option<String> {
    if options.hosts.is_empty() && options.look_up.is_empty() && options.rules.is_empty() {
        return None;
    }
    let mut rules: Vec<String> = options
        .hosts
        .iter()
        .map(|(host, address)| match address {
            IpAddr::V4(v4) => format!("MAP {host} {v4}"),
            IpAddr::V6(v6) => format!("MAP {host} [{v6}]"),
        })
        .collect();
    rules.extend(options.look_up.iter().map(|host| format!("EXCLUDE {host}")));
    rules.extend(options.rules.iter().cloned());
    rules.push("MAP * ~NOTFOUND".into());
    Some(format!("--host-resolver-rules={}", rules.join(",")))
}

/// Enables HTTP/3 from the first request on, or disables it. An alternative service would
/// be used too late for a first load, and Chromium ignores those of a server with a
/// private certificate authority.
fn quic(hosts: &[String]) -> Vec<String> {
    if hosts.is_empty() {
        return vec!["--disable-quic".into()];
    }
    let hosts = hosts.join(",");
    vec![
        "--enable-quic".into(),
        format!("--origin-to-force-quic-on={hosts}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &Options) -> Vec<String> {
        arguments(options, Path::new("/p"), None, false)
    }

    #[test]
    fn hosts_that_are_not_named_do_not_exist() {
        let mut options = Options::new("/tmp");
        options.hosts = vec![
            ("a.test".into(), "10.9.0.1".parse().unwrap()),
            ("b.test".into(), "fd00::1".parse().unwrap()),
        ];
        options.quic_hosts = vec!["a.test:443".into()];
        let list = of(&options);
        let rules =
            "--host-resolver-rules=MAP a.test 10.9.0.1,MAP b.test [fd00::1],MAP * ~NOTFOUND";
        assert!(list.iter().any(|a| a == rules), "{list:?}");
        assert!(
            list.iter()
                .any(|a| a == "--origin-to-force-quic-on=a.test:443")
        );
        assert!(!list.iter().any(|a| a == "--disable-quic"));
        assert!(!list.iter().any(|a| a == "--no-sandbox"));
    }

    #[test]
    fn hosts_that_are_looked_up_are_left_to_the_name_server() {
        let mut options = Options::new("/tmp");
        options.look_up = vec!["a.test".into(), "b.test".into()];
        let rules = "--host-resolver-rules=EXCLUDE a.test,EXCLUDE b.test,MAP * ~NOTFOUND";
        assert!(of(&options).iter().any(|a| a == rules));
    }

    #[test]
    fn the_real_web_is_left_as_it_is() {
        let mut options = Options::new("/tmp");
        options.online = true;
        let list = of(&options);
        assert!(
            !list
                .iter()
                .any(|a| a.contains("quic") || a.contains("resolver"))
        );
        // The caller's arguments are last, so that they take precedence.
        options.arguments = vec!["--lang=de".into()];
        assert_eq!(of(&options).last().unwrap(), "--lang=de");
    }
}
