//! The rows of requests in Parquet files.

use pagerace_core::Words as _;
use pagerace_study::columns::{Column, Columns, Record};

use crate::corpus::{Corpus, CorpusRequest, Http3Hosts};
use crate::experiment::Times;
use crate::findings::Findings;

/// A request of a corpus.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    page: &'a str,
    request: &'a CorpusRequest,
    /// True if the host speaks HTTP/3.
    http3: bool,
    /// Bytes of the body as transferred.
    body_bytes: Option<f64>,
    /// Simulated times over HTTP/2 and HTTP/3.
    times: Option<(Times, Times)>,
}

impl<'a> Row<'a> {
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

impl Record for Row<'_> {
    const TABLE: &'static str = "requests";

    fn columns(rows: &[Self]) -> Columns<'_> {
        fn texts<'b, 'a: 'b>(
            rows: &'b [Row<'a>],
            name: &str,
            get: impl Fn(&'b Row<'a>) -> Option<&'b str>,
        ) -> (String, Column<'b>) {
            (
                name.to_owned(),
                Column::Texts(rows.iter().map(get).collect()),
            )
        }
        let numbers = |name: &str, get: &dyn Fn(&Row<'_>) -> Option<f64>| {
            let all = rows.iter().map(get).collect();
            (name.to_owned(), Column::Numbers(all))
        };
        let flags = |name: &str, get: &dyn Fn(&Row<'_>) -> bool| {
            let all = rows.iter().map(|row| i64::from(get(row))).collect();
            (name.to_owned(), Column::Integers(all))
        };
        let mut columns = vec![
            texts(rows, "page", |row| Some(row.page)),
            texts(rows, "url", |row| Some(&row.request.recorded.url)),
            texts(rows, "host", |row| Some(&row.request.recorded.host)),
            texts(rows, "protocol", |row| row.request.recorded.protocol),
            texts(rows, "provider", |row| row.request.provider()),
            texts(rows, "evidence", |row| {
                let (_, evidence) = row.request.provider.as_ref()?;
                Some(evidence.word())
            }),
            flags("cdn", &|row| row.request.provider.is_some()),
            flags("http3", &|row| row.http3),
            numbers("status", &|row| Some(row.request.recorded.status.into())),
            numbers("body_bytes", &|row| row.body_bytes),
            numbers("reused", &|row| {
                row.request
                    .recorded
                    .reused()
                    .map(|r| f64::from(u8::from(r)))
            }),
            numbers("connect_ms", &|row| row.request.recorded.connect),
            numbers("wait_ms", &|row| row.request.recorded.wait),
            numbers("receive_ms", &|row| row.request.recorded.receive),
        ];
        for (i, phase) in ["connect", "wait", "receive"].into_iter().enumerate() {
            columns.push(numbers(&format!("h2_{phase}_ms"), &|row| {
                Some(row.times?.0[i])
            }));
            columns.push(numbers(&format!("h3_{phase}_ms"), &|row| {
                Some(row.times?.1[i])
            }));
        }
        columns
    }
}

#[cfg(test)]
mod tests;
