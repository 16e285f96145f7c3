//! Lighthouse's promises beside the changes that were measured.

use pagerace_lab::stats::median;
use pagerace_report::sections::{Section, Table, columns};

use super::{NEAR, NEAR_MS, Trial};
use crate::lighthouse::LighthousePrediction;
use crate::tables::{NONE, share};

/// The audits whose `metricSavings` are about a kind of change: those that a reader of Lighthouse's
/// report acts on with it. Lighthouse 12 has the first of each pair, and 13 has the second.
///
/// # Source
/// <https://github.com/GoogleChrome/lighthouse>, `core/audits`.
const AUDITS: [(&str, &[&str]); 11] = [
    ("async", &BLOCKING),
    ("body-end", &BLOCKING),
    (
        "compress",
        &["uses-text-compression", "document-latency-insight"],
    ),
    ("critical-css", &BLOCKING),
    ("defer", &BLOCKING),
    (
        "fetchpriority",
        &["prioritize-lcp-image", "lcp-discovery-insight"],
    ),
    ("font-display", &["font-display", "font-display-insight"]),
    ("inline", &BLOCKING),
    ("lazy", &["offscreen-images"]),
    (
        "preconnect",
        &["uses-rel-preconnect", "network-dependency-tree-insight"],
    ),
    (
        "preload",
        &["prioritize-lcp-image", "lcp-discovery-insight"],
    ),
];

const BLOCKING: [&str; 2] = ["render-blocking-resources", "render-blocking-insight"];

/// The promise of an audit about a change that was measured.
struct Promise<'a> {
    trial: &'a Trial,
    audit: &'static str,
    /// The promised difference, in milliseconds: at most 0.
    difference: f64,
}

impl Promise<'_> {
    fn is_near(&self) -> bool {
        let limit = (NEAR * self.trial.measured.abs()).max(NEAR_MS);
        self.distance() <= limit
    }

    fn distance(&self) -> f64 {
        (self.difference - self.trial.measured).abs()
    }

    /// Returns true if the audit promises anything.
    fn promises(&self) -> bool {
        self.difference != 0.0
    }

    /// Returns true if the prediction claims anything.
    fn claims(&self) -> bool {
        self.trial.outcome().is_some()
    }

    /// Returns true if the promise has the sign of a difference that the loads tell.
    fn has_sign(&self) -> bool {
        self.difference * self.trial.measured > 0.0
    }
}

/// Returns the comparison; `None` if Lighthouse was not asked about any of the changes.
pub(super) fn section<'a>(trials: &'a [Trial], said: &[LighthousePrediction]) -> Option<Section> {
    let all: Vec<Promise<'a>> = trials
        .iter()
        .filter(|trial| ["fcp", "lcp"].contains(&trial.metric.metric().name))
        .filter_map(|trial| promise(trial, said))
        .collect();
    let version = &said.first()?.version;
    if all.is_empty() {
        return None;
    }
    let mut sums = Vec::new();
    for metric in super::tables::metrics(trials) {
        let own = all.iter().filter(|one| one.trial.metric == metric);
        let own: Vec<&Promise<'a>> = own.collect();
        if own.is_empty() {
            continue;
        }
        let told = own.iter().filter(|one| one.trial.tells());
        let told: Vec<&&Promise<'a>> = told.collect();
        let count = |of: fn(&Promise<'a>) -> bool| own.iter().filter(|one| of(one)).count();
        let right = |of: fn(&Promise<'a>) -> bool| told.iter().filter(|one| of(one)).count();
        let far = own.iter().filter_map(|one| one.trial.distance());
        let ours = (
            count(Promise::claims),
            right(|one| one.trial.has_sign()),
            count(|one| one.trial.is_near()),
            median(&far.collect::<Vec<_>>()),
        );
        let far = own.iter().map(|one| one.distance());
        let theirs = (
            count(Promise::promises),
            right(Promise::has_sign),
            count(Promise::is_near),
            median(&far.collect::<Vec<_>>()),
        );
        let of_all = |count: usize, all: usize| (all > 0).then(|| count as f64 / all as f64);
        for (of, (said, right, near, far)) in [("Pagerace", ours), ("Lighthouse", theirs)] {
            sums.push(vec![
                metric.metric().title.to_owned(),
                of.to_owned(),
                own.len().to_string(),
                said.to_string(),
                told.len().to_string(),
                share(of_all(right, told.len())),
                share(of_all(near, own.len())),
                far.map_or_else(|| NONE.to_owned(), |ms| format!("{ms:.0} ms")),
            ]);
        }
    }
    let spoken = all.iter().filter(|one| one.claims() || one.promises());
    let rows = spoken.map(|one| {
        let trial = one.trial;
        let signed = |ms: f64| format!("{ms:+.0}");
        vec![
            trial.page.clone(),
            trial.network.clone(),
            trial.protocol.clone(),
            trial.changes.to_string(),
            trial.metric.metric().name.to_owned(),
            one.audit.to_owned(),
            if one.promises() {
                signed(one.difference)
            } else {
                NONE.to_owned()
            },
            trial
                .predicted
                .map_or_else(|| NONE.to_owned(), |effect| signed(effect.difference)),
            signed(trial.measured),
        ]
    });
    let header = columns(
        "page | network | HTTP | change | metric | audit | Lighthouse | Pagerace | measured",
    );
    Some(
        Section::new("Beside Lighthouse")
            .say(format!(
                "What Lighthouse {version} promises for these pages and networks, as the \
                 metricSavings of the audit that a reader acts on with the change, and what \
                 Chromium showed. An audit that names several resources promises for all of them, \
                 and a change may act on one. The column said counts how often Pagerace claimed an effect, \
                 and how often the audit promised one. The last table has those; {NONE} stands for \
                 no promise."
            ))
            .table(Table::new(
                columns(
                    "metric | of | trials | said | told | sign right | as large | distance p50",
                ),
                2,
                sums,
            ))
            .table(Table::new(header, 6, rows.collect::<Vec<_>>())),
    )
}

/// Returns the promise of Lighthouse about the change; `None` if it was not asked, or no audit is about
/// such changes.
fn promise<'a>(trial: &'a Trial, said: &[LighthousePrediction]) -> Option<Promise<'a>> {
    let (_, audits) = AUDITS.iter().find(|(kind, _)| *kind == trial.kind())?;
    let mut said = said.iter();
    let said = said.find(|one| one.page == trial.page && one.network == trial.network)?;
    let saved = |audit: &str| said.savings.get(audit)?.get(&trial.metric).copied();
    let mut found = audits
        .iter()
        .filter_map(|audit| Some((*audit, saved(audit)?)));
    let (audit, ms) = found.next().unwrap_or((audits[0], 0.0));
    Some(Promise {
        trial,
        audit,
        difference: -ms,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::trial;
    use super::{promise, section};
    use crate::lighthouse::LighthousePrediction;

    #[test]
    fn promises_stand_beside_what_was_measured() {
        let trials = [trial("shop", -190.0, 800.0), trial("news", -10.0, 1000.0)];
        let metric = trials[0].metric;
        let said = LighthousePrediction {
            page: "shop".to_owned(),
            network: "cable".to_owned(),
            version: "12".to_owned(),
            savings: [("prioritize-lcp-image".to_owned(), [(metric, 450.0)].into())].into(),
            ..LighthousePrediction::default()
        };
        let one = promise(&trials[0], std::slice::from_ref(&said)).unwrap();
        assert!(one.has_sign() && !one.is_near());
        assert!((one.distance() - 250.0).abs() < 1e-9);
        assert!(promise(&trials[1], std::slice::from_ref(&said)).is_none());
        let silent = LighthousePrediction {
            savings: [].into(),
            ..said.clone()
        };
        let one = promise(&trials[0], &[silent]).unwrap();
        assert!(!one.has_sign(), "it promises nothing");
        let table = &section(&trials, &[said]).unwrap().tables[0];
        let rows: Vec<Vec<String>> = table.rows.iter().map(|row| row[1..].to_vec()).collect();
        assert_eq!(
            rows[0],
            ["Pagerace", "1", "1", "1", "100 %", "100 %", "10 ms"]
        );
        assert_eq!(
            rows[1],
            ["Lighthouse", "1", "1", "1", "100 %", "0 %", "250 ms"]
        );
        assert!(section(&trials, &[]).is_none());
    }
}
