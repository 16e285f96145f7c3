//! Sites that serve from a folder, and functions that all sites share.
//! Ranges of complete responses are served by [`pagerace_peer`].

pub(crate) mod conditional;
mod facts;
mod files;
pub(crate) mod unknown;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use self::conditional::conditional;
use self::files::Files;
use bytes::Bytes;
use pagerace_http::Field;
use pagerace_peer::{Body, Reply, Request, Site};
use percent_encoding::percent_decode_str;
use url::Url;

use crate::LiveError;
use unknown::Unknown;

/// A site shared by several servers, each of which has a clone.
pub trait ServedSite: Site + Clone + Send + 'static {
    /// Returns the requests for resources that the site does not have, since its
    /// creation: each once, in the form `GET https://host/path`.
    fn unknown(&self) -> Vec<String> {
        Vec::new()
    }
}

impl ServedSite for FolderSite {
    fn unknown(&self) -> Vec<String> {
        self.unknown.list()
    }
}

/// A site that serves the files of a folder and reads them while they are sent. Other
/// hosts may have their own folders.
#[derive(Clone, Debug)]
pub struct FolderSite {
    root: PathBuf,
    /// Folders by host name.
    hosts: BTreeMap<String, PathBuf>,
    files: Files,
    unknown: Unknown,
}

impl FolderSite {
    /// Serves the files under `root`. The path `/` and paths that end in a slash refer to
    /// `index.html` there.
    ///
    /// # Errors
    /// [`LiveError::Folder`]: the folder cannot be read.
    pub fn new(root: &Path) -> Result<Self, LiveError> {
        Ok(Self {
            root: folder(root)?,
            hosts: BTreeMap::new(),
            files: Files::default(),
            unknown: Unknown::default(),
        })
    }

    /// Serves `host` from its own folder, as a public CDN would. All origins may use its
    /// files. A path that names a folder, with or without its query, refers to the first
    /// of `index.html`, `index.css`, `index.js` in it (`/css2?family=Lato` is
    /// `css2?family=Lato/index.css`).
    ///
    /// # Errors
    /// [`LiveError::Folder`]: the folder cannot be read.
    pub fn with_host(mut self, host: &str, root: &Path) -> Result<Self, LiveError> {
        self.hosts.insert(host.to_owned(), folder(root)?);
        Ok(self)
    }

    /// Returns the requested file if it is under its host's root, and true if other
    /// origins may use it.
    fn file(&self, request: &Request) -> Option<(PathBuf, bool)> {
        let path = path_of(request);
        let relative = path.strip_prefix('/')?;
        let authority = String::from_utf8_lossy(&request.authority);
        let host = authority.split(':').next().unwrap_or_default();
        let public = self.hosts.get(host);
        let root = public.unwrap_or(&self.root);
        let whole = String::from_utf8_lossy(&request.path);
        let query = whole.split_once('?').map(|(_, query)| query);
        let with_query = query.map(|query| root.join(format!("{relative}?{query}")));
        let named = with_query.filter(|path| public.is_some() && path.exists());
        let named = named.unwrap_or_else(|| root.join(relative));
        let folder = relative.is_empty() || relative.ends_with('/');
        let indexes: &[&str] = match public {
            Some(_) if named.is_dir() => &["index.html", "index.css", "index.js"],
            None if folder => &["index.html"],
            _ => &[""],
        };
        let mut files = indexes.iter().map(|name| match *name {
            "" => named.clone(),
            name => named.join(name),
        });
        // Dot segments and symbolic links must not lead out of the root.
        let file = files.find_map(|file| file.canonicalize().ok())?;
        (file.starts_with(root) && file.is_file()).then_some((file, public.is_some()))
    }
}

/// Returns the canonical path of the folder, if it can be read.
fn folder(root: &Path) -> Result<PathBuf, LiveError> {
    let unreadable = |source| LiveError::Folder {
        path: root.to_owned(),
        source,
    };
    let root = root.canonicalize().map_err(unreadable)?;
    fs::read_dir(&root).map_err(unreadable)?;
    Ok(root)
}

impl Site for FolderSite {
    fn reply(&mut self, request: &Request) -> Reply {
        if let Some(refusal) = refuse_method(request) {
            return refusal;
        }
        let files = &self.files;
        let found = self.file(request).and_then(|(file, public)| {
            let content_type = content_type(&file);
            let mut whole = reply(200, content_type, Bytes::new());
            whole.facts = facts::of(request, content_type);
            let (body, version) = files.body(&file).ok()?;
            whole.body = body;
            let fields = &mut whole.fields;
            fields.push(Field::from_static("accept-ranges", "bytes"));
            fields.extend(version.etag().map(|tag| Field::new("etag", tag)));
            if public {
                fields.push(Field::from_static("access-control-allow-origin", "*"));
                fields.push(Field::from_static("timing-allow-origin", "*"));
            }
            Some(conditional(request, whole))
        });
        found.unwrap_or_else(|| {
            self.unknown.note(request);
            not_found()
        })
    }
}

/// Returns the path of a request without its query, percent-decoded.
fn path_of(request: &Request) -> String {
    let path = String::from_utf8_lossy(&request.path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    // The URL parser removes dot segments and defines where the path ends.
    let url = Url::parse("https://localhost/").and_then(|base| base.join(path));
    url.map_or_else(
        |_| path.to_owned(),
        |url| {
            let decoded = percent_decode_str(url.path());
            decoded.decode_utf8_lossy().into_owned()
        },
    )
}

fn refuse_method(request: &Request) -> Option<Reply> {
    let known = matches!(&request.method[..], b"GET" | b"HEAD");
    (!known).then(|| {
        let mut refusal = reply(405, "text/plain; charset=utf-8", "only GET and HEAD\n");
        refusal
            .fields
            .push(Field::from_static("allow", "GET, HEAD"));
        refusal
    })
}

pub(crate) fn not_found() -> Reply {
    reply(404, "text/plain; charset=utf-8", "not found\n")
}

pub(crate) fn reply(status: u16, content_type: &str, body: impl Into<Bytes>) -> Reply {
    let fields = vec![
        Field::new(":status", status.to_string()),
        Field::new("content-type", content_type.to_owned()),
        Field::from_static("server", "pagerace"),
    ];
    Reply::new(fields, Body::Bytes(body.into()))
}

/// Returns the media type for the file's extension, for types that browsers need.
fn content_type(file: &Path) -> &'static str {
    let extension = file
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff" => "font/woff",
        "woff2" => "font/woff2",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "wasm" => "application/wasm",
        "vtt" => "text/vtt; charset=utf-8",
        "txt" | "md" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
