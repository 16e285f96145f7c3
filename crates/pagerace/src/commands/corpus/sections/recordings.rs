//! Sections on the recordings.

use pagerace_core::Words as _;
use pagerace_corpus::Pairs;
use pagerace_corpus::findings::{CategoryUse, PageFindings, ProviderUse, Sizes, Version};
use pagerace_papers::{srivastava, zhou};
use pagerace_report::sections::{Figure, Section, Series, SeriesKind, Table, columns};

use super::{Content, NONE, PROVIDERS_SHOWN, ms, number, or_none, percent};
use crate::text::counted;

impl Content<'_> {
    pub(super) fn versions(&self) -> Section {
        let all = self.findings.requests;
        let published = |name: &str| {
            let known = zhou::VERSIONS.iter().find(|(version, _)| *version == name);
            known.map_or(NONE, |(_, shares)| shares).to_owned()
        };
        let cdn: usize = self.findings.versions.iter().map(|v| v.cdn).sum();
        let versions = self.findings.versions.iter();
        let versions = versions.filter(|v| v.name != "unknown" || v.cdn + v.other > 0);
        let row = |version: &Version| {
            vec![
                version.name.to_owned(),
                version.cdn.to_string(),
                percent(version.cdn, all),
                version.other.to_string(),
                percent(version.other, all),
                published(version.name),
            ]
        };
        let mut rows: Vec<Vec<String>> = versions.map(row).collect();
        rows.push(vec![
            "all".to_owned(),
            cdn.to_string(),
            percent(cdn, all),
            (all - cdn).to_string(),
            percent(all - cdn, all),
            published("all"),
        ]);
        let header = columns("version | CDN | share | other | share | Zhou 2024, %");
        Section::new("Requests by version of HTTP")
            .say(
                "Shares of all requests. Zhou 2024, table II, has 36,057 requests of 325 pages of \
                 October 2022; its \"others\" stand beside HTTP/1.1.",
            )
            .table(Table::new(header, 1, rows))
    }

    pub(super) fn providers(&self) -> Section {
        let cdn: usize = self.findings.providers.iter().map(|one| one.requests).sum();
        let shown = &self.findings.providers[..self.findings.providers.len().min(PROVIDERS_SHOWN)];
        let row = |one: &ProviderUse| {
            vec![
                one.name.clone(),
                match one.offers_http3 {
                    Some(true) => "yes",
                    Some(false) => "no",
                    None => NONE,
                }
                .to_owned(),
                one.requests.to_string(),
                percent(one.requests, cdn),
                percent(one.over_h3, one.requests),
                percent(one.able, one.requests),
                one.by_page.len().to_string(),
                percent(one.many(), one.by_page.len()),
            ]
        };
        let series = |name: &str, get: fn(&ProviderUse) -> usize| {
            let points = shown.iter().enumerate();
            let points = points.map(|(i, one)| (i as f64, get(one) as f64));
            Series::new(name, SeriesKind::Bars, points)
        };
        let section = Section::new("Content delivery networks");
        if cdn == 0 {
            return section.say("No request has a known content delivery network.");
        }
        let evidence = self.findings.evidence.iter();
        let evidence: Vec<String> = evidence
            .map(|(kind, count)| format!("{} {}", kind.phrase(), percent(*count, cdn)))
            .collect();
        let rest = self.findings.providers.len() - shown.len();
        let rest = (rest > 0).then(|| counted(rest as u64, "provider"));
        let header = columns(
            "provider | offers HTTP/3 | requests | share | over HTTP/3 | host speaks it | pages | \
             more than 10 on a page",
        );
        section
            .say(format!("Evidence: {}.", evidence.join(", ")))
            .say(format!("Zhou 2024, {}.", zhou::MANY_REQUESTS))
            .say_all(rest.map(|rest| format!("{rest} less used are not shown.")))
            .table(Table::new(header, 2, shown.iter().map(row)))
            .figure(Figure {
                label: "Requests by provider and version".to_owned(),
                y: "requests".to_owned(),
                categories: shown.iter().map(|one| one.name.clone()).collect(),
                series: vec![
                    series("over HTTP/3", |one| one.over_h3),
                    series("over another version", |one| one.requests - one.over_h3),
                ],
                ..Figure::default()
            })
    }

    pub(super) fn sizes(&self) -> Section {
        let row = |(name, sizes): (&str, &Option<Sizes>)| {
            let sizes = sizes.as_ref()?;
            let quantiles = sizes.quantiles.iter();
            let quantiles = quantiles.map(|bytes| number(bytes / 1_000.0, 1));
            let start = [name.to_owned(), sizes.bodies.to_string()];
            let end = percent(sizes.small, sizes.bodies);
            Some(start.into_iter().chain(quantiles).chain([end]).collect())
        };
        let names = ["CDN", "other"].into_iter().zip(&self.findings.sizes);
        let rows: Vec<Vec<String>> = names.filter_map(row).collect();
        let header = columns(
            "servers | bodies | first quarter | median | third quarter | 90 % | below 20 kB",
        );
        Section::new("Sizes received")
            .say(format!(
                "Bodies as transferred, kB. Zhou 2024, section VI-E, takes {} of the objects of \
                 content delivery networks to be below 20 kB.",
                zhou::SIZES
            ))
            .table(Table::new(header, 1, rows))
    }

    pub(super) fn categories(&self) -> Section {
        let pages = self.findings.pages.len() as f64;
        let all = &self.findings.categories;
        let requests: usize = all.iter().map(|one| one.requests).sum();
        let bytes: u64 = all.iter().map(|one| one.bytes).sum();
        let row = |one: &CategoryUse| {
            let mut published = srivastava::CATEGORIES.iter();
            let published = published.find(|(category, _)| *category == one.category);
            let [theirs, kilobytes, essential] = published.map_or([NONE; 3], |(_, all)| *all);
            let each = one.bytes as f64 / 1_000.0 / one.requests as f64;
            vec![
                one.category.name().to_owned(),
                format!("{} ({theirs})", number(one.requests as f64 / pages, 1)),
                percent(one.requests, requests),
                format!(
                    "{} ({kilobytes})",
                    number(one.bytes as f64 / 1_000.0 / pages, 1)
                ),
                percent(one.bytes as usize, bytes as usize),
                number(each, 1),
                or_none(one.time_ms, ms),
                essential.to_owned(),
            ]
        };
        let points = |get: fn(&CategoryUse) -> Option<f64>| {
            let points = all.iter().enumerate();
            points.filter_map(move |(i, one)| Some((i as f64, get(one)?)))
        };
        let header = columns(
            "category | requests | share | kB | share | kB each | recorded ms each | essential",
        );
        Section::new("Content categories")
            .say(
                "Requests and kB of a page, means; in brackets those of Srivastava 2024, table 4, \
                 which also says what is essential. Figure 7 there has the time and size of an \
                 object by category, as a picture.",
            )
            .table(Table::new(header, 1, all.iter().map(row)))
            .figure(Figure {
                label: "Mean size and recorded time of an object".to_owned(),
                y: "kB, ms".to_owned(),
                categories: all
                    .iter()
                    .map(|one| one.category.name().to_owned())
                    .collect(),
                series: vec![
                    Series::new(
                        "kB",
                        SeriesKind::Bars,
                        points(|one| Some(one.bytes as f64 / 1_000.0 / one.requests as f64)),
                    ),
                    Series::new("ms", SeriesKind::Bars, points(|one| one.time_ms)),
                ],
                ..Figure::default()
            })
    }

    pub(super) fn provider_counts(&self) -> Section {
        let pages = self.findings.pages.len();
        let several: usize = self
            .findings
            .provider_counts
            .range(2..)
            .map(|(_, n)| n)
            .sum();
        let mut shares: Vec<f64> = self
            .findings
            .pages
            .iter()
            .filter(|page| page.requests > 0)
            .map(|page| 100.0 * page.cdn_requests as f64 / page.requests as f64)
            .collect();
        shares.sort_by(f64::total_cmp);
        let half = shares.iter().filter(|share| **share > 50.0).count();
        let count = shares.len() as f64;
        let steps = shares.iter().enumerate();
        let steps = steps.map(|(i, share)| (*share, 100.0 * (count - i as f64) / count));
        let steps = std::iter::once((0.0, 100.0)).chain(steps);
        let rows = self.findings.provider_counts.iter();
        let rows =
            rows.map(|(n, count)| vec![n.to_string(), count.to_string(), percent(*count, pages)]);
        Section::new("Pages by their providers")
            .say(format!(
                "{} of pages have requests to two providers or more (Zhou 2024: {}). {} have more \
                 than half of their requests from content delivery networks ({}).",
                percent(several, pages),
                zhou::SEVERAL_PROVIDERS,
                percent(half, shares.len()),
                zhou::MOSTLY_CDN
            ))
            .table(Table::new(columns("providers | pages | share"), 1, rows))
            .figure(Figure {
                label: "Share of pages over the least share of their requests from content \
                        delivery networks"
                    .to_owned(),
                x: "% of requests from content delivery networks".to_owned(),
                y: "% of pages".to_owned(),
                y_max: Some(100.0),
                series: vec![Series::new(
                    "pages with at least this share",
                    SeriesKind::Steps,
                    steps,
                )],
                ..Figure::default()
            })
    }

    pub(super) fn recorded(&self) -> Section {
        let mut rows = Vec::new();
        for pair in &self.findings.recorded_pairs {
            let difference = |h2: Option<f64>, h3: Option<f64>| {
                let difference = h2.zip(h3).map(|(h2, h3)| ms(h2 - h3));
                difference.unwrap_or_else(|| NONE.to_owned())
            };
            let (h2, h3) = (&pair.h2, &pair.h3);
            rows.push(vec![
                pair.url.clone(),
                format!("{} / {}", h2.pages.len(), h3.pages.len()),
                difference(h2.onload_ms, h3.onload_ms),
                difference(h2.connect_ms, h3.connect_ms),
                difference(h2.wait_ms, h3.wait_ms),
                difference(h2.receive_ms, h3.receive_ms),
                difference(h2.reused, h3.reused),
            ]);
        }
        let header = columns(
            "document | recordings | page load | connect | wait | receive | requests on reused \
             connections",
        );
        Section::new("Recorded over both versions")
            .say(
                "HTTP/2 less HTTP/3, times in ms: medians of the recordings, and of their requests \
                 over that version. Recorders, browsers and networks may differ as well.",
            )
            .table(Table::new(header, 2, rows))
    }

    pub(super) fn pages(&self) -> Section {
        let ran = self.findings.reductions.as_ref();
        let mut header = columns("page | providers | requests | CDN | HTTP/3 CDN");
        for network in ran.iter().flat_map(|reductions| &reductions.networks) {
            header.push(format!("ms saved, {network}"));
        }
        if ran.is_some() {
            header.push("ms saved, consecutive".to_owned());
        }
        let row = |page: &PageFindings| {
            let mut row = vec![
                page.name.clone(),
                page.providers.join(", "),
                page.requests.to_string(),
                page.cdn_requests.to_string(),
                page.http3_cdn_requests.to_string(),
            ];
            let saved = |pairs: &Pairs| or_none(pairs.reduction(), ms);
            row.extend(page.pairs.iter().map(saved));
            row
        };
        Section::new("Pages").table(Table::new(header, 2, self.findings.pages.iter().map(row)))
    }
}
