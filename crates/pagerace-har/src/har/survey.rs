//! The requests of a recording, with the signs of the server and of the protocol that answered
//! them.

use std::path::Path;

use pagerace_page::{Page, ResourceId};
use serde_json::Value;

use super::entry::Entry;
use super::filter::{refusal, served_from_cache};
use super::rtt::{SHORTEST_HANDSHAKE_MS, tls_beside_connect};
use super::value::{filled, millis, shown};
use super::{ImportOptions, Imported, import, parse, read};
use crate::ImportError;

/// A page, and the requests of its recording that a server answered.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The page that the recording describes.
    pub page: Page,
    /// Answered requests in recorded order, without those served from a cache.
    pub requests: Vec<SurveyedRequest>,
}

/// An answered request of a recording. Times in milliseconds; `None` if not recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurveyedRequest {
    /// Absolute URL.
    pub url: String,
    /// Host name.
    pub host: String,
    /// HTTP status.
    pub status: u16,
    /// Version of HTTP: `http/1.1`, `h2` or `h3`.
    pub protocol: Option<&'static str>,
    /// IP address of the server.
    pub address: Option<String>,
    /// Content delivery network, as the recorder named it.
    pub cdn: Option<String>,
    /// Response fields: lower-case names and values.
    pub fields: Vec<(String, String)>,
    /// Connection set-up, TLS included; 0 on a connection that existed.
    pub connect: Option<f64>,
    /// Time from the request to the first byte of the response.
    pub wait: Option<f64>,
    /// Time from the first to the last byte of the response.
    pub receive: Option<f64>,
    /// The resource that the request became; `None` if it was left out of the page.
    pub resource: Option<ResourceId>,
}

impl SurveyedRequest {
    /// Returns every value of a response field, in order; `name` in lower case.
    pub fn field<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = move |(n, value): &'a (String, String)| (n == name).then_some(value.as_str());
        self.fields.iter().filter_map(named)
    }

    /// Returns true if the request used a connection that existed; `None` if that is not
    /// recorded.
    pub fn reused(&self) -> Option<bool> {
        self.connect.map(|connect| connect <= 0.0)
    }
}

/// Reads a HAR file as [`load`](super::load) does, with the requests of its page.
///
/// # Errors
/// Returns the same errors as [`load`](super::load).
pub fn survey(path: &Path, options: &ImportOptions) -> Result<Survey, ImportError> {
    let (file, bytes) = read::file(path)?;
    survey_from_bytes(&file, &bytes, options)
}

/// Reads a HAR from memory as [`survey`] reads a file.
///
/// # Errors
/// Returns the same errors as [`load`](super::load).
pub fn survey_from_bytes(
    file_name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Survey, ImportError> {
    let root = parse(file_name, bytes)?;
    let Imported {
        page,
        entries,
        resources,
        ..
    } = import(file_name, &root, options)?;
    let list = &root["log"]["entries"];
    // A recorder without connections has no set-up anywhere.
    let connects = |number: &usize| millis(&list[*number]["timings"], "connect");
    let knows_set_up = entries.iter().filter_map(connects).any(|time| time > 0.0);
    let answered = |number: &usize| {
        let resource = resources.get(number).copied();
        request(&list[*number], *number, knows_set_up, resource)
    };
    Ok(Survey {
        requests: entries.iter().filter_map(answered).collect(),
        page,
    })
}

fn request(
    value: &Value,
    number: usize,
    knows_set_up: bool,
    resource: Option<ResourceId>,
) -> Option<SurveyedRequest> {
    let entry = Entry::parse(number, value, None);
    let cached = served_from_cache(&entry) && entry.status != 304;
    if entry.status == 0 || cached || refusal(&entry).is_some() {
        return None;
    }
    let set_up = entry.connect.filter(|time| *time > SHORTEST_HANDSHAKE_MS);
    let set_up = set_up.map(|connect| match entry.ssl {
        Some(tls) if tls_beside_connect(&entry, connect, tls) => connect + tls,
        _ => connect,
    });
    Some(SurveyedRequest {
        url: shown(entry.url_text).into_owned(),
        host: entry.host()?.to_owned(),
        status: entry.status,
        protocol: entry.protocol.map(super::protocol::Protocol::name),
        address: entry.address.clone(),
        cdn: filled(value, "_cdn_provider").map(str::to_owned),
        connect: knows_set_up.then_some(set_up.unwrap_or(0.0)),
        wait: entry.wait,
        receive: entry.receive,
        resource,
        fields: entry.response_headers.into_fields(),
    })
}

#[cfg(test)]
mod tests;
