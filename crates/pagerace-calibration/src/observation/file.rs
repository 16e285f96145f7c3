//! File format of observations: one line each, with names and URLs stored once.

use std::collections::BTreeMap;

use pagerace_lab::contender::Contender;
use pagerace_lab::error::LabError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LinkLateness, Observation, Observations, ObservedRun, ResourceTimes, Setting};
use crate::lighthouse::LighthousePrediction;

/// The value of `format` in the file.
pub const FORMAT: &str = "pagerace-observations";
/// The version of the format that this release writes and reads.
pub const SCHEMA: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    format: String,
    schema: u32,
    settings: Vec<Setting>,
    /// Descriptions by network name.
    networks: BTreeMap<String, String>,
    /// Rows by page name.
    pages: BTreeMap<String, PageRow>,
    lighthouse: Vec<LighthousePrediction>,
    /// Serialised separately, one row per line.
    #[serde(skip_serializing)]
    observations: Vec<Row>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PageRow {
    /// Digest of the served content.
    content: String,
    /// URLs, to which the resources of observations refer by index.
    urls: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Index of the setting.
    setting: usize,
    page: String,
    network: String,
    contender: Contender,
    runs: Vec<ObservedRun>,
    /// Index of the URL, and the times of discovery, request, first byte and
    /// last byte in whole milliseconds.
    resources: Vec<[Option<i64>; 5]>,
    lateness: Option<LinkLateness>,
    cpu_contention: Option<f64>,
    main_thread_waited: Option<f64>,
    rejected_runs: u32,
}

pub(super) fn to_json(all: &Observations) -> String {
    let content = all.contents.iter();
    let mut head = Whole {
        format: FORMAT.to_owned(),
        schema: SCHEMA,
        settings: all.settings.clone(),
        networks: BTreeMap::new(),
        pages: content
            .map(|(name, content)| {
                let row = PageRow {
                    content: content.clone(),
                    urls: Vec::new(),
                };
                (name.clone(), row)
            })
            .collect(),
        lighthouse: all.lighthouse.clone(),
        observations: Vec::new(),
    };
    let rows: Vec<Row> = all
        .observations
        .iter()
        .map(|one| {
            let text = one.network_text.clone();
            head.networks.insert(one.network.clone(), text);
            let page = head.pages.entry(one.page.clone()).or_default();
            row(one, &mut page.urls)
        })
        .collect();
    let text = |value: Result<String, serde_json::Error>| value.expect("plain data");
    let mut out = text(serde_json::to_string_pretty(&head));
    // Each row is a line within the head's object.
    let end = out.trim_end_matches(['}', '\n']).len();
    out.truncate(end);
    out.push_str(",\n  \"observations\": [\n");
    let lines: Vec<String> = rows
        .iter()
        .map(|row| text(serde_json::to_string(row)))
        .collect();
    out.push_str(&lines.join(",\n"));
    out.push_str("\n  ]\n}\n");
    out
}

fn row(one: &Observation, urls: &mut Vec<String>) -> Row {
    let whole = |ms: Option<f64>| ms.map(|ms| libm::round(ms) as i64);
    let mut resource = |r: &ResourceTimes| {
        let known = urls.iter().position(|url| *url == r.url);
        let place = known.unwrap_or_else(|| {
            urls.push(r.url.clone());
            urls.len() - 1
        });
        [
            Some(place as i64),
            whole(r.discovered_ms),
            whole(r.request_start_ms),
            whole(r.response_start_ms),
            whole(r.response_end_ms),
        ]
    };
    Row {
        setting: one.setting,
        page: one.page.clone(),
        network: one.network.clone(),
        contender: one.contender.clone(),
        runs: one.runs.clone(),
        resources: one.resources.iter().map(&mut resource).collect(),
        lateness: one.lateness,
        cpu_contention: one.cpu_contention,
        main_thread_waited: one.main_thread_waited,
        rejected_runs: one.rejected_runs,
    }
}

pub(super) fn from_json(file: &str, bytes: &[u8]) -> Result<Observations, LabError> {
    let refuse = |reason: String| LabError::NotResults {
        file: file.to_owned(),
        reason,
    };
    let value: Value = serde_json::from_slice(bytes).map_err(|e| {
        refuse(format!(
            "not JSON ({e}); expected a file that calibrate wrote"
        ))
    })?;
    if value.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(refuse(format!(
            "no observations: the field format is not \"{FORMAT}\"; expected a file that calibrate wrote"
        )));
    }
    let schema = value.get("schema").and_then(Value::as_u64);
    if schema != Some(u64::from(SCHEMA)) {
        let found = schema.map_or_else(|| "missing".to_owned(), |n| n.to_string());
        return Err(refuse(format!(
            "its schema is {found}, but this version reads schema {SCHEMA}; measure again, or use \
             the version of Pagerace that wrote it"
        )));
    }
    let changed = |e: serde_json::Error| {
        refuse(format!(
            "{e}; the file was changed or is of another version"
        ))
    };
    // Parsing the text rather than the value gives errors with line and column.
    let mut head: Whole = serde_json::from_slice(bytes).map_err(changed)?;
    let observations = std::mem::take(&mut head.observations);
    let none = PageRow::default();
    let whole = |row: Row| {
        let urls = &head.pages.get(&row.page).unwrap_or(&none).urls;
        let network = head.networks.get(&row.network);
        let resources = row.resources.iter().map(|r| times(urls, r));
        let missing = |what: &str| {
            let place = format!("{}, {}, {}", row.page, row.network, row.contender);
            refuse(format!("{place}: {what} that is not in the file"))
        };
        let resources = resources.collect::<Option<_>>();
        let resources = resources.ok_or_else(|| missing("a resource has an address"))?;
        if row.setting >= head.settings.len() {
            return Err(missing("it has a setting"));
        }
        Ok(Observation {
            setting: row.setting,
            network_text: network.cloned().unwrap_or_default(),
            resources,
            page: row.page,
            network: row.network,
            contender: row.contender,
            runs: row.runs,
            lateness: row.lateness,
            cpu_contention: row.cpu_contention,
            main_thread_waited: row.main_thread_waited,
            rejected_runs: row.rejected_runs,
        })
    };
    let observations = observations.into_iter().map(whole);
    Ok(Observations {
        observations: observations.collect::<Result<_, LabError>>()?,
        settings: head.settings,
        contents: head
            .pages
            .into_iter()
            .map(|(name, page)| (name, page.content))
            .filter(|(_, content)| !content.is_empty())
            .collect(),
        lighthouse: head.lighthouse,
    })
}

/// Returns `None` if the index of the URL is out of range.
fn times(urls: &[String], row: &[Option<i64>; 5]) -> Option<ResourceTimes> {
    let [place, discovered, request, response, end] = row.map(|n| n.map(|n| n as f64));
    Some(ResourceTimes {
        url: urls.get(place? as usize)?.clone(),
        discovered_ms: discovered,
        request_start_ms: request,
        response_start_ms: response,
        response_end_ms: end,
    })
}
