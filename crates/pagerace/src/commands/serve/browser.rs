//! The command that opens a served page in Chromium.
//!
//! The command line tells the browser everything it needs: the trusted keys, the
//! addresses of the hosts, and the version of HTTP. The browser gets its own profile, as
//! what it learns here is not valid elsewhere.

use std::net::{IpAddr, SocketAddr};

use pagerace_core::Protocol;
use url::Url;

/// A page and its hosts.
pub(super) struct Opening {
    url: Url,
    hosts: Vec<String>,
    /// True if host names must be mapped to this server, as they belong to other servers.
    mapped: bool,
}

impl Opening {
    /// Opens a page of this machine.
    pub(super) fn here(url: Url) -> Self {
        Self {
            hosts: vec!["localhost".to_owned()],
            url,
            mapped: false,
        }
    }

    /// Opens a recorded page of the web.
    pub(super) fn recorded(url: Url, hosts: &[String]) -> Self {
        Self {
            url,
            hosts: hosts.to_vec(),
            mapped: true,
        }
    }

    pub(super) fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Returns a shell command that opens the page from the server at `address` and
    /// `port`.
    pub(super) fn command(
        &self,
        protocol: Protocol,
        address: IpAddr,
        port: u16,
        spki: &[String],
    ) -> String {
        let mut words = vec![
            "chromium".to_owned(),
            "--user-data-dir=\"$(mktemp -d)\"".to_owned(),
            "--no-first-run".to_owned(),
            format!("--ignore-certificate-errors-spki-list={}", spki.join(",")),
        ];
        if self.mapped {
            let server = SocketAddr::new(address, port);
            let rules = self.hosts.iter().map(|host| format!("MAP {host} {server}"));
            let rules: Vec<String> = rules.chain(["MAP * ~NOTFOUND".to_owned()]).collect();
            words.push(format!("--host-resolver-rules='{}'", rules.join(",")));
        } else {
            let rule = format!("MAP localhost {address}");
            words.push(format!("--host-resolver-rules='{rule}'"));
        }
        match protocol {
            Protocol::H1 => words.extend(["--disable-quic", "--disable-http2"].map(str::to_owned)),
            Protocol::H2 => words.push("--disable-quic".to_owned()),
            Protocol::H3 => {
                let forced = format!("--origin-to-force-quic-on={}", self.origins().join(","));
                words.extend(["--enable-quic".to_owned(), forced]);
            }
        }
        words.push(format!("'{}'", self.url.as_str().replace('\'', "%27")));
        words.join(" ")
    }

    /// Returns the hosts with the ports that the page requests.
    fn origins(&self) -> Vec<String> {
        let own = self.url.port_or_known_default().unwrap_or(443);
        let document = self.url.host_str().unwrap_or_default().to_owned();
        let mut origins: Vec<String> = Vec::new();
        for host in &self.hosts {
            if self.mapped {
                origins.push(format!("{host}:443"));
            }
            if *host == document && !(self.mapped && own == 443) {
                origins.push(format!("{host}:{own}"));
            }
        }
        origins
    }
}

#[cfg(test)]
mod tests;
