//! Scans of the test's Internet.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pagerace_scan::list::{Domains, Exclusions};
use pagerace_scan::{End, Row, Scan, Settings, Trust};

use super::Internet;

/// A folder that goes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let folder = format!("pagerace-scan-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a scan of this Internet.
pub fn scan(internet: &Internet, folder: &Folder, names: Vec<String>, timeout: Duration) -> Scan {
    let ca = folder.0.join("ca.pem");
    std::fs::write(&ca, &internet.ca).unwrap();
    scan_of(internet.resolver, internet.port, &ca, names, timeout)
}

/// Returns a scan of an Internet of another process.
pub fn scan_of(
    resolver: SocketAddr,
    port: u16,
    ca: &Path,
    names: Vec<String>,
    timeout: Duration,
) -> Scan {
    Scan {
        domains: Domains {
            names,
            ..Domains::default()
        },
        exclusions: Exclusions::default(),
        settings: Settings {
            rate: 200.0,
            address_rate: 100.0,
            port,
            timeout,
            private_addresses: true,
            ..Settings::default()
        },
        trust: Trust::file(ca).unwrap(),
        resolvers: vec![resolver],
        cdn,
        version: "test".to_owned(),
    }
}

/// Runs a scan to its end, and returns the rows by domain.
pub fn rows(scan: Scan, folder: &Folder) -> BTreeMap<String, Row> {
    let journal = folder.0.join("journal");
    let end = scan.run(&journal, &|_| ControlFlow::Continue(())).unwrap();
    let End::Complete(results) = end else {
        panic!("the scan was not stopped");
    };
    let mut rows = BTreeMap::new();
    results
        .each(|part| {
            rows.extend(part.iter().map(|row| (row.domain.clone(), row.clone())));
            Ok(())
        })
        .unwrap();
    rows
}

/// The names that [`cdn`] gives: by the fields of a response, by the domain, and by an alias.
pub const FIELDS: &str = "Network of fields";
pub const HOSTING: &str = "Network of domains";
pub const EDGES: &str = "Network of aliases";

/// Names content delivery networks as the program does, with a network for each way.
fn cdn(hosts: &[&str], fields: &[(String, String)]) -> Option<(&'static str, &'static str)> {
    let (domain, aliases) = hosts.split_first()?;
    if fields
        .iter()
        .any(|(name, value)| name == "server" && value == "cloudflare")
    {
        Some((FIELDS, "fields"))
    } else if domain.ends_with(".hosted.test") {
        Some((HOSTING, "domain"))
    } else {
        let edge = aliases.iter().any(|alias| alias.ends_with(".cdn.test"));
        edge.then_some((EDGES, "alias"))
    }
}
