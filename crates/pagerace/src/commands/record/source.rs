//! The source of a recording: a page of the web, or one that we serve from a folder or from
//! another recording.

use std::fs::File;
use std::io::Read as _;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use pagerace_core::Protocol;
use pagerace_har::{Device, Exchange, ImportOptions, Recording, is_gzip};
use pagerace_live::servers::{LocalCa, OriginServer, Servers, ServersConfig};
use pagerace_live::site::ServedSite;
use pagerace_live::{FolderSite, ReplaySite};
use url::Url;

use super::summary::Deviations;

/// The location of a page.
#[derive(Debug)]
pub(super) enum Source {
    /// On the web.
    Web(Url),
    /// In a folder, which becomes a site with this host name.
    Folder {
        root: PathBuf,
        host: String,
        url: Url,
    },
    /// In a recording with bodies, such as a HAR of other tools.
    Recording {
        url: Url,
        site: Box<ReplaySite>,
        /// The device of the recording, if it states one.
        device: Option<Device>,
    },
}

impl Source {
    /// Returns true for files, which are served at once.
    pub(super) const fn is_files(&self) -> bool {
        matches!(self, Self::Folder { .. })
    }

    /// Parses an argument: `https://..`, an HTML file, a recording, or a folder.
    pub(super) fn parse(text: &str, root: Option<&Path>) -> Result<Self> {
        if text.contains("://") {
            let url = Url::parse(text).with_context(|| format!("{text:?} is not a URL"))?;
            if !matches!(url.scheme(), "http" | "https") {
                bail!("{text}: only http and https can be recorded; give a file as its path");
            }
            if root.is_some() {
                bail!("--root is for files; the folder {text} is its own root");
            }
            return Ok(Self::Web(url));
        }
        let written = Path::new(text);
        let path = written.canonicalize().with_context(|| {
            format!("{text}: cannot be read; give a file, a folder, or an address with https://")
        })?;
        if is_recording(&path) {
            if root.is_some() {
                bail!("--root is for HTML files, and {text} is a recording");
            }
            return Self::recording(written);
        }
        let file = if path.is_dir() {
            path.join("index.html")
        } else {
            path
        };
        if !file.is_file() {
            bail!("{text}: has no index.html; name the page's file and --root {text}");
        }
        let own = file.parent().unwrap_or(&file);
        let root = match root {
            Some(root) => root
                .canonicalize()
                .with_context(|| format!("--root {}: cannot be read", root.display()))?,
            None => own.to_owned(),
        };
        let inside = file.strip_prefix(&root).map_err(|_| {
            anyhow!(
                "{} does not lie under --root {}",
                file.display(),
                root.display()
            )
        })?;
        let host = host(&root);
        let mut url = Url::parse(&format!("https://{host}/")).context("a host name")?;
        let names: Option<Vec<&str>> = inside.iter().map(std::ffi::OsStr::to_str).collect();
        let names = names.with_context(|| format!("{}: is not UTF-8", inside.display()))?;
        if names != ["index.html"]
            && let Ok(mut segments) = url.path_segments_mut()
        {
            segments.clear().extend(names);
        }
        Ok(Self::Folder { root, host, url })
    }

    fn recording(path: &Path) -> Result<Self> {
        let file = path.display();
        let mut recording = pagerace_har::load_recording(path, &ImportOptions::default())?;
        pagerace_sim::fit(&mut recording.page)?;
        Self::fitted(&recording).with_context(|| file.to_string())
    }

    /// Returns the source of a recording whose page is fitted.
    pub(super) fn fitted(recording: &Recording) -> Result<Self> {
        let document = recording.page.document;
        let of_document = |exchange: &&Exchange| exchange.resource == Some(document);
        let body = recording.exchanges.iter().find(of_document);
        if body.is_none_or(|exchange| exchange.body.is_none()) {
            bail!(
                "the document has no body, so there is no page to show; export the HAR with \
                 content, or record the page from its address"
            );
        }
        // The servers speak TLS, whatever the port.
        let mut url = Url::parse(&recording.page.url)?;
        if url.set_scheme("https").is_err() {
            bail!("{url} has no host");
        }
        let site = ReplaySite::new(recording)?.with_restarts();
        Ok(Self::Recording {
            url,
            site: Box::new(site),
            device: recording.device.clone(),
        })
    }

    pub(super) const fn url(&self) -> &Url {
        match self {
            Self::Web(url) | Self::Folder { url, .. } | Self::Recording { url, .. } => url,
        }
    }

    /// Returns the device that the source states.
    pub(super) fn device(&self) -> Option<Device> {
        match self {
            Self::Recording { device, .. } => device.clone(),
            Self::Web(_) | Self::Folder { .. } => None,
        }
    }

    /// Serves a folder or a recording on the loopback address; `None` for a page of the web.
    ///
    /// Each of `others` is served from its own folder at its own address, so that no two
    /// hosts share a connection.
    pub(super) fn serve(&self, others: &[OtherHost]) -> Result<Option<Served>> {
        let (root, host) = match self {
            Self::Folder { root, host, .. } => (root, host),
            Self::Web(_) | Self::Recording { .. } => {
                if let Some(other) = others.first() {
                    bail!(
                        "--host {}: only a page in a folder can refer to hosts in other folders",
                        other.name
                    );
                }
                let Self::Recording { site, .. } = self else {
                    return Ok(None);
                };
                let hosts = site.hosts().to_vec();
                let mut served = Served::start(hosts, "recording", site.as_ref().clone())?;
                served.deviations.altered = site.notes().to_vec();
                return Ok(Some(served));
            }
        };
        let mut hosts = vec![host.clone()];
        let mut site = FolderSite::new(root)?;
        for OtherHost { name, folder } in others {
            if hosts.contains(name) {
                bail!("--host {name}: the host has a folder already");
            }
            site = site
                .with_host(name, folder)
                .with_context(|| format!("--host {name}"))?;
            hosts.push(name.clone());
        }
        Served::start(hosts, "folder", site).map(Some)
    }
}

/// Returns true for JSON and gzip files; a recording is one or both.
fn is_recording(path: &Path) -> bool {
    let mut start = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    let start = &start[..read.unwrap_or_default()];
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    is_gzip(start) || text.trim_ascii_start().starts_with(b"{")
}

/// An additional host and its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtherHost {
    name: String,
    folder: PathBuf,
}

impl FromStr for OtherHost {
    type Err = anyhow::Error;

    /// Parses `NAME=FOLDER`.
    fn from_str(text: &str) -> Result<Self> {
        let (name, folder) = text
            .split_once('=')
            .with_context(|| format!("{text:?} is not NAME=FOLDER"))?;
        let url = Url::parse(&format!("https://{name}/"));
        if !url.is_ok_and(|url| url.host_str() == Some(name) && url.port().is_none()) {
            bail!("{name:?} is not a host name; expected one such as fonts.example, in lower case");
        }
        Ok(Self {
            name: name.to_owned(),
            folder: folder.into(),
        })
    }
}

/// A folder or a recording that is being served.
pub(super) struct Served {
    servers: Servers,
    ca: Arc<LocalCa>,
    hosts: Vec<String>,
    deviations: Deviations,
}

impl Served {
    fn start<S: ServedSite>(hosts: Vec<String>, source: &'static str, site: S) -> Result<Self> {
        let ca = Arc::new(LocalCa::new()?);
        let origin = |host: &String| OriginServer {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            protocol: Protocol::H2,
            hosts: vec![host.clone()],
        };
        let origins: Vec<OriginServer> = hosts.iter().map(origin).collect();
        let config = ServersConfig::new(Arc::clone(&ca));
        let servers = Servers::start(None, &config, &origins, site)?;
        Ok(Self {
            servers,
            ca,
            hosts,
            deviations: Deviations {
                source,
                ..Deviations::default()
            },
        })
    }

    /// Returns the host mappings for the browser (`--host-resolver-rules`).
    pub(super) fn rules(&self) -> impl Iterator<Item = String> {
        let servers = self.hosts.iter().zip(self.servers.addresses());
        servers.map(|(host, address)| format!("MAP {host} {address}"))
    }

    /// Returns the hashes of the keys that the browser must trust.
    pub(super) fn keys(&self) -> Vec<String> {
        self.ca.spki_hashes()
    }

    /// Stops the servers and returns what they did not serve as in the source.
    pub(super) fn stop(self) -> Deviations {
        let mut unknown = self.servers.stop().unknown;
        unknown.retain(|request| !is_named(request, &self.deviations.altered));
        Deviations {
            unknown,
            ..self.deviations
        }
    }
}

/// Returns true if one of the notes on altered responses gives the reason why the `GET` request was
/// not answered. Responses that were http are served over https.
fn is_named(request: &str, altered: &[String]) -> bool {
    let rest = |url: &str| url.split_once("://").map(|(_, rest)| rest.to_owned());
    let asked = request.strip_prefix("GET ").and_then(rest);
    let noted = |note: &String| note.split(' ').next().and_then(rest);
    asked.is_some() && altered.iter().any(|note| noted(note) == asked)
}

/// Derives a host name from the folder: `reveal.js` becomes `reveal-js.test` (RFC 6761
/// reserves `.test`).
fn host(root: &Path) -> String {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let name: String = name.chars().map(plain).take(63).collect();
    let name = name.trim_matches('-');
    format!("{}.test", if name.is_empty() { "page" } else { name })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::{OtherHost, Source, host, is_named};

    #[test]
    fn folders_become_hosts() {
        assert_eq!(host(Path::new("/tmp/reveal.js")), "reveal-js.test");
        assert_eq!(host(Path::new("/tmp/Über_Site--")), "ber-site.test");
        assert_eq!(host(Path::new("/")), "page.test");
    }

    #[test]
    fn a_response_that_cannot_be_served_is_named_once() {
        let altered = ["http://a.test/x was recorded without a response".to_owned()];
        assert!(is_named("GET https://a.test/x", &altered));
        for other in ["POST https://a.test/x", "GET https://a.test/xy", "GET"] {
            assert!(!is_named(other, &altered), "{other}");
        }
    }

    #[test]
    fn other_hosts_have_a_name_and_a_folder() {
        let other: OtherHost = "cdn.example=a/b=c".parse().expect("well formed");
        assert_eq!(
            (other.name.as_str(), other.folder.to_str()),
            ("cdn.example", Some("a/b=c"))
        );
        for bad in [
            "cdn.example",
            "=x",
            "a b=x",
            "a.example:8=x",
            "https://a=x",
            "A.b=x",
        ] {
            assert!(bad.parse::<OtherHost>().is_err(), "{bad}");
        }
        let web = Source::parse("https://a.example/", None).expect("a URL");
        assert!(web.serve(&[other]).is_err(), "the web serves itself");
    }

    #[test]
    fn addresses_are_pages_of_the_web() {
        let web = Source::parse("https://a.example/x?y#z", None).expect("a URL");
        assert_eq!(web.url().as_str(), "https://a.example/x?y#z");
        for (text, root) in [
            ("ftp://a.example/", None),
            ("https://", None),
            ("https://a.b/", Some(".")),
        ] {
            assert!(Source::parse(text, root.map(Path::new)).is_err(), "{text}");
        }
    }

    fn har(entries: &[(&str, u16, Option<&str>)]) -> String {
        let entry = |&(url, status, text): &(&str, u16, Option<&str>)| {
            let location = json!([{"name": "location", "value": "https://www.a.test/home"}]);
            json!({"request": {"method": "GET", "url": url},
                "response": {"status": status, "headers": if status == 302 { location } else { json!([]) },
                    "content": {"size": 900, "mimeType": "text/html", "text": text}}})
        };
        let entries: Vec<_> = entries.iter().map(entry).collect();
        json!({"log": {"version": "1.2", "entries": entries}}).to_string()
    }

    #[test]
    fn recordings_are_sources_if_they_have_the_document() {
        let file = std::env::temp_dir().join(format!("pagerace-har-{}.har", std::process::id()));
        let parse = |text: &str| {
            std::fs::write(&file, text).expect("a file");
            Source::parse(file.to_str().expect("UTF-8"), None)
        };
        let page = "<!doctype html><p>Hello";
        let redirected = [
            ("http://a.test:8080/x?y", 302, None),
            ("https://www.a.test/home", 200, Some(page)),
        ];
        let source = parse(&har(&redirected)).expect("has a body");
        assert_eq!(source.url().as_str(), "https://a.test:8080/x?y");
        let other = "cdn.example=x".parse().expect("well formed");
        assert!(source.serve(&[other]).is_err(), "it has its hosts");
        let served = source.serve(&[]).expect("loopback").expect("is served");
        assert_eq!(served.hosts, ["a.test", "www.a.test"]);
        assert_eq!(served.stop().source, "recording");

        let bare = parse(&har(&[("https://a.test/", 200, None)]));
        let error = format!("{:#}", bare.expect_err("no body"));
        assert!(error.contains("the document has no body"), "{error}");
        assert!(parse("{").is_err(), "no HAR");
        std::fs::remove_file(&file).expect("was made");
    }

    #[test]
    fn files_have_a_place_below_their_root() {
        let folder = std::env::temp_dir().join(format!("pagerace-source-{}", std::process::id()));
        let below = folder.join("sub dir");
        std::fs::create_dir_all(&below).expect("a folder");
        for file in [folder.join("index.html"), below.join("a.html")] {
            std::fs::write(file, "<p>").expect("a file");
        }
        let host = host(&folder);
        let parse = |path: &Path, root: Option<&Path>| {
            Source::parse(path.to_str().expect("UTF-8"), root).map(|s| s.url().to_string())
        };
        let home = parse(&folder, None).expect("has an index");
        assert_eq!(home, format!("https://{host}/"));
        let page = parse(&below.join("a.html"), Some(&folder)).expect("lies below");
        assert_eq!(page, format!("https://{host}/sub%20dir/a.html"));
        assert_eq!(
            parse(&below.join("a.html"), None).expect("a file"),
            "https://sub-dir.test/a.html"
        );
        assert!(parse(&below, None).is_err(), "no index");
        assert!(
            parse(&folder.join("index.html"), Some(&below)).is_err(),
            "not below the root"
        );
        assert!(parse(&folder.join("none"), None).is_err(), "not there");
        std::fs::remove_dir_all(&folder).expect("was made");
    }
}
