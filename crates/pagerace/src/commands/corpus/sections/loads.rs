//! Sections on the pairs of loads.

use pagerace_corpus::Pairs;
use pagerace_corpus::findings::{DIFFERING_PAGES, PageFindings, Reductions, Spread};
use pagerace_lab::MetricId;
use pagerace_lab::model_error::{DifferenceKind, ModelErrors, Question, is_lossy};
use pagerace_lab::stats::Line;
use pagerace_papers::zhou;
use pagerace_report::sections::{Figure, Point, Section, Series, SeriesKind, Table, columns};

use super::{Content, NONE, ms, number, or_none};
use crate::text::counted;

impl Content<'_> {
    pub(super) fn groups(&self, reductions: &Reductions) -> Section {
        let rows = reductions.groups.iter().map(|group| {
            let (least, most) = group.requests;
            let [mean, median, interval] = spread(&group.reduction);
            vec![
                group.name.to_owned(),
                group.members.len().to_string(),
                format!("{least} to {most}"),
                mean,
                median,
                interval,
                format!("{:.1} / {:.1}", group.reused.0, group.reused.1),
            ]
        });
        let left_out = (!reductions.left_out.is_empty()).then(|| {
            let pages = counted(reductions.left_out.len() as u64, "page");
            format!(
                "Left out: {pages} without requests to content delivery networks that speak HTTP/3."
            )
        });
        let few = "There are too few pages for quarters.".to_owned();
        let means = reductions.groups.iter().enumerate();
        let means = means.map(|(i, group)| (i as f64, group.reduction.mean));
        let points = self.able().filter_map(|page| {
            let mut groups = reductions.groups.iter();
            let group = groups.position(|group| group.members.contains(&page.name))?;
            Some(Point {
                x: group as f64,
                y: page.pairs.first()?.reduction()?,
                name: page.name.clone(),
            })
        });
        let pages = Series {
            name: "page".to_owned(),
            kind: SeriesKind::Points,
            points: points.collect(),
        };
        let names = reductions.groups.iter().map(|g| g.name.to_owned());
        let header = columns(
            "group | pages | requests | mean | median | 95 % interval | reused over h2 / h3",
        );
        Section::new(format!(
            "Quarters of pages by requests to HTTP/3 content delivery networks, {}",
            reductions.networks[0]
        ))
        .say(format!(
            "Simulated page load time over HTTP/2 less that over HTTP/3, ms. Zhou 2024, {}.",
            zhou::GROUPS
        ))
        .say_all(self.model_error())
        .say_all(left_out)
        .say_all(reductions.groups.is_empty().then_some(few))
        .say_all(failed(reductions))
        .table(Table::new(header, 1, rows))
        .figure(Figure {
            label: "Reduction of the page load time by quarter".to_owned(),
            y: "ms saved".to_owned(),
            categories: names.collect(),
            series: vec![Series::new("mean", SeriesKind::Bars, means), pages],
            ..Figure::default()
        })
    }

    /// Returns how far the model is off, with the worst evidence among the pages.
    fn model_error(&self) -> Option<String> {
        let network = &self.experiment?.networks[0];
        let question = Question {
            kinds: vec![DifferenceKind::Protocol],
            unmeasured: Vec::new(),
            metric: "onload".parse::<MetricId>().ok()?,
            lossy: is_lossy(network),
            evidence: self.evidence,
            inferred: None,
        };
        let trust = ModelErrors::embedded().of(&question);
        Some(format!(
            "How sure a race of one page is: {}.",
            trust.in_words()
        ))
    }

    pub(super) fn able(&self) -> impl Iterator<Item = &PageFindings> {
        let pages = self.findings.pages.iter();
        pages.filter(|page| page.http3_cdn_requests > 0)
    }

    /// Returns pages as points.
    fn points(
        &self,
        x: impl Fn(&PageFindings) -> Option<f64>,
        pairs: impl Fn(&PageFindings) -> Option<&Pairs>,
    ) -> Vec<Point> {
        let point = |page: &PageFindings| {
            Some(Point {
                x: x(page)?,
                y: pairs(page)?.reduction()?,
                name: page.name.clone(),
            })
        };
        self.able().filter_map(point).collect()
    }

    pub(super) fn reuse(&self, reductions: &Reductions) -> Section {
        let points = self.points(
            |page| {
                let (h2, h3) = page.pairs.first()?.reused?;
                Some(h2 - h3)
            },
            |page| page.pairs.first(),
        );
        let trend = reductions.reuse.as_ref().map_or_else(
            || format!("fewer than {DIFFERING_PAGES} pages differ by a request"),
            |trend| format!("{} (95 % interval)", slope(trend)),
        );
        Section::new("Reused connections")
            .say(format!(
                "ms saved for each request more on a connection that existed over HTTP/2 than \
                     over HTTP/3: {trend}. Zhou 2024, {}.",
                zhou::REUSE
            ))
            .figure(scatter(
                "requests more on reused connections over HTTP/2",
                vec![("page".to_owned(), points, reductions.reuse)],
            ))
    }

    pub(super) fn consecutive(&self, reductions: &Reductions) -> Section {
        let rows = reductions.consecutive.iter().map(|one| {
            vec![
                one.providers.to_string(),
                one.pages.to_string(),
                ms(one.reduction),
                format!("{:.1} / {:.1}", one.resumed.0, one.resumed.1),
            ]
        });
        let points = self.points(
            |page| Some(page.http3_providers.len() as f64),
            |page| page.pairs.last(),
        );
        let trend = reductions.sharing.as_ref().map(slope);
        let trend = trend.map(|s| format!("ms saved for each provider more: {s} (95 % interval)."));
        let header =
            columns("HTTP/3 providers | pages | mean ms saved | resumed connections h2 / h3");
        Section::new(format!("Consecutive visits, {}", reductions.networks[0]))
            .say(format!(
                "All pages one after the other, in an order that each run draws; TLS tickets are \
                 kept, connections and caches are not. Zhou 2024, {}.",
                zhou::VISITS
            ))
            .say_all(trend)
            .table(Table::new(header, 1, rows))
            .figure(scatter(
                "providers that speak HTTP/3",
                vec![("page".to_owned(), points, reductions.sharing)],
            ))
    }

    pub(super) fn losses(&self, reductions: &Reductions) -> Section {
        let rows = reductions.losses.iter().map(|loss| {
            let [mean, median, interval] = match &loss.reduction {
                Some(all) => spread(all),
                None => [NONE; 3].map(str::to_owned),
            };
            let robust = |trend: &Line| number(trend.robust_slope, 2);
            let trend = loss.trend.as_ref();
            vec![
                loss.network.clone(),
                mean,
                median,
                interval,
                or_none(trend, slope),
                or_none(trend, robust),
                or_none(loss.published, |s| format!("{s:.2}")),
            ]
        });
        let series = reductions.losses.iter().enumerate().map(|(i, loss)| {
            let points = self.points(
                |page| Some(page.cdn_requests as f64),
                |page| page.pairs.get(i),
            );
            (loss.network.clone(), points, loss.trend)
        });
        let header =
            columns("network | mean | median | 95 % interval | slope | median slope | Zhou 2024");
        let x = "requests to content delivery networks";
        Section::new("Loss and number of requests")
            .say(
                "ms saved, and how they grow with each request to a content delivery network: by \
                 least squares with its 95 % interval, and as the median of the slopes between \
                 pages. Zhou 2024, figure 9, has least squares.",
            )
            .table(Table::new(header, 1, rows))
            .figure(scatter(x, series.collect()))
    }
}

pub(super) fn phases(reductions: &Reductions) -> Section {
    let rows = reductions.phases.iter().map(|phase| {
        let [mean, median, _] = spread(&phase.reduction);
        let (low, high) = phase.reduction.deciles;
        let (shorter, longer) = phase.shares;
        vec![
            phase.name.to_owned(),
            phase.requests.to_string(),
            median,
            mean,
            interval((low, high)),
            format!("{:.0} %", 100.0 * shorter),
            format!("{:.0} %", 100.0 * longer),
        ]
    });
    let series = reductions.phases.iter().map(|phase| {
        let percentiles = phase.percentiles.iter().enumerate();
        let shown = percentiles.filter(|(share, _)| (1..=99).contains(share));
        let points = shown.map(|(share, value)| (*value, share as f64));
        Series::new(phase.name, SeriesKind::Line, points)
    });
    let header =
        columns("phase | requests | median | mean | first to last decile | shorter | longer");
    Section::new("Phases of requests to HTTP/3 content delivery networks")
        .say(format!(
            "HTTP/2 less HTTP/3, ms; each request's medians over the runs. Connect counts requests \
             that open a connection in either load. Zhou 2024, {}.",
            zhou::PHASES
        ))
        .table(Table::new(header, 1, rows))
        .figure(Figure {
            label: "Cumulative distribution of the reductions of connect, wait and receive"
                .to_owned(),
            x: "ms saved".to_owned(),
            y: "% of requests".to_owned(),
            y_max: Some(100.0),
            series: series.collect(),
            ..Figure::default()
        })
}

pub(super) fn clusters(reductions: &Reductions) -> Section {
    let rows = reductions.clusters.iter().zip(zhou::CLUSTERS);
    let rows = rows.map(|(cluster, [providers, resumed, reduction])| {
        vec![
            cluster.name.to_owned(),
            cluster.pages.len().to_string(),
            format!("{:.1}", cluster.shared_hosts),
            format!("{:.2}", cluster.providers),
            providers.to_owned(),
            format!("{:.1}", cluster.resumed),
            resumed.to_owned(),
            ms(cluster.reduction),
            reduction.to_owned(),
        ]
    });
    let section = Section::new("Pages that share many and few hosts");
    if reductions.clusters.is_empty() {
        return section.say(
        "The pages cannot be split: fewer than two share hosts of content delivery networks, or all \
         share the same.",
        );
    }
    let header = columns(
        "sharing | pages | shared hosts | providers | Zhou | resumed connections | Zhou | \
         mean ms saved | Zhou",
    );
    section
        .say(
            "Pages by the hosts of content delivery networks that they share (k-means, k = 2), on \
         consecutive visits; beside each column that of Zhou 2024, table III.",
        )
        .table(Table::new(header, 1, rows))
}

/// Returns a sentence on failed loads, if there are some.
pub(super) fn failed(reductions: &Reductions) -> Option<String> {
    let (h2, h3, all) = reductions.failed;
    (h2 + h3 > 0).then(|| {
        format!(
            "Failed: {h2} of {all} loads over HTTP/2, {h3} over HTTP/3; they count as later than \
             all others."
        )
    })
}

/// Returns a figure of pages as points, with lines through them.
fn scatter(x: &str, all: Vec<(String, Vec<Point>, Option<Line>)>) -> Figure {
    let mut series = Vec::new();
    for (name, points, trend) in all {
        let xs: Vec<f64> = points.iter().map(|point| point.x).collect();
        series.push(Series {
            name: name.clone(),
            kind: SeriesKind::Points,
            points,
        });
        if let Some(trend) = trend {
            series.push(Series::new(&name, SeriesKind::Line, ends(&trend, &xs)));
        }
    }
    Figure {
        label: format!("Reduction of the page load time over {x}"),
        x: x.to_owned(),
        y: "ms saved".to_owned(),
        series,
        ..Figure::default()
    }
}

fn spread(spread: &Spread) -> [String; 3] {
    [
        ms(spread.mean),
        ms(spread.median),
        or_none(spread.interval, interval),
    ]
}

fn slope(trend: &Line) -> String {
    let (low, high) = trend.interval;
    let [middle, low, high] = [trend.slope, low, high].map(|value| number(value, 2));
    format!("{middle} ({low} to {high})")
}

/// Returns the ends of a line over `xs`.
fn ends(trend: &Line, xs: &[f64]) -> Vec<(f64, f64)> {
    let (low, high) = xs.iter().fold((f64::MAX, f64::MIN), |(low, high), x| {
        (low.min(*x), high.max(*x))
    });
    let y = |x: f64| trend.intercept + trend.slope * x;
    vec![(low, y(low)), (high, y(high))]
}

fn interval((low, high): (f64, f64)) -> String {
    format!("{} to {}", ms(low), ms(high))
}
