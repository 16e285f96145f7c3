//! Writes a report of an invented race, to view the page without a race.
//!
//! `cargo run -p pagerace-report --example demo -- out.html [PAGES] [RESOURCES]`
//!
//! Its numbers are not results: a toy sender fills a link of constant rate in the order
//! of one of ten toy strategies.

mod load;
mod site;

use std::process::ExitCode;

use pagerace_core::{Duration, Rng};
use pagerace_report::input::{
    AcrossRow, AcrossSection, Comparison, Metric, Named, NetworkResult, PageResult, Provenance,
    Report, Row, VerdictKind, Why,
};

use load::{Link, Order, load};
use site::Site;

const RUNS: u32 = 30;
const LCP: usize = 1;
const BASELINE: usize = 0;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize, default: usize| {
        args.get(i)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let Some(path) = args.get(1) else {
        eprintln!("usage: demo OUT.html [PAGES] [RESOURCES]");
        return ExitCode::from(2);
    };
    let html = pagerace_report::render(&report(number(2, 1).max(1), number(3, 160).max(4)));
    match std::fs::write(path, &html) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report(pages: usize, resources: usize) -> Report {
    let links = links();
    let pages: Vec<PageResult> = (0..pages)
        .map(|i| {
            let site = Site::invent(i, if i == 0 { resources } else { 20 + 17 * (i % 9) });
            let networks = links
                .iter()
                .enumerate()
                .map(|(n, link)| race(&site, n, link));
            PageResult {
                name: site.name.clone(),
                url: site.url.clone(),
                networks: networks.collect(),
                resources: site.resources,
            }
        })
        .collect();
    Report {
        title: "Demonstration: ten toy strategies on three links".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: 1,
        runs: RUNS,
        rerun: "pagerace race --scenario result.json".to_owned(),
        scenario: "{\n  \"note\": \"invented data\",\n  \"seed\": 1\n}".to_owned(),
        metric: LCP,
        baseline: BASELINE,
        metrics: metrics(),
        noun: "strategy".to_owned(),
        nouns: "strategies".to_owned(),
        shared: "invented, all of it".to_owned(),
        world: Provenance::Simulated,
        environment: Vec::new(),
        parts: ["set-up", "bandwidth", "loss"]
            .map(|part| named(part, part))
            .into(),
        contenders: Order::ALL
            .iter()
            .map(|o| named(o.name(), "a toy"))
            .collect(),
        networks: links.iter().map(|l| named(l.name, l.description)).collect(),
        across: if pages.len() > 1 {
            across(&pages)
        } else {
            Vec::new()
        },
        pages,
        notes: vec![
            "Invented data: this page shows what a report looks like.".to_owned(),
            "Positions of images are unknown; the first three count as above the fold.".to_owned(),
        ],
    }
}

fn named(name: &str, description: &str) -> Named {
    Named {
        name: name.to_owned(),
        description: description.to_owned(),
    }
}

fn metrics() -> Vec<Metric> {
    [
        ("fcp", "First Contentful Paint", "ms"),
        ("lcp", "Largest Contentful Paint", "ms"),
        ("speed-index", "Speed Index", "ms"),
        ("onload", "Page load time", "ms"),
        (
            "hol-blocked-bytes",
            "Stream bytes blocked by a gap",
            "bytes",
        ),
        ("packets-lost", "Packets lost", ""),
        ("cls", "Cumulative Layout Shift", ""),
    ]
    .map(|(name, title, unit)| Metric {
        name: name.to_owned(),
        title: title.to_owned(),
        unit: unit.to_owned(),
        lower_is_better: true,
        definition: format!("{title}, of the toy."),
    })
    .to_vec()
}

fn links() -> Vec<Link> {
    let link = |name, description, packet_us, rtt_ms, loss| Link {
        name,
        description,
        packet: Duration::from_micros(packet_us),
        rtt: Duration::from_millis(rtt_ms),
        loss,
    };
    vec![
        link(
            "slow-4g",
            "1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip",
            6_400,
            150,
            0.0,
        ),
        link(
            "cable",
            "5 Mbit/s down, 1 Mbit/s up, 28 ms round trip",
            2_050,
            28,
            0.002,
        ),
        link(
            "lossy-wifi",
            "9 Mbit/s, 40 ms round trip, 5 % loss in bursts",
            1_140,
            40,
            0.05,
        ),
    ]
}

fn race(site: &Site, network: usize, link: &Link) -> NetworkResult {
    let loads: Vec<_> = Order::ALL
        .iter()
        .map(|&order| load(site, link, order))
        .collect();
    let base = loads[BASELINE].values;
    let mut rows: Vec<Row> = loads
        .into_iter()
        .enumerate()
        .map(|(strategy, load)| {
            let mut rng = Rng::new(strategy as u64, link.name);
            let compare = |(value, base): (Option<f64>, Option<f64>)| {
                compare(strategy == BASELINE, value, base, &mut rng)
            };
            Row {
                contender: strategy,
                failed: u32::from(strategy == 4),
                values: load.values.into_iter().zip(base).map(compare).collect(),
                detail: Some(load.detail),
            }
        })
        .collect();
    let lcp = |row: &Row| row.values[LCP].median.unwrap_or(f64::MAX);
    rows.sort_by(|a, b| lcp(a).total_cmp(&lcp(b)));
    let best = &rows[0];
    let gain = best.values[LCP];
    let sure = gain.interval.is_some_and(|(_, high)| high < 0.0);
    let name = Order::ALL[best.contender].name();
    NetworkResult {
        network,
        verdict: match (sure, gain.difference) {
            (true, Some(d)) => format!(
                "{name} shows the largest element {:.0} ms sooner than round-robin. Invented.",
                -d
            ),
            _ => "No difference between the best strategy and round-robin. Invented.".to_owned(),
        },
        outcome: if sure {
            VerdictKind::Better
        } else {
            VerdictKind::NoDifference
        },
        winner: Some(best.contender),
        whys: whys(&rows),
        rows,
    }
}

/// Invents causes: equal thirds for the baseline, and times that vary with the
/// contender's index for the others.
fn whys(rows: &[Row]) -> Vec<Why> {
    let others = rows.iter().filter(|row| row.contender != BASELINE);
    others
        .map(|row| Why {
            contender: row.contender,
            run: 3,
            sentence: "Invented.".to_owned(),
            baseline: vec![Duration::from_millis(500); 3],
            own: [300, 520, 480]
                .map(|ms| Duration::from_millis(ms + 10 * row.contender as u64))
                .into(),
        })
        .collect()
}

fn compare(baseline: bool, value: Option<f64>, base: Option<f64>, rng: &mut Rng) -> Comparison {
    let (Some(median), Some(base)) = (value, base) else {
        return Comparison::default();
    };
    if baseline {
        return Comparison {
            median: Some(median),
            ..Comparison::default()
        };
    }
    let difference = median - base;
    let noise = base * 0.02;
    let (below, above) = (noise * (0.5 + rng.unit()), noise * (0.5 + rng.unit()));
    Comparison {
        median: Some(median),
        difference: Some(difference),
        difference_percent: (base > 0.0).then_some(difference / base * 100.0),
        interval: Some((difference - below, difference + above)),
        range: None,
        sure_range: None,
        probable_range: None,
        sooner: None,
        effect_size: Some((difference / (noise + 1.0)).clamp(-1.0, 1.0)),
        counts: difference.abs() > noise,
        p_value: Some(if difference.abs() > noise {
            0.0004
        } else {
            0.21
        }),
    }
}

fn across(pages: &[PageResult]) -> Vec<AcrossSection> {
    (0..links().len())
        .map(|network| {
            let share = |strategy: usize| -> Vec<f64> {
                let rows = pages.iter().map(|p| &p.networks[network].rows);
                rows.filter_map(|rows| rows.iter().find(|r| r.contender == strategy))
                    .filter_map(|r| r.values[LCP].difference_percent)
                    .collect()
            };
            let others = (0..Order::ALL.len()).filter(|&s| s != BASELINE);
            AcrossSection {
                network,
                metric: LCP,
                verdict: "Over all pages, some gain and some lose. Invented.".to_owned(),
                rows: others
                    .map(|strategy| AcrossRow {
                        contender: strategy,
                        differences_percent: share(strategy),
                        missing: 0,
                    })
                    .collect(),
            }
        })
        .collect()
}
