//! The transfer log: CSV (RFC 4180, but lines end in LF) with a line for each object. See
//! `docs/objects.md`.

use std::io::{self, Write};

use pagerace_core::Duration;
use pagerace_har::sequence::{Transfer, TransferSequence};
use pagerace_lab::export::csv::quote;
use serde_json::Value;

const HEADER: &str = "id,category,third_party,url,extension,size_bytes,start_ms,transfer_ms,\
                      file_name";

pub(super) fn write(sequence: &TransferSequence, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEADER}")?;
    sequence
        .transfers()
        .iter()
        .try_for_each(|transfer| writeln!(out, "{}", line(transfer)))
}

/// Formats a transfer. A missing value is an empty field.
fn line(transfer: &Transfer) -> String {
    let Ok(Value::String(category)) = serde_json::to_value(transfer.category) else {
        unreachable!("categories are written as words")
    };
    let third_party = transfer.third_party.map(|flag| flag.to_string());
    let taken = transfer.transfer_time.map(Duration::as_millis_f64);
    let fields = [
        transfer.id.to_string(),
        category,
        third_party.unwrap_or_default(),
        transfer.url.clone().unwrap_or_default(),
        transfer.extension.clone(),
        transfer.size.to_string(),
        transfer.start.as_millis_f64().to_string(),
        taken.map(|ms| ms.to_string()).unwrap_or_default(),
        transfer.file_name.clone(),
    ];
    let quoted: Vec<_> = fields.iter().map(|field| quote(field)).collect();
    quoted.join(",")
}

#[cfg(test)]
mod tests;
