//! Response fields that make the same changes as markup, for the configuration of servers.
//!
//! Hints become `Link` fields of the document (RFC 8288), and of a 103 response before it where the
//! server can send one by itself (RFC 8297). Priorities become `Priority` fields of the responses
//! (RFC 9218, section 8), by which servers in front of it order their bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use clap::ValueEnum;
use pagerace_page::change::Edit;
use pagerace_page::{Changes, Page};
use serde_json::{Value, json};
use url::Url;

/// A server whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::commands) enum Server {
    /// nginx.
    Nginx,
    /// Apache httpd.
    Apache,
    /// Caddy.
    Caddy,
    /// h2o.
    H2o,
}

/// All servers.
pub(in crate::commands) const SERVERS: [Server; 4] =
    [Server::Nginx, Server::Apache, Server::Caddy, Server::H2o];

impl Server {
    /// Returns the name in sentences.
    pub(in crate::commands) const fn title(self) -> &'static str {
        match self {
            Self::Nginx => "nginx",
            Self::Apache => "Apache",
            Self::Caddy => "Caddy",
            Self::H2o => "h2o",
        }
    }
}

/// Fields of responses of the page's own host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::commands) struct Fields {
    /// The path of the document.
    document: String,
    /// The values of its `Link` fields.
    links: BTreeSet<String>,
    /// The values of `Priority` fields, by path.
    priorities: BTreeMap<String, String>,
}

/// Returns the fields that make these changes, as far as fields can.
pub(in crate::commands) fn fields(page: &Page, changes: &Changes) -> Fields {
    let document = page.resource(page.document);
    let Ok(base) = Url::parse(&document.url) else {
        return Fields::default();
    };
    let mut fields = Fields {
        document: path(&base),
        ..Fields::default()
    };
    let mut after = page.clone();
    for change in changes.all() {
        for id in change.acted(&after) {
            let resource = after.resource(id);
            match change.edit(resource, &after) {
                Edit::Insert(element) => fields.links.extend(link(&element, &base)),
                Edit::Early(field) => {
                    fields.links.insert(field);
                }
                Edit::Set("fetchpriority", value) if resource.origin == document.origin => {
                    if let Ok(url) = Url::parse(&resource.url) {
                        // Chromium's classes High and Low as urgencies.
                        let urgency = if value == "high" { "u=1" } else { "u=3" };
                        fields.priorities.insert(path(&url), urgency.to_owned());
                    }
                }
                _ => {}
            }
        }
        let one = Changes::new(vec![change.clone()]);
        let Ok(changed) = one.apply(&after) else {
            break;
        };
        after = changed.page;
    }
    let own = after
        .resources
        .iter()
        .filter(|one| one.origin == document.origin);
    for resource in own {
        if let (Some(priority), Ok(url)) = (resource.served_priority, Url::parse(&resource.url)) {
            fields.priorities.insert(path(&url), priority.to_string());
        }
    }
    fields
}

/// Returns the path of a URL without what configurations would read as their own syntax.
fn path(url: &Url) -> String {
    plain(url.path())
}

/// Encodes what ends strings or begins variables in some configuration.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' | '{' | '}' | '<' | '>' | '\'' | '`' | ' ' | ',' | ';' | '*' => {
                let _ = write!(out, "%{:02X}", c as u32);
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Returns the `Link` field that does what a `link` element does; `None` without a URL.
fn link(element: &str, base: &Url) -> Option<String> {
    let attributes = attributes(element);
    let of = |wanted: &str| {
        let mut all = attributes.iter();
        all.find(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_str())
    };
    let href = of("href")?.replace("&amp;", "&");
    let url = base.join(&href).ok()?;
    let target = if url.origin() == base.origin() {
        match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        }
    } else {
        url.to_string()
    };
    let mut field = format!("<{}>", plain(&target));
    for (name, value) in attributes.iter().filter(|(name, _)| name != "href") {
        let _ = match value.as_str() {
            "" => write!(field, "; {name}"),
            value => write!(field, "; {name}={}", plain(value)),
        };
    }
    Some(field)
}

/// Returns the attributes of an element as changes write it: values in double quotes, or none.
fn attributes(element: &str) -> Vec<(String, String)> {
    let inner = element.trim_start_matches("<link").trim_end_matches('>');
    let mut rest = inner.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = &rest[end..];
        let mut value = String::new();
        if let Some(quoted) = rest.strip_prefix("=\"") {
            let end = quoted.find('"').unwrap_or(quoted.len());
            quoted[..end].clone_into(&mut value);
            rest = quoted[end..].trim_start_matches('"');
        }
        all.push((name, value));
        rest = rest.trim_start();
    }
    all
}

/// Returns a regular expression for this path, and nothing else.
fn regex(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if "\\.+?()[]|^".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Fields {
    /// Returns true if no field makes the changes.
    pub(in crate::commands) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.priorities.is_empty()
    }

    /// Returns the lines for a server, with comments that say where they go.
    pub(in crate::commands) fn lines(&self, server: Server) -> String {
        if self.is_empty() {
            return String::new();
        }
        match server {
            Server::Nginx => self.nginx(),
            Server::Apache => self.apache(),
            Server::Caddy => self.caddy(),
            Server::H2o => self.h2o(),
        }
    }

    /// Returns the lines for all servers.
    pub(in crate::commands) fn json(&self) -> Value {
        let all = SERVERS.iter().map(|server| {
            let name = server.to_possible_value().expect("no server is hidden");
            (name.get_name().to_owned(), json!(self.lines(*server)))
        });
        Value::Object(all.collect())
    }

    /// Returns all links as one field value.
    fn link(&self) -> String {
        let all: Vec<&str> = self.links.iter().map(String::as_str).collect();
        all.join(", ")
    }

    fn nginx(&self) -> String {
        let mut http = "# in http { }\n".to_owned();
        let mut server =
            "# in server { }, and in each location with an add_header of its own\n".to_owned();
        if !self.links.is_empty() {
            let _ = write!(
                http,
                "map $request_uri $page_link {{\n  \"~^{}(\\?|$)\" \"{}\";\n}}\n",
                regex(&self.document),
                self.link()
            );
            server += "add_header Link $page_link;\n";
            server += "# nginx sends no 103 of its own; from 1.29 on, early_hints passes on an application's\n";
        }
        if !self.priorities.is_empty() {
            http += "map $request_uri $page_priority {\n";
            for (path, value) in &self.priorities {
                let _ = writeln!(http, "  \"~^{}(\\?|$)\" \"{value}\";", regex(path));
            }
            http += "}\n";
            server += "add_header Priority $page_priority;\n";
        }
        http + &server
    }

    fn apache(&self) -> String {
        let mut text = "# needs mod_headers; in the virtual host\n".to_owned();
        if !self.links.is_empty() {
            // A per cent sign begins a format.
            let link = self.link().replace('%', "%%");
            let _ = write!(
                text,
                "<LocationMatch \"^{}$\">\n  Header add Link \"{link}\"\n",
                regex(&self.document)
            );
            text += "  # a 103 before it, with mod_http2 of Apache 2.4.58 or later\n  <IfModule http2_module>\n";
            for link in &self.links {
                let _ = writeln!(text, "    H2EarlyHint Link \"{link}\"");
            }
            text += "  </IfModule>\n</LocationMatch>\n";
            text += "<IfModule http2_module>\n  H2EarlyHints on\n</IfModule>\n";
        }
        for (path, value) in &self.priorities {
            let _ = write!(
                text,
                "<LocationMatch \"^{}$\">\n  Header set Priority \"{value}\"\n</LocationMatch>\n",
                regex(path)
            );
        }
        text
    }

    fn caddy(&self) -> String {
        let mut text = "# in the site's block\n".to_owned();
        if !self.links.is_empty() {
            let _ = write!(
                text,
                "@page path {}\nheader @page +Link \"{}\"\n# a 103 before it\nrespond @page 103\n",
                self.document,
                self.link()
            );
        }
        for (number, (path, value)) in self.priorities.iter().enumerate() {
            let name = format!("@priority{}", number + 1);
            let _ = write!(
                text,
                "{name} path {path}\nheader {name} Priority \"{value}\"\n"
            );
        }
        text
    }

    fn h2o(&self) -> String {
        let mut text =
            "# in paths of the host, each beside the handler that answers the path\n".to_owned();
        if !self.links.is_empty() {
            let _ = write!(
                text,
                "\"{}\":\n  mruby.handler: |\n    Proc.new do |env|\n      \
                 if env[\"PATH_INFO\"] == \"\" || env[\"PATH_INFO\"] == \"/\"\n        \
                 hints = env[\"rack.early_hints\"]\n        \
                 hints.call({{\"link\" => '{}'}}) if hints\n      end\n      \
                 [399, {{}}, []]\n    end\n",
                self.document,
                self.link()
            );
        }
        for (path, value) in &self.priorities {
            let _ = write!(text, "\"{path}\":\n  header.set: \"Priority: {value}\"\n");
        }
        text
    }
}

#[cfg(test)]
mod tests;
