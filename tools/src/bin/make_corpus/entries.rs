//! Access to the entries of recordings whose page began at [`BEGIN`].

use serde_json::{Value, json};

/// All recordings of the corpus begin at this time.
const BEGIN: &str = "2026-01-15T09:00:";
/// Seconds of the minute at which written pages begin, so that redirects fit before.
const SECOND: f64 = 10.0;

/// Returns the start of an entry or a page in milliseconds since [`BEGIN`].
pub(crate) fn start(value: &Value) -> f64 {
    let text = value["startedDateTime"].as_str().expect("a date");
    let seconds = text
        .strip_prefix(BEGIN)
        .and_then(|rest| rest.strip_suffix('Z'))
        .and_then(|rest| rest.parse::<f64>().ok());
    round(seconds.expect("a time within the first minute") * 1000.0)
}

/// Returns the date at `ms`, which may be negative, with `digits` of a second.
pub(crate) fn date(ms: f64, digits: usize, zone: &str) -> Value {
    let seconds = SECOND + ms / 1000.0;
    assert!((0.0..60.0).contains(&seconds), "{seconds} s");
    json!(format!(
        "{BEGIN}{seconds:0width$.digits$}{zone}",
        width = digits + 3
    ))
}

/// Rounds to three digits.
pub(crate) fn round(ms: f64) -> f64 {
    (ms * 1000.0).round() / 1000.0
}

/// Returns the number at `key` if it is not negative, otherwise 0.
pub(crate) fn ms(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or(0.0).max(0.0)
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

pub(crate) fn url(entry: &Value) -> &str {
    text(&entry["request"], "url")
}

/// Returns the host of a URL, without its port.
pub(crate) fn host(url: &str) -> &str {
    let authority = url.split('/').nth(2).unwrap_or_default();
    authority.split(':').next().unwrap_or_default()
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn list_mut(value: &mut Value) -> &mut Vec<Value> {
    value.as_array_mut().expect("a list")
}

/// Returns the value of a field, by its name in lower case.
pub(crate) fn field<'a>(message: &'a Value, name: &str) -> Option<&'a str> {
    let is = |field: &&Value| text(field, "name").eq_ignore_ascii_case(name);
    list(&message["headers"]).iter().find(is)?["value"].as_str()
}

/// Replaces `cache-control` of a response and gives it a validator.
pub(crate) fn validate(response: &mut Value, control: &str) {
    let fields = list_mut(&mut response["headers"]);
    fields.retain(|field| text(field, "name") != "cache-control");
    fields.push(json!({"name": "cache-control", "value": control}));
    fields.push(json!({"name": "etag", "value": "\"5f3c-1a\""}));
}

/// Returns the encoded bytes of a response's body.
pub(crate) fn body_bytes(entry: &Value) -> u64 {
    field(&entry["response"], "content-length")
        .and_then(|length| length.parse().ok())
        .or_else(|| entry["response"]["bodySize"].as_u64())
        .unwrap_or(0)
}

/// Removes the keys of an object for which `unwanted` is true.
pub(crate) fn remove(value: &mut Value, unwanted: impl Fn(&str) -> bool) {
    value
        .as_object_mut()
        .expect("an object")
        .retain(|key, _| !unwanted(key));
}

/// Gives a message the fields that HTTP/1.1 has: no pseudo-fields, capitalised names.
pub(crate) fn as_http_1_1(message: &mut Value) {
    let host = field(message, ":authority").map(str::to_owned);
    let fields = list_mut(&mut message["headers"]);
    fields.retain(|field| !text(field, "name").starts_with(':'));
    for field in fields.iter_mut() {
        let words = text(field, "name").split('-').map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_ascii_uppercase() + rest
        });
        field["name"] = json!(words.collect::<Vec<_>>().join("-"));
    }
    if let Some(host) = host {
        fields.insert(0, json!({"name": "Host", "value": host}));
    }
}

/// A response without a body to a request for `url` that starts at `start`, in the form of
/// Chrome DevTools.
pub(crate) struct Made<'a> {
    pub(crate) url: &'a str,
    pub(crate) method: &'a str,
    pub(crate) status: u16,
    pub(crate) kind: &'a str,
    pub(crate) initiator: Value,
    pub(crate) start: f64,
    pub(crate) time: f64,
    /// Fields of the response: name and value.
    pub(crate) fields: &'a [(&'a str, &'a str)],
}

impl Made<'_> {
    pub(crate) fn entry(&self) -> Value {
        let named = |fields: &[(&str, &str)]| -> Vec<Value> {
            let field = |(name, value): &(&str, &str)| json!({"name": name, "value": value});
            fields.iter().map(field).collect()
        };
        let location = self.fields.iter().find(|field| field.0 == "location");
        json!({
            "_initiator": self.initiator,
            "_priority": "Low",
            "_resourceType": self.kind,
            "cache": {},
            "pageref": "page_1",
            "request": {
                "method": self.method, "url": self.url, "httpVersion": "http/1.1",
                "headers": named(&[("Accept", "*/*"), ("Host", host(self.url))]),
                "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0,
            },
            "response": {
                "status": self.status, "statusText": "", "httpVersion": "http/1.1",
                "headers": named(self.fields), "cookies": [],
                "content": {"size": 0, "mimeType": "x-unknown"},
                "redirectURL": location.map_or("", |field| field.1),
                "headersSize": -1, "bodySize": -1, "_transferSize": 0, "_error": null,
            },
            "startedDateTime": date(self.start, 3, "Z"),
            "time": self.time,
            "timings": {"blocked": 0.5, "dns": -1, "connect": -1, "ssl": -1, "send": 0.1,
                "wait": round((self.time - 0.6).max(0.0)), "receive": 0},
        })
    }
}
