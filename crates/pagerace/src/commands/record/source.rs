//! The source of a recording: a page of the web, or one in a folder that we serve.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use pagerace_core::Protocol;
use pagerace_live::FolderSite;
use pagerace_live::servers::{LocalCa, OriginServer, Servers, ServersConfig};
use url::Url;

/// The location of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// On the web.
    Web(Url),
    /// In a folder, which becomes a site with this host name.
    Folder {
        root: PathBuf,
        host: String,
        url: Url,
    },
}

impl Source {
    /// Parses an argument: `https://..`, a file, or a folder.
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

    pub(super) const fn url(&self) -> &Url {
        match self {
            Self::Web(url) | Self::Folder { url, .. } => url,
        }
    }

    /// Serves a folder on the loopback address; `None` for a page of the web.
    ///
    /// Each of `others` is served from its own folder at its own address, so that no two
    /// hosts share a connection.
    pub(super) fn serve(&self, others: &[OtherHost]) -> Result<Option<Served>> {
        let Self::Folder { root, host, .. } = self else {
            if let Some(other) = others.first() {
                bail!(
                    "--host {}: the page is on the web, where its hosts answer themselves; give a \
                     file or folder, or leave out --host",
                    other.name
                );
            }
            return Ok(None);
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
        Ok(Some(Served { servers, ca, hosts }))
    }
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

/// Folders that are being served.
pub(super) struct Served {
    servers: Servers,
    ca: Arc<LocalCa>,
    hosts: Vec<String>,
}

impl Served {
    /// Returns the host mappings for the browser (`--host-resolver-rules`).
    pub(super) fn rules(&self) -> impl Iterator<Item = String> {
        let servers = self.hosts.iter().zip(self.servers.addresses());
        servers.map(|(host, address)| format!("MAP {host}:443 {address}"))
    }

    /// Returns the hashes of the keys that the browser must trust.
    pub(super) fn keys(&self) -> Vec<String> {
        self.ca.spki_hashes()
    }

    /// Stops the servers and returns the requests that they could not answer.
    pub(super) fn stop(self) -> Vec<String> {
        self.servers.stop().unknown
    }
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

    use super::{OtherHost, Source, host};

    #[test]
    fn folders_become_hosts() {
        assert_eq!(host(Path::new("/tmp/reveal.js")), "reveal-js.test");
        assert_eq!(host(Path::new("/tmp/Über_Site--")), "ber-site.test");
        assert_eq!(host(Path::new("/")), "page.test");
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
