//! Probes of objects that a page refers to, also of hostile pages.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use pagerace_core::{Duration, Protocol};
use pagerace_delivery::reliability::Nature;
use pagerace_http::Field;
use pagerace_live::tcp::{TlsServer, TlsServerConfig};
use pagerace_live::{LiveError, QuicServer, probe, secret_seed};
use pagerace_peer::stream::StreamServerConfig;
use pagerace_peer::{Body, Reply, Request, ServerConfig, Site};
use pagerace_probe::congestion;
use pagerace_probe::find::{LOOKED_MAX, PAGE_MAX, SIZES_MAX};
use pagerace_probe::plan::facts;
use pagerace_probe::{Budget, Job, Observed, ProbeError, Subject, Trace, observe};
use pagerace_transport::quic::keys::{Identity, client_keys_trusting, client_tls, server_tls};
use url::Url;

const BOTH: [Protocol; 2] = [Protocol::H2, Protocol::H3];

/// A page and objects: `:path`, media type and size in bytes.
#[derive(Clone)]
struct PageSite {
    page: Body,
    objects: Vec<(String, &'static str, u64)>,
    /// Values of `:authority` and `:path` that were requested.
    asked: Arc<Mutex<Vec<(String, String)>>>,
}

impl PageSite {
    fn new(page: Body, objects: &[(&str, &'static str, u64)]) -> Self {
        let objects = objects.iter();
        Self {
            page,
            objects: objects.map(|(p, t, n)| ((*p).to_owned(), *t, *n)).collect(),
            asked: Arc::default(),
        }
    }
}

impl Site for PageSite {
    fn reply(&mut self, request: &Request) -> Reply {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let path = text(&request.path);
        let mut asked = self.asked.lock().unwrap();
        asked.push((text(&request.authority), path.clone()));
        let found = self.objects.iter().find(|(known, ..)| *known == path);
        let (status, media_type, body) = match found {
            Some((_, media_type, length)) => ("200", *media_type, Body::Filler(*length)),
            None if path == "/" => ("200", "text/html", self.page.clone()),
            None => ("404", "text/plain", Body::EMPTY),
        };
        Reply {
            think_time: Duration::ZERO,
            early: Vec::new(),
            fields: vec![
                Field::from_static(":status", status),
                Field::from_static("content-type", media_type),
            ],
            body,
            facts: facts(media_type),
            nature: Nature::ESSENTIAL,
        }
    }
}

/// A server that runs until it is dropped.
struct Truth {
    protocol: Protocol,
    address: pagerace_probe::Server,
    certificate: Vec<u8>,
    site: PageSite,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Truth {
    fn start(protocol: Protocol, site: PageSite) -> Self {
        let identity = Identity::new(&["localhost"]).unwrap();
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let (remote, thread) = if protocol == Protocol::H2 {
            let tls = server_tls(identity.chain(), identity.key(), &[b"h2"]).unwrap();
            let stream = StreamServerConfig::new("eps".parse().unwrap());
            let config = TlsServerConfig::new(stream, Arc::new(tls));
            let mut server = TlsServer::bind(any, &config, site.clone()).unwrap();
            let remote = server.local_address().unwrap();
            let run = move || server.run(&stopped).unwrap();
            (remote, std::thread::spawn(run))
        } else {
            let (keys, strategy) = (identity.server_keys().unwrap(), "eps".parse().unwrap());
            let config = ServerConfig::new(keys, strategy, secret_seed().unwrap());
            let mut server = QuicServer::bind(any, &config, site.clone()).unwrap();
            let remote = server.local_address().unwrap();
            let run = move || server.run(&stopped).unwrap();
            (remote, std::thread::spawn(run))
        };
        Self {
            protocol,
            address: pagerace_probe::Server {
                remote,
                name: "localhost".to_owned(),
                authority: "localhost".to_owned(),
            },
            certificate: identity.certificate().to_vec(),
            site,
            stop,
            thread: Some(thread),
        }
    }

    fn play(&self, job: Job) -> Result<Trace, LiveError> {
        if self.protocol == Protocol::H2 {
            let tls = Arc::new(client_tls(&self.certificate, b"h2").unwrap());
            probe::play_http2(job, &self.address, &tls)
        } else {
            let keys = client_keys_trusting(&self.certificate).unwrap();
            probe::play(job, &self.address, &keys, secret_seed()?)
        }
    }

    fn observe(&self, subject: Subject<'_>) -> Result<Observed, ProbeError<LiveError>> {
        observe(self.protocol, subject, &Budget::default(), |job| {
            self.play(job)
        })
    }

    /// Looks at a page until the first script begins. Returns the bytes of each connection, and
    /// the objects that would be probed.
    fn find(&self) -> (Vec<u64>, Vec<String>) {
        let url = Url::parse("https://localhost/").unwrap();
        let mut bytes = Vec::new();
        let mut paths = Vec::new();
        let budget = Budget::default();
        let ended = observe(self.protocol, Subject::Page(&url), &budget, |job| {
            if job.script.name == "plain" {
                paths = job.targets.iter().map(|t| t.path.clone()).collect();
                return Err(None::<LiveError>);
            }
            let trace = self.play(job).map_err(Some)?;
            bytes.push(trace.counted());
            Ok(trace)
        });
        assert!(matches!(ended, Err(ProbeError::Socket(None))), "{ended:?}");
        // The last target is that of the primers.
        paths.pop();
        (bytes, paths)
    }

    /// Returns the error of looking at a page.
    fn refused(&self) -> String {
        let url = Url::parse("https://localhost/").unwrap();
        self.observe(Subject::Page(&url)).unwrap_err().to_string()
    }

    fn asked(&self) -> Vec<(String, String)> {
        self.site.asked.lock().unwrap().clone()
    }
}

impl Drop for Truth {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn html(text: &str) -> Body {
    Body::Bytes(text.to_owned().into())
}

const PAGE: &str = "<!doctype html><link rel=stylesheet href=a.css><script src=/b.js?v=2></script>
    <script src=https://cdn.example/lib.js></script><script src=//localhost:1/port.js></script>
    <body><img src=small.png><img src=large.png><img src=gone.png><img src=large.png#x>
    <img src='data:,x'><img src=https://you@localhost/large.png><a href=/logout>Leave</a><iframe src=/frame.html></iframe>";

const OBJECTS: [(&str, &str, u64); 4] = [
    ("/a.css", "text/css", 60_000),
    ("/b.js?v=2", "text/javascript", 90_000),
    ("/small.png", "image/png", 20_000),
    ("/large.png", "image/png", 300_000),
];

/// The page is too small to be probed, so no option is needed.
#[test]
fn objects_of_a_small_page_are_probed() {
    let truth = Truth::start(Protocol::H2, PageSite::new(html(PAGE), &OBJECTS));
    let url = Url::parse("https://localhost/").unwrap();
    let observed = truth.observe(Subject::Url(&url)).unwrap();
    let sizes = observed.objects.iter().map(|o| (&o.path[..], o.length));
    let expected = [
        ("/large.png", 300_000),
        ("/b.js?v=2", 90_000),
        ("/a.css", 60_000),
    ];
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
    let found = observed.found.as_ref().unwrap();
    assert_eq!((found.own, found.others), (5, 2));
    assert!(found.looked.contains(&("/gone.png".to_owned(), None)));
    assert_eq!(
        found.sentence(&observed.objects),
        "The page / refers to 5 objects of this host. Of 5 looked at, the probe uses /large.png \
         (300000 bytes), /b.js?v=2 (90000 bytes), /a.css (60000 bytes)."
    );
    // The simulated server has the same objects.
    assert_eq!(observed.model(1).objects, observed.objects);
    let asked = truth.asked();
    assert_eq!(asked.len(), observed.used.requests);
    assert!(asked.len() <= Budget::default().requests);
    for (authority, path) in asked {
        let known = path == "/" || path == "/gone.png" || OBJECTS.iter().any(|o| o.0 == path);
        assert!(known && authority == "localhost", "{authority}{path}");
    }
}

#[test]
fn objects_of_a_page_are_found_over_both_protocols() {
    for protocol in BOTH {
        let truth = Truth::start(protocol, PageSite::new(html(PAGE), &OBJECTS));
        let (bytes, paths) = truth.find();
        assert_eq!(paths, ["/large.png", "/b.js?v=2", "/a.css"]);
        assert_eq!(bytes.len(), 3);
        assert_eq!(truth.asked().len(), 2 + 5);
    }
}

/// Without an object of which a script takes its full share, the largest one is probed.
#[test]
fn of_small_objects_the_largest_is_probed() {
    let truth = Truth::start(Protocol::H3, PageSite::new(html(PAGE), &OBJECTS[2..3]));
    assert_eq!(truth.find().1, ["/small.png"]);
}

/// The beginning of an endless page is enough.
#[test]
fn an_endless_page_is_cut() {
    for protocol in BOTH {
        let page = Body::Joined([html(PAGE), Body::Filler(1 << 40)].into());
        let truth = Truth::start(protocol, PageSite::new(page, &OBJECTS));
        let (bytes, paths) = truth.find();
        assert_eq!(paths.len(), 3);
        assert!(bytes[1] <= PAGE_MAX + 20_000, "{bytes:?}");
    }
}

/// Each kind of object gets its share of the requests.
#[test]
fn of_thousands_of_objects_few_are_looked_at() {
    let images = (0..9_000).map(|i| format!("<img src=/{i}.png>"));
    let scripts = (0..2).map(|i| format!("<script src=/{i}.js></script>"));
    let page: String = images.chain(scripts).collect();
    let objects = [
        ("/3.png", "image/png", 60_000),
        ("/1.js", "text/javascript", 70_000),
    ];
    for protocol in BOTH {
        let truth = Truth::start(protocol, PageSite::new(html(&page), &objects));
        assert_eq!(truth.find().1, ["/1.js", "/3.png"]);
        assert_eq!(truth.asked().len(), 2 + LOOKED_MAX);
    }
}

/// A server that ignores ranges sends objects of any size when asked for their sizes.
#[test]
fn sizes_cost_few_bytes_without_ranges() {
    let mut objects = OBJECTS;
    for object in &mut objects {
        object.2 = 1 << 40;
    }
    for protocol in BOTH {
        let truth = Truth::start(protocol, PageSite::new(html(PAGE), &objects));
        let url = Url::parse("https://localhost/").unwrap();
        let mut sizes = 0;
        let budget = Budget::default();
        let ended = observe(protocol, Subject::Page(&url), &budget, |mut job| {
            if job.script.name == "plain" {
                return Err(None::<LiveError>);
            }
            for target in &mut job.targets {
                target.range = None;
            }
            let trace = truth.play(job).map_err(Some)?;
            sizes = trace.counted();
            Ok(trace)
        });
        assert!(matches!(ended, Err(ProbeError::Socket(None))), "{ended:?}");
        assert!(sizes <= SIZES_MAX + 1_500, "{sizes}");
    }
}

#[test]
fn pages_without_usable_objects_are_named() {
    let ask = |page: &str, objects| {
        Truth::start(Protocol::H3, PageSite::new(html(page), objects)).refused()
    };
    let elsewhere =
        "<img src=https://cdn.example/a.png><script src=http://localhost/b.js></script>";
    assert_eq!(
        ask(elsewhere, &[]),
        "the page / refers to 0 objects of this host and 2 of other hosts, such as cdn.example; \
         give the URL of an object of at least 12000 bytes"
    );
    assert_eq!(
        ask(PAGE, &[("/small.png", "image/png", 7_000)]),
        "the page / refers to 5 objects of this host and 2 of other hosts, such as cdn.example; of \
         5 looked at, the largest is /small.png with 7000 bytes; give the URL of an object of at \
         least 12000 bytes"
    );
    assert!(ask("<script src=/gone.js></script>", &[]).contains("none of 1 looked at says"));
    // No other host either.
    assert!(ask("<p>", &[]).contains("refers to 0 objects of this host;"));
    let text = [("/", "text/plain", 90_000)];
    assert_eq!(
        ask("", &text),
        "/ is no page, but \"text/plain\"; leave out --find"
    );
    // Endless bytes that refer to nothing.
    let page = PageSite::new(Body::Filler(1 << 40), &[]);
    let refused = Truth::start(Protocol::H2, page).refused();
    assert!(refused.contains("refers to 0 objects"), "{refused}");
}

/// Several URLs are objects, so a page among them is not searched.
#[test]
fn a_small_page_among_other_urls_is_refused() {
    let truth = Truth::start(Protocol::H3, PageSite::new(html(PAGE), &OBJECTS));
    let paths = ["/", "/a.css"].map(str::to_owned);
    let error = truth.observe(Subject::Objects(&paths)).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("/ is a page of ") && text.contains("this URL alone"),
        "{text}"
    );
    assert_eq!(truth.asked().len(), 2);
}

/// The trials take the largest object, if it is large enough for them.
#[test]
fn a_controller_is_probed_with_the_largest_object() {
    let url = Url::parse("https://localhost/").unwrap();
    let budget = Budget::default();
    let observe = |objects: &[_]| {
        let truth = Truth::start(Protocol::H3, PageSite::new(html(PAGE), objects));
        let mut path = String::new();
        let survey = |job| truth.play(job);
        let ended = congestion::observe(Protocol::H3, Subject::Url(&url), &budget, survey, |f| {
            path = f.path;
            Err(LiveError::Name("stop".to_owned()))
        });
        (ended.unwrap_err().to_string(), path)
    };
    assert_eq!(observe(&OBJECTS).1, "/large.png");
    let (error, _) = observe(&OBJECTS[..1]);
    assert!(
        error.contains("the largest is /a.css with 60000 bytes"),
        "{error}"
    );
}
