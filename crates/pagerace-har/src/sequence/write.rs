//! Serialisation of transfers as JSON: an array with one object per transfer and one
//! field per line.

use pagerace_core::Duration;
use serde::{Serialize, Serializer};

use super::{Transfer, TransferSequence};
use pagerace_page::Category;

/// An entry in serialised form.
#[derive(Serialize)]
struct Entry<'a> {
    id: u32,
    category: Category,
    extension: &'a str,
    size_bytes: u64,
    start_ms: f64,
    transfer_ms: Option<f64>,
    file_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    third_party: Option<bool>,
    must_be_whole: bool,
}

impl<'a> From<&'a Transfer> for Entry<'a> {
    fn from(transfer: &'a Transfer) -> Self {
        Self {
            id: transfer.id,
            category: transfer.category,
            extension: &transfer.extension,
            size_bytes: transfer.size,
            start_ms: transfer.start.as_millis_f64(),
            transfer_ms: transfer.transfer_time.map(Duration::as_millis_f64),
            file_name: &transfer.file_name,
            url: transfer.url.as_deref(),
            third_party: transfer.third_party,
            must_be_whole: transfer.must_be_whole,
        }
    }
}

impl Serialize for TransferSequence {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.transfers.iter().map(Entry::from))
    }
}

pub(super) fn json(transfers: &[Transfer]) -> String {
    let entries: Vec<Entry<'_>> = transfers.iter().map(Entry::from).collect();
    let mut text = serde_json::to_string_pretty(&entries).expect("plain data is JSON");
    text.push('\n');
    text
}
