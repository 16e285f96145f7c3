//! Pages that were recorded over HTTP/2 and over HTTP/3.

use pagerace_core::Duration;
use pagerace_har::SurveyedRequest;
use pagerace_lab::stats::median;
use serde::Serialize;

use crate::corpus::{Corpus, CorpusPage};

/// A page that was recorded over both versions, once or several times each.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedPair {
    /// The URL of the document.
    pub url: String,
    /// The recordings over HTTP/2.
    pub h2: Side,
    /// The recordings over HTTP/3.
    pub h3: Side,
}

/// The recordings of a page over one version. Times are medians of the requests over that
/// version, ms; `None` if not recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Names of the recordings.
    pub pages: Vec<String>,
    /// Page load time.
    pub onload_ms: Option<f64>,
    /// Connection set-up of requests that opened connections.
    pub connect_ms: Option<f64>,
    /// Time to the first byte of requests.
    pub wait_ms: Option<f64>,
    /// Time from the first to the last byte of requests.
    pub receive_ms: Option<f64>,
    /// Number of requests on connections that existed.
    pub reused: Option<f64>,
}

/// Returns the pages whose document came over HTTP/2 in one recording and over HTTP/3 in
/// another, in the order of the corpus.
pub(super) fn pairs(corpus: &Corpus) -> Vec<RecordedPair> {
    let mut pairs: Vec<RecordedPair> = Vec::new();
    for page in &corpus.pages {
        let url = document(page);
        if pairs.iter().any(|pair| pair.url == url) {
            continue;
        }
        let over = |version| {
            let same = corpus.pages.iter().filter(|other| document(other) == url);
            let members: Vec<&CorpusPage> = same.filter(|p| protocol(p) == Some(version)).collect();
            (!members.is_empty()).then(|| Side::of(&members, version))
        };
        if let (Some(h2), Some(h3)) = (over("h2"), over("h3")) {
            let url = url.to_owned();
            pairs.push(RecordedPair { url, h2, h3 });
        }
    }
    pairs
}

fn document(page: &CorpusPage) -> &str {
    &page.page.resource(page.page.document).url
}

/// Returns the version over which the document came.
fn protocol(page: &CorpusPage) -> Option<&'static str> {
    let document = Some(page.page.document);
    let mut requests = page.requests.iter();
    let found = requests.find(|request| request.recorded.resource == document);
    found?.recorded.protocol
}

impl Side {
    fn of(pages: &[&CorpusPage], version: &str) -> Self {
        let onload = pages.iter().filter_map(|page| page.page.recorded.on_load);
        let onload: Vec<f64> = onload.map(Duration::as_millis_f64).collect();
        let requests = || {
            let all = pages.iter().flat_map(|page| &page.requests);
            let recorded = all.map(|request| &request.recorded);
            recorded.filter(|request| request.protocol == Some(version))
        };
        let connects = requests().filter_map(|request| request.connect);
        let connects: Vec<f64> = connects.filter(|time| *time > 0.0).collect();
        let waits: Vec<f64> = requests().filter_map(|request| request.wait).collect();
        let receives: Vec<f64> = requests().filter_map(|request| request.receive).collect();
        let known = pages.iter().filter_map(|page| {
            let same = page.requests.iter().map(|request| &request.recorded);
            let same = same.filter(|request| request.protocol == Some(version));
            let reused: Option<Vec<bool>> = same.map(SurveyedRequest::reused).collect();
            Some(reused?.into_iter().filter(|reused| *reused).count() as f64)
        });
        Self {
            pages: pages.iter().map(|page| page.page.name.clone()).collect(),
            onload_ms: median(&onload),
            connect_ms: median(&connects),
            wait_ms: median(&waits),
            receive_ms: median(&receives),
            reused: median(&known.collect::<Vec<f64>>()),
        }
    }
}
