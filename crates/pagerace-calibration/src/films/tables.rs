//! The likeness of films as sections of sentences and tables.

use std::collections::BTreeMap;

use pagerace_lab::stats::{median, quantile};
use pagerace_lab::unit::percent;
use pagerace_report::film::PartKind;
use pagerace_report::sections::{Section, Table, columns};

use super::likeness::{Likeness, MOMENT_MS, WINDOW, fault, likeness};
use super::reel::SIDE;
use super::{Beside, Reel};
use crate::cell::relative_error;
use crate::changes::circumstances;
use crate::errors::Errors;
use crate::observation::Observations;
use crate::tables::{NONE, share, signed};

/// Most loads whose faults are named.
const WORST_MAX: usize = 10;

/// Returns the sections for the terminal, and those that follow them on a page. `rerun` is the
/// command that repeats the comparison; may be empty.
pub fn sections(
    all: &[Beside],
    observations: &Observations,
    rerun: &str,
) -> (Vec<Section>, Vec<Section>) {
    let compared: Vec<Compared<'_>> = all
        .iter()
        .map(|one| (one, likeness(&one.predicted, &one.live)))
        .collect();
    let mut sections = vec![introduction(all, observations)];
    sections.extend([summary(&compared), places(&compared)]);
    sections.push(speed_index(all));
    sections.push(worst(&compared));
    let further = vec![each(&compared), circumstances(observations, rerun)];
    (sections, further)
}

/// A load and its likeness.
type Compared<'a> = (&'a Beside, Likeness);

fn introduction(all: &[Beside], observations: &Observations) -> Section {
    let mut pages: Vec<&str> = all.iter().map(|one| one.page.as_str()).collect();
    pages.sort_unstable();
    pages.dedup();
    let waited = observations.observations.iter();
    let waited: Vec<f64> = waited.filter_map(|one| one.main_thread_waited).collect();
    let waited = median(&waited).map(|share| {
        format!(
            "The page's main thread waited for a processor in {} of the time in which it could run \
             (median of the loads). Such waits delay live loads and are not predicted.",
            percent(share)
        )
    });
    Section::new("How true the player is")
        .say(format!(
            "Films of predicted loads beside the screenshots of a real browser: {} loads of {} pages. \
             A film cuts its frames from pictures of the finished page and shows each part when the \
             model paints it (docs/player.md).",
            all.len(),
            pages.len()
        ))
        .say(format!(
            "Structural similarity (SSIM) is 1 for equal pictures and about 0 for unrelated ones. \
             It is that of the brightness of pictures whose longer side has {SIDE} pixels, in \
             windows of {WINDOW} x {WINDOW} pixels. Equal times are {MOMENT_MS} ms apart, from the \
             first change of film or browser to the last of both, so that neither the empty screen \
             before nor the finished page after counts. Equal visual progress compares the first \
             frames with 10, 20 .. 90 % of it. Every prediction is one load that loses the packets \
             of the live one and in which nothing else is left to chance."
        ))
        .say_all(waited)
}

/// Returns a row of quantiles: the name, and what half and nine of ten values reach.
fn reached(name: &str, values: &[f64]) -> Vec<String> {
    let at = |p| quantile(values, p).map_or_else(|| NONE.to_owned(), two);
    vec![name.to_owned(), values.len().to_string(), at(0.5), at(0.1)]
}

fn two(value: f64) -> String {
    format!("{value:.2}")
}

fn summary(all: &[Compared<'_>]) -> Section {
    let of = |value: &dyn Fn(&Compared<'_>) -> f64| all.iter().map(value).collect::<Vec<f64>>();
    let moments = all.iter().flat_map(|(_, own)| &own.moments);
    let moments: Vec<f64> = moments.map(|moment| moment.ssim).collect();
    let at_once = |(one, _): &Compared<'_>| likeness(&one.predicted.at_once(), &one.live).mean();
    let mut rows = vec![
        reached("loads: mean over equal times", &of(&|(_, own)| own.mean())),
        reached("all moments of all loads", &moments),
        reached(
            "loads: median over equal visual progress",
            &of(&|(_, own)| median(&own.at_progress).unwrap_or(f64::NAN)),
        ),
        reached("loads: finished page", &of(&|(_, own)| own.finished)),
        reached(
            "for comparison: the finished page at once, at the film's first change",
            &of(&at_once),
        ),
    ];
    let again: Vec<f64> = again(all).collect();
    if !again.is_empty() {
        let name = "for comparison: another live load of the page, mean over equal times";
        rows.push(reached(name, &again));
    }
    let header = columns("SSIM of | count | half reach | nine of ten reach");
    Section::new("In short")
        .say("Half of the values reach the first number, and nine of ten the second one.")
        .table(Table::new(header, 1, rows))
}

/// Returns the likeness of each live load to the load before it of the same page, network and
/// version of HTTP.
fn again<'a>(all: &'a [Compared<'_>]) -> impl Iterator<Item = f64> + 'a {
    let pairs = all.windows(2).filter_map(|pair| {
        let (one, other) = (pair[0].0, pair[1].0);
        let place = |of: &'a Beside| (&of.page, &of.network, &of.protocol);
        (place(one) == place(other)).then_some((&one.live, &other.live))
    });
    let pairs = pairs.filter(|(one, other)| one.size() == other.size());
    pairs.map(|(one, other): (&Reel, &Reel)| likeness(one, other).mean())
}

fn places(all: &[Compared<'_>]) -> Section {
    let mut groups: BTreeMap<(&str, &str), Vec<&Likeness>> = BTreeMap::new();
    for (one, own) in all {
        let place = (one.network.as_str(), one.protocol.as_str());
        groups.entry(place).or_default().push(own);
    }
    let rows = groups.into_iter().map(|((network, protocol), own)| {
        let means: Vec<f64> = own.iter().map(|one| one.mean()).collect();
        let levels = own.iter().filter_map(|one| median(&one.at_progress));
        let levels = reached("", &levels.collect::<Vec<f64>>());
        let mut row = vec![network.to_owned(), protocol.to_owned()];
        row.extend_from_slice(&reached("", &means)[1..]);
        row.extend_from_slice(&levels[2..]);
        row
    });
    let header = columns(
        "network | HTTP | loads | equal times: half reach | nine of ten | \
         equal visual progress: half reach | nine of ten",
    );
    Section::new("By network and version of HTTP")
        .say(
            "Means over equal times, and medians over equal visual progress, which leaves faults of \
             time out.",
        )
        .table(Table::new(header, 2, rows))
}

fn speed_index(all: &[Beside]) -> Section {
    let errors = |name: &str, value: &dyn Fn(&Beside) -> Option<f64>| {
        let errors = all.iter();
        let errors = errors.filter_map(|one| relative_error(value(one), one.live_index));
        let signed_errors: Vec<f64> = errors.collect();
        let errors: Vec<f64> = signed_errors.iter().map(|error| error.abs()).collect();
        let errors = Errors::quantiles(&errors);
        vec![
            name.to_owned(),
            errors.count.to_string(),
            share(errors.p50),
            share(errors.p90),
            signed(median(&signed_errors)),
        ]
    };
    let rows = [
        errors("pixels of the film", &|one| {
            Some(one.predicted.speed_index())
        }),
        errors("the model, without pixels", &|one| one.predicted_index),
        errors("for comparison: pixels of the screenshots", &|one| {
            Some(one.live.speed_index())
        }),
    ];
    let header = columns("Speed Index of | loads | error p50 | error p90 | bias");
    Section::new("Speed Index")
        .say(
            "Errors as predictions of the Speed Index that speedline computes of the screenshots. \
             That of pixels follows from the colours of all frames in the same way; the comparison \
             with speedline on the same screenshots says what the method itself adds.",
        )
        .table(Table::new(header, 1, rows))
}

fn worst(all: &[Compared<'_>]) -> Section {
    let mut order: Vec<&Compared<'_>> = all.iter().collect();
    order.sort_by(|a, b| a.1.mean().total_cmp(&b.1.mean()));
    let rows = order.into_iter().take(WORST_MAX).filter_map(|(one, own)| {
        let worst = own.worst()?;
        let whole = |share: f64| format!("{:.0} %", share * 100.0);
        Some(vec![
            one.page.clone(),
            one.network.clone(),
            one.protocol.clone(),
            in_words(one, own),
            two(own.mean()),
            two(worst.ssim),
            format!("{:.0} ms", worst.ms),
            whole(worst.predicted),
            whole(worst.live),
        ])
    });
    let header =
        columns("page | network | HTTP | at the worst moment | SSIM | worst | at | film | browser");
    Section::new("The least true films")
        .say(
            "Loads with the lowest mean SSIM, and their worst moment: how far the film is ahead of \
             the browser or behind it in visual progress, and the smallest part of the page that \
             holds most of the difference.",
        )
        .table(Table::new(header, 4, rows))
}

/// Says what is wrong at the worst moment.
fn in_words(one: &Beside, own: &Likeness) -> String {
    let Some(worst) = own.worst() else {
        return NONE.to_owned();
    };
    let fault = fault(&one.predicted, &one.live, worst, &one.parts, one.viewport);
    let time = match fault.ahead_ms {
        None => "as much is visible, but other pixels".to_owned(),
        Some(ms) if ms >= 0.0 => format!("the film is {ms:.0} ms ahead"),
        Some(ms) => format!("the film is {:.0} ms behind", -ms),
    };
    let part = fault.part.map(|part| &one.parts[part]);
    let place = part.map_or("all over the page".to_owned(), |part| match part.kind {
        PartKind::Text => "in a text".to_owned(),
        PartKind::Box => "in a box".to_owned(),
        PartKind::Image | PartKind::ProgressiveImage => format!("in the image {}", part.name),
    });
    format!("{time}, {place}")
}

fn each(all: &[Compared<'_>]) -> Section {
    let ms = |value: Option<f64>| value.map_or_else(|| NONE.to_owned(), |ms| format!("{ms:.0} ms"));
    let rows = all.iter().map(|(one, own)| {
        let moments: Vec<f64> = own.moments.iter().map(|moment| moment.ssim).collect();
        let progress = median(&own.at_progress).map_or_else(|| NONE.to_owned(), two);
        vec![
            one.page.clone(),
            one.network.clone(),
            one.protocol.clone(),
            two(own.mean()),
            quantile(&moments, 0.1).map_or_else(|| NONE.to_owned(), two),
            progress,
            two(own.finished),
            ms(one.live_index),
            ms(Some(one.predicted.speed_index())),
            ms(one.predicted_index),
        ]
    });
    let header = columns(
        "page | network | HTTP | SSIM | nine of ten moments reach | at equal progress | finished | \
         Speed Index | of the film | of the model",
    );
    let mut rows: Vec<Vec<String>> = rows.collect();
    rows.sort();
    Section::new("Every load")
        .say(
            "SSIM is the mean over equal times. The Speed Index is speedline's, that of the pixels of \
             the film, and that of the model without pixels.",
        )
        .table(Table::new(header, 3, rows))
}
