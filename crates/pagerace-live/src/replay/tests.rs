use pagerace_core::Priority;
use pagerace_har::ImportOptions;
use pagerace_har::recording::recording_from_bytes;
use pagerace_http::{Field, fields};
use pagerace_page::Trigger;
use serde_json::{Value, json};

use super::*;

/// Returns an exchange in HAR format, with `body` as text.
fn entry(method: &str, url: &str, status: u16, fields: &Value, body: Option<&str>) -> Value {
    let pairs = fields.as_object().unwrap().iter();
    let headers: Vec<Value> = pairs
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    let mime_type = fields.get("content-type").unwrap_or(&Value::Null).clone();
    let mut content = json!({"size": body.map_or(700, str::len), "mimeType": mime_type});
    if let Some(body) = body {
        content["text"] = body.into();
    }
    json!({
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 30,
        "request": {"method": method, "url": url, "httpVersion": "h2", "headers": [],
            "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
        "response": {"status": status, "statusText": "", "httpVersion": "h2", "headers": headers,
            "cookies": [], "content": content, "redirectURL": "", "headersSize": -1,
            "bodySize": 700},
        "cache": {},
        "timings": {"send": 0, "wait": 20, "receive": 10}
    })
}

fn html() -> String {
    let rows: Vec<String> = (0..300).map(|i| format!("<p>row {i}</p>")).collect();
    let rows = rows.concat();
    format!(
        "<html><body>{rows}<img src=\"https://img.example/a.png\"><img src=\"/late.png\"></body></html>"
    )
}

fn recording() -> Recording {
    let plain = json!({"content-type": "text/plain"});
    let entries = vec![
        entry(
            "GET",
            "http://www.example/",
            301,
            &json!({"location": "http://www.example/home"}),
            Some(""),
        ),
        entry(
            "GET",
            "http://www.example/home",
            200,
            &json!({"content-type": "text/html", "content-encoding": "br", "alt-svc": "h3=\":443\"",
                "Content-Length": "5", "set-cookie": "a=1\nb=2", "x-kept": "yes"}),
            Some(&html()),
        ),
        entry(
            "GET",
            "https://img.example/a.png",
            200,
            &json!({"content-type": "image/png"}),
            None,
        ),
        entry(
            "GET",
            "https://api.example/c?v=1&t=111",
            200,
            &plain,
            Some("one"),
        ),
        entry(
            "GET",
            "https://api.example/c?v=2&t=111",
            200,
            &plain,
            Some("two"),
        ),
        entry(
            "GET",
            "https://api.example/c?v=2&t=111",
            200,
            &plain,
            Some("two again"),
        ),
        entry(
            "POST",
            "https://api.example/post",
            201,
            &plain,
            Some("posted"),
        ),
        entry(
            "GET",
            "https://api.example/style",
            200,
            &json!({"content-type": "text/css"}),
            None,
        ),
    ];
    let har = json!({"log": {"version": "1.2", "creator": {"name": "test", "version": "1"},
        "pages": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "id": "p", "title": "p",
            "pageTimings": {}}],
        "entries": entries}});
    let bytes = har.to_string().into_bytes();
    recording_from_bytes("test.page", &bytes, &ImportOptions::default()).unwrap()
}

fn site() -> ReplaySite {
    ReplaySite::new(&recording()).unwrap()
}

fn request(
    method: &str,
    authority: &str,
    path: &str,
    fields: &[(&'static str, &'static str)],
) -> Request {
    Request {
        method: method.to_owned().into(),
        authority: authority.to_owned().into(),
        path: path.to_owned().into(),
        fields: fields
            .iter()
            .map(|(name, value)| Field::from_static(name, value))
            .collect(),
        body_bytes: 0,
        priority: Priority::default(),
    }
}

fn field(reply: &Reply, name: &str) -> Option<String> {
    let value = fields::get(&reply.fields, name)?;
    Some(String::from_utf8(value.to_vec()).unwrap())
}

fn status(reply: &Reply) -> String {
    field(reply, ":status").unwrap()
}

fn text(reply: &Reply) -> String {
    String::from_utf8(reply.body.slice(0, usize::MAX).to_vec()).unwrap()
}

fn get(site: &mut ReplaySite, host: &str, path: &str) -> Reply {
    site.reply(&request("GET", host, path, &[]))
}

#[test]
fn what_was_recorded_is_answered() {
    let mut site = site();
    let redirect = get(&mut site, "www.example", "/");
    assert_eq!(status(&redirect), "301");
    assert_eq!(
        field(&redirect, "location").unwrap(),
        "https://www.example/home"
    );
    let home = get(&mut site, "WWW.example:443", "/home");
    assert_eq!((status(&home), text(&home)), ("200".into(), html()));
    assert_eq!(field(&home, "x-kept").unwrap(), "yes");
    for dropped in ["alt-svc", "content-length", "content-encoding"] {
        assert_eq!(field(&home, dropped), None, "{dropped}");
    }
    let cookies = home.fields.iter().filter(|f| f.name == "set-cookie");
    assert_eq!(cookies.count(), 2);
    let post = site.reply(&request("POST", "api.example", "/post", &[]));
    assert_eq!(
        (status(&post), text(&post)),
        ("201".into(), "posted".into())
    );
    assert!(site.unknown().is_empty());
}

#[test]
fn bodies_are_compressed_for_those_who_take_it() {
    let brotli = [("accept-encoding", "gzip, deflate, br, zstd")];
    let home = site().reply(&request("GET", "www.example", "/home", &brotli));
    assert_eq!(field(&home, "content-encoding").unwrap(), "br");
    let encoded = home.body.slice(0, usize::MAX);
    assert!(encoded.len() * 4 < html().len());
    let mut decoded = Vec::new();
    brotli::BrotliDecompress(&mut &encoded[..], &mut decoded).unwrap();
    assert_eq!(decoded, html().into_bytes());
    let gzip = [("accept-encoding", "gzip")];
    let home = site().reply(&request("GET", "www.example", "/home", &gzip));
    assert_eq!(field(&home, "content-encoding"), None);
}

#[test]
fn queries_that_differ_mean_the_most_similar() {
    let mut site = site();
    let c =
        |site: &mut ReplaySite, query: &str| text(&get(site, "api.example", &format!("/c{query}")));
    assert_eq!(c(&mut site, "?v=1&t=111"), "one");
    assert_eq!(c(&mut site, "?v=1&t=999"), "one");
    assert_eq!(c(&mut site, "?t=111&v=2"), "two");
    // No parameter is equal, so the longest common prefix decides, then the recorded
    // order.
    assert_eq!(c(&mut site, "?v=29"), "two again");
    assert_eq!(c(&mut site, ""), "one");
    assert!(site.unknown().is_empty());
}

#[test]
fn responses_come_in_order_and_the_last_is_repeated() {
    let mut site = site();
    let path = "/c?v=2&t=111";
    let next = |site: &mut ReplaySite| text(&get(site, "api.example", path));
    let head = site.reply(&request("HEAD", "api.example", path, &[]));
    assert_eq!(status(&head), "200");
    let mut clone = site.clone();
    assert_eq!(next(&mut site), "two");
    assert_eq!(next(&mut clone), "two again");
    assert_eq!(next(&mut site), "two again");
    assert_eq!(next(&mut site.renewed()), "two");
}

#[test]
fn the_unknown_is_told() {
    let mut site = site();
    assert_eq!(status(&get(&mut site, "www.example", "/none?x")), "404");
    assert_eq!(status(&get(&mut site, "www.example", "/none?x")), "404");
    assert_eq!(status(&get(&mut site, "other.example", "/home")), "404");
    let post = site.reply(&request("POST", "www.example", "/home", &[]));
    assert_eq!(status(&post), "404");
    assert_eq!(
        site.clone().unknown(),
        [
            "GET https://other.example/home",
            "GET https://www.example/none?x",
            "POST https://www.example/home",
        ]
    );
    assert!(site.renewed().unknown().is_empty());
}

#[test]
fn addresses_mean_the_document() {
    let mut site = site();
    for host in ["127.0.0.1:8443", "localhost", "[::1]:8443"] {
        assert_eq!(text(&get(&mut site, host, "/home")), html(), "{host}");
    }
}

#[test]
fn wholes_and_preflights() {
    let mut site = site();
    // The server that sends the response applies the range.
    let whole = site.reply(&request(
        "GET",
        "api.example",
        "/c?v=1&t=111",
        &[("range", "bytes=1-")],
    ));
    assert_eq!((status(&whole), text(&whole)), ("200".into(), "one".into()));
    let preflight = [
        ("origin", "https://www.example"),
        ("access-control-request-method", "PUT"),
        ("access-control-request-headers", "x-a, x-b"),
    ];
    let granted = site.reply(&request("OPTIONS", "api.example", "/post", &preflight));
    assert_eq!(status(&granted), "200");
    let allowed = |name: &str| field(&granted, &format!("access-control-allow-{name}")).unwrap();
    assert_eq!(allowed("origin"), "https://www.example");
    assert_eq!(
        (allowed("methods"), allowed("headers")),
        ("PUT".into(), "x-a, x-b".into())
    );
    let options = site.reply(&request("OPTIONS", "api.example", "/post", &[]));
    assert_eq!(status(&options), "404");
}

#[test]
fn missing_bodies_are_filled_and_told() {
    let mut site = site();
    assert_eq!(get(&mut site, "img.example", "/a.png").body.len(), 700);
    let style = text(&get(&mut site, "api.example", "/style"));
    assert!(style.len() == 700 && style.starts_with("/*") && style.ends_with("*/"));
    let notes = site.notes().join("\n");
    assert!(notes.contains("a.png was recorded without its body; 700 bytes that cannot be shown"));
    assert!(notes.contains("style was recorded without its body; 700 bytes without effect"));
    assert!(
        notes.contains("2 responses were recorded over http"),
        "{notes}"
    );
    assert_eq!(site.hosts(), ["api.example", "img.example", "www.example"]);
}

#[test]
fn the_page_gets_the_sizes_that_are_served() {
    let recording = recording();
    let mut site = ReplaySite::new(&recording).unwrap();
    let mut page = recording.page.clone();
    site.adjust(&mut page);
    let brotli = [("accept-encoding", "br")];
    for resource in &page.resources {
        let url = url::Url::parse(&resource.url).unwrap();
        let target = &url[url::Position::BeforePath..];
        let asked = request(&resource.method, url.host_str().unwrap(), target, &brotli);
        let mut reply = site.reply(&asked);
        assert_eq!(reply.body.len(), resource.body_bytes, "{url}");
        let length = reply.body.len().to_string();
        reply.fields.push(Field::new("content-length", length));
        let header_bytes = fields::text_size(&reply.fields);
        assert_eq!(
            header_bytes,
            u64::from(resource.response_header_bytes),
            "{url}"
        );
        if let Trigger::Markup { parent, offset } = resource.discovery.trigger {
            assert!(offset <= page.resource(parent).body_bytes, "{url}");
        }
    }
    assert_eq!(page.resource(page.document).status, 200);
    let last = page.resources.last_mut().unwrap();
    (last.status, last.body_bytes) = (304, 0);
    site.adjust(&mut page);
    assert_eq!(page.resources.last().unwrap().body_bytes, 0);
    let home = |page: &pagerace_page::Page| page.resource(page.document).body_bytes;
    assert_ne!(home(&page), home(&recording.page));
    let thinking = page.resources.iter().any(|r| !r.think_time.is_zero());
    assert!(thinking, "the recording has waits");
    site.with_think_time(false).adjust(&mut page);
    assert!(page.resources.iter().all(|r| r.think_time.is_zero()));
}

#[test]
fn think_times_are_the_recorded_ones_unless_turned_off() {
    let recording = recording();
    let mut site = ReplaySite::new(&recording).unwrap();
    let document = recording.page.resource(recording.page.document);
    let asked = request("GET", "www.example", "/home", &[]);
    assert_eq!(site.reply(&asked).think_time, document.think_time);
    assert_eq!(site.reply(&asked).facts.destination, document.destination);
    let mut hurried = site.with_think_time(false);
    assert!(hurried.reply(&asked).think_time.is_zero());
}

#[test]
fn a_recording_without_responses_is_refused() {
    let mut recording = recording();
    for exchange in &mut recording.exchanges {
        exchange.failed = Some("net::ERR_FAILED".into());
    }
    let error = ReplaySite::new(&recording).unwrap_err().to_string();
    assert!(error.contains("no response to serve"), "{error}");
}

#[test]
fn an_error_response_that_the_browser_gave_up_is_served() {
    let mut recording = recording();
    let mut missing = recording.exchanges[0].clone();
    missing.url = "https://cdn.example/missing.css".parse().unwrap();
    missing.status = 404;
    missing.failed = Some("net::ERR_ABORTED".into());
    missing.body = None;
    missing.encoded_bytes = None;
    recording.exchanges.push(missing);
    let mut site = ReplaySite::new(&recording).unwrap();
    assert!(site.hosts().contains(&"cdn.example".to_owned()));
    let reply = get(&mut site, "cdn.example", "/missing.css");
    assert_eq!(status(&reply), "404");
    assert!(site.unknown().is_empty(), "the recording has it");
}

#[test]
fn each_navigation_to_the_page_begins_another_load() {
    let mut site = site().with_restarts();
    let navigate = |site: &mut ReplaySite, path: &str| {
        let fields = [("sec-fetch-dest", "document")];
        status(&site.reply(&request("GET", "www.example", path, &fields)))
    };
    let next = |site: &mut ReplaySite| text(&get(site, "api.example", "/c?v=2&t=111"));
    for _ in 0..2 {
        assert_eq!(navigate(&mut site, "/"), "301");
        assert_eq!(navigate(&mut site, "/home"), "200");
        assert_eq!(next(&mut site), "two");
        // A script that fetches the page begins no load.
        assert_eq!(status(&get(&mut site, "www.example", "/")), "301");
        assert_eq!(next(&mut site), "two again");
        assert_eq!(next(&mut site), "two again");
    }
}
