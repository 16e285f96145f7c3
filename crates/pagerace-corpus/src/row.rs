//! The rows of requests in Parquet files.

use pagerace_core::Words as _;
use pagerace_study::columns::{Columns, Of, Record};

use crate::corpus::{Corpus, CorpusRequest, Http3Hosts};
use crate::experiment::Times;
use crate::findings::Findings;

/// A request of a corpus.
#[derive(Clone, Debug)]
pub struct CorpusRow<'a> {
    page: &'a str,
    request: &'a CorpusRequest,
    /// True if the host speaks HTTP/3.
    http3: bool,
    /// Bytes of the body as transferred.
    body_bytes: Option<f64>,
    /// Simulated times over HTTP/2 and HTTP/3.
    times: Option<(Times, Times)>,
}

impl<'a> CorpusRow<'a> {
    /// Returns the rows of a corpus, with the simulated times of its findings.
    pub fn all(corpus: &'a Corpus, which: Http3Hosts, findings: &Findings) -> Vec<Self> {
        let mut rows = Vec::new();
        for (i, page) in corpus.pages.iter().enumerate() {
            let times = findings.pages[i].pairs.first().map(|pairs| &pairs.times);
            for request in &page.requests {
                let resource = request.recorded.resource;
                let times = times.and_then(|times| *times.get(resource?.index())?);
                let bytes = resource.map(|id| page.page.resource(id).body_bytes as f64);
                rows.push(Self {
                    page: &page.page.name,
                    request,
                    http3: corpus.speaks_http3(&request.recorded.host, which),
                    body_bytes: bytes,
                    times,
                });
            }
        }
        rows
    }
}

impl Record for CorpusRow<'_> {
    const TABLE: &'static str = "requests";

    fn columns(rows: &[Self]) -> Columns<'_> {
        let of = Of(rows);
        let mut columns = vec![
            of.texts("page", |row| Some(row.page)),
            of.texts("url", |row| Some(&row.request.recorded.url)),
            of.texts("host", |row| Some(&row.request.recorded.host)),
            of.texts("protocol", |row| row.request.recorded.protocol),
            of.texts("provider", |row| row.request.provider()),
            of.texts("evidence", |row| {
                let (_, evidence) = row.request.provider.as_ref()?;
                Some(evidence.word())
            }),
            of.integers("cdn", |row| row.request.provider.is_some().into()),
            of.integers("http3", |row| row.http3.into()),
            of.numbers("status", |row| Some(row.request.recorded.status.into())),
            of.numbers("body_bytes", |row| row.body_bytes),
            of.numbers("reused", |row| {
                row.request
                    .recorded
                    .reused()
                    .map(|r| f64::from(u8::from(r)))
            }),
            of.numbers("connect_ms", |row| row.request.recorded.connect),
            of.numbers("wait_ms", |row| row.request.recorded.wait),
            of.numbers("receive_ms", |row| row.request.recorded.receive),
        ];
        for (i, phase) in ["connect", "wait", "receive"].into_iter().enumerate() {
            columns.push(of.numbers(&format!("h2_{phase}_ms"), |row| Some(row.times?.0[i])));
            columns.push(of.numbers(&format!("h3_{phase}_ms"), |row| Some(row.times?.1[i])));
        }
        columns
    }
}

#[cfg(test)]
mod tests;
