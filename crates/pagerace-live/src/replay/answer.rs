//! An exchange of the recording, prepared as a response.

use bytes::Bytes;
use pagerace_core::Duration;
use pagerace_delivery::Facts;
use pagerace_har::coding::{Coding, encode_all};
use pagerace_har::{Exchange, Recording};
use pagerace_http::{Field, fields};
use pagerace_page::ResourceId;
use pagerace_peer::server::UNKNOWN;
use pagerace_peer::{Body, Reply, Request};

use super::filler::filler;

/// Fields that belong to the connection of the recorded response (RFC 9110, section
/// 7.6.1; RFC 9113, section 8.2.2) or that the replay sets itself.
const OF_CONNECTION: [&str; 10] = [
    "connection",
    "content-encoding",
    "content-length",
    "keep-alive",
    "proxy-authenticate",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Fields that lead a browser elsewhere or that it remembers beyond the replay: other
/// servers (RFC 7838), forced HTTPS (RFC 6797), and reports of failures (Network Error
/// Logging, Reporting API).
const LEADING_AWAY: [&str; 5] = [
    "alt-svc",
    "nel",
    "report-to",
    "reporting-endpoints",
    "strict-transport-security",
];

/// An exchange, prepared as a response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) method: String,
    /// The host in lower case.
    pub(super) host: String,
    /// Path and query.
    pub(super) target: String,
    pub(super) resource: Option<ResourceId>,
    status: u16,
    /// The fields, without `:status`, `content-encoding` and `content-length`.
    fields: Vec<Field>,
    body: Body,
    /// The body in its content coding, if it has one.
    encoded: Option<(Coding, Bytes)>,
    think_time: Duration,
    /// The links of a 103 response before this one.
    early: Vec<Field>,
    facts: Facts,
}

/// Returns the answers in the order of the recording, and notes on responses that cannot be
/// replayed as recorded.
pub(super) fn all(recording: &Recording) -> (Vec<Answer>, Vec<String>) {
    let mut answers = Vec::new();
    let mut notes = Vec::new();
    let mut bodies = Vec::new();
    for exchange in &recording.exchanges {
        let web = matches!(exchange.url.scheme(), "http" | "https");
        let Some(host) = exchange.url.host_str().filter(|_| web) else {
            continue;
        };
        let url = &exchange.url;
        // Browsers stop reading the body of an error response that they cannot use.
        let is_error = (400..=599).contains(&exchange.status);
        let given_up = |reason: &&String| is_error && reason.contains("ERR_ABORTED");
        if let Some(reason) = exchange.failed.as_ref().filter(|r| !given_up(r)) {
            // A host that could not be resolved has no server in the replay either.
            if !reason.contains("NAME_NOT_RESOLVED") {
                notes.push(format!(
                    "{url} failed when it was recorded ({reason}) and is answered \
                                    with 404"
                ));
            }
            continue;
        }
        if !(200..=599).contains(&exchange.status) {
            notes.push(format!(
                "{url} was recorded without a response and is answered with 404"
            ));
            continue;
        }
        let (answer, coding) = answer(recording, exchange, host, &mut notes);
        if let (Some(coding), Body::Bytes(body)) = (coding, &answer.body) {
            bodies.push((answers.len(), (coding, body.clone())));
        }
        answers.push(answer);
    }
    let plain = recording
        .exchanges
        .iter()
        .filter(|e| e.url.scheme() == "http");
    match plain.count() {
        0 => {}
        plain => notes.push(format!(
            "{plain} responses were recorded over http and are served over https; a browser \
             blocks or upgrades the page's http requests"
        )),
    }
    let (places, bodies): (Vec<usize>, Vec<_>) = bodies.into_iter().unzip();
    let encoded = encode_all(&bodies);
    for ((place, (coding, _)), encoded) in places.into_iter().zip(bodies).zip(encoded) {
        answers[place].encoded = Some((coding, encoded));
    }
    (answers, notes)
}

/// Returns an answer that is not encoded yet, and the content coding to apply.
fn answer(
    recording: &Recording,
    exchange: &Exchange,
    host: &str,
    notes: &mut Vec<String>,
) -> (Answer, Option<Coding>) {
    let Exchange { url, status, .. } = exchange;
    let of = |name: &str| exchange.fields.iter().find(|(n, _)| n == name);
    let recorded_coding = of("content-encoding").map(|(_, value)| value.as_str());
    let resource = exchange.resource.map(|id| recording.page.resource(id));
    let (body, coding) = match &exchange.body {
        Some(body) => (
            Body::Bytes(body.clone()),
            recorded_coding.and_then(Coding::standing_for),
        ),
        None => (stand_in(exchange, notes), None),
    };
    // A recorded 304 referred to a cache that is empty in the replay.
    let status = match status {
        304 if exchange.body.as_ref().is_some_and(|b| !b.is_empty()) => 200,
        304 => {
            notes.push(format!("{url} was recorded as unchanged, without a body"));
            304
        }
        status => *status,
    };
    let mut target = url.path().to_owned();
    if let Some(query) = url.query() {
        target = format!("{target}?{query}");
    }
    let answer = Answer {
        method: exchange.method.clone(),
        host: host.trim_matches(['[', ']']).to_ascii_lowercase(),
        target,
        resource: exchange.resource,
        status,
        fields: response_fields(exchange),
        body,
        encoded: None,
        think_time: resource.map_or(Duration::ZERO, |r| r.think_time),
        early: early_hints(recording, exchange),
        facts: resource.map_or(UNKNOWN, |r| Facts {
            destination: r.destination,
            script_mode: r.script_mode,
            class: r.priority,
            render_blocking: r.render_blocking,
            served: r.served_priority,
        }),
    };
    (answer, coding)
}

/// Returns the `Link` fields of a 103 response before that of the page's document.
fn early_hints(recording: &Recording, exchange: &Exchange) -> Vec<Field> {
    let page = &recording.page;
    if exchange.resource != Some(page.document) {
        return Vec::new();
    }
    let links = page.early_links();
    links.map(|link| Field::new("link", link)).collect()
}

/// Returns a replacement for a body that the recording lacks.
fn stand_in(exchange: &Exchange, notes: &mut Vec<String>) -> Body {
    let Exchange { url, status, .. } = exchange;
    let size = exchange.encoded_bytes.unwrap_or(0);
    if size == 0 || (300..400).contains(status) || matches!(status, 204 | 205) {
        return Body::EMPTY;
    }
    let of = |name: &str| exchange.fields.iter().find(|(n, _)| n == name);
    let mime_type = of("content-type")
        .map_or("", |(_, value)| value)
        .split(';')
        .next()
        .unwrap_or_default();
    let (body, readable) = filler(&mime_type.trim().to_ascii_lowercase(), size);
    notes.push(if readable {
        format!(
            "{url} was recorded without its body; {size} bytes without effect are served \
                 instead"
        )
    } else {
        format!(
            "{url} was recorded without its body; {size} bytes that cannot be shown are \
                 served instead"
        )
    });
    body
}

/// Returns the recorded fields without those that no longer apply.
fn response_fields(exchange: &Exchange) -> Vec<Field> {
    let mut kept = Vec::new();
    for (name, value) in &exchange.fields {
        let name = name.to_ascii_lowercase();
        let dropped =
            OF_CONNECTION.contains(&name.as_str()) || LEADING_AWAY.contains(&name.as_str());
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if dropped || name.is_empty() || !name.bytes().all(token) {
            continue;
        }
        // DevTools joins the values of repeated fields by line breaks.
        for line in value.split(['\n', '\r']).map(str::trim) {
            let allowed = |b: &u8| *b == b'\t' || (*b >= b' ' && *b != 0x7f);
            let line = match name.as_str() {
                "location" => secure(line),
                _ => line.to_owned(),
            };
            let clean: Vec<u8> = line.bytes().filter(allowed).collect();
            if !clean.is_empty() || !value.contains('\n') {
                kept.push(Field::new(name.clone(), clean));
            }
        }
    }
    kept
}

/// Changes `http:` to `https:` and drops the port 80.
fn secure(location: &str) -> String {
    let parsed = url::Url::parse(location).ok();
    let Some(mut url) = parsed.filter(|url| url.scheme() == "http") else {
        return location.to_owned();
    };
    // `Url` omits the default port. Any other port stays.
    match url.set_scheme("https") {
        Ok(()) => url.into(),
        Err(()) => location.to_owned(),
    }
}

impl Answer {
    /// Returns the response to this request.
    pub(super) fn reply(&self, request: &Request) -> Reply {
        let accepted = fields::get(&request.fields, "accept-encoding");
        let encoded = self.encoded.as_ref().filter(|(coding, _)| {
            let field = accepted.map_or(&b""[..], |field| field.as_ref());
            coding.is_accepted(field)
        });
        let fields = self.all_fields(encoded.map(|(coding, _)| *coding));
        let body = match encoded {
            Some((_, bytes)) => Body::Bytes(bytes.clone()),
            None => self.body.clone(),
        };
        Reply {
            think_time: self.think_time,
            early: self.early.clone(),
            facts: self.facts,
            ..Reply::new(fields, body)
        }
    }

    /// Returns the lengths of the encoded and the decoded body.
    pub(super) fn sizes(&self) -> (u64, u64) {
        let decoded = self.body.len();
        let encoded = self.encoded.as_ref();
        (encoded.map_or(decoded, |(_, b)| b.len() as u64), decoded)
    }

    /// Returns the length of the field section as text, as a browser receives it.
    pub(super) fn header_bytes(&self) -> u64 {
        let mut all = self.all_fields(self.encoded.as_ref().map(|(coding, _)| *coding));
        all.push(Field::new("content-length", self.sizes().0.to_string()));
        fields::text_size(&all)
    }

    fn all_fields(&self, coding: Option<Coding>) -> Vec<Field> {
        let status = Field::new(":status", self.status.to_string());
        let coding = coding.map(|c| Field::from_static("content-encoding", c.name()));
        let rest = self.fields.iter().cloned();
        std::iter::once(status).chain(rest).chain(coding).collect()
    }
}
