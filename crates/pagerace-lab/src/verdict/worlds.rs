//! Verdicts over plausible worlds, which follow from ranges of differences.

use pagerace_page::LargestElement;
use pagerace_report::input::VerdictKind;

use super::element::by_element;
use super::words::{by, join};
use super::{Case, Verdict, broken, failures};
use crate::analysis::{Analysis, Comparison, Mark, WORLDS_MIN, analyse, compare};
use crate::metric::{MetricId, Wording};
use crate::unit::Unit;

/// Maximum number of contenders that a list names.
const NAMED_MAX: usize = 3;

/// Returns the verdict of runs in several worlds.
pub(super) fn verdict(case: &Case<'_>, analysis: &Analysis) -> Verdict {
    let gains = analysis.ranking.iter().copied();
    // A sure winner comes before a probable one with a lower median.
    let winner = [Mark::Better, Mark::ProbablyBetter]
        .iter()
        .find_map(|mark| {
            let mut all = gains.clone();
            all.find(|&i| analysis.rows[i].mark == *mark)
        });
    let whole = |&i: &usize| !analysis.rows[i].breaks && analysis.rows[i].median.is_some();
    let best = winner.or_else(|| gains.clone().find(whole));
    let (kind, answer, mut more) = match winner {
        Some(best) => {
            // Who has chosen another one of them need not change it.
            let told = [
                vec![told(case, analysis, best)],
                as_good(case, analysis, best),
            ];
            let mut more = others(case, analysis, best);
            more.extend(price(case, analysis, best));
            (kind_of(&analysis.rows[best]), told.concat().join(" "), more)
        }
        None => without_winner(case, analysis),
    };
    let told = best.filter(|best| *best != analysis.baseline).or_else(|| {
        let others = analysis.ranking.iter().rev();
        others.copied().find(|i| *i != analysis.baseline)
    });
    more.extend(
        told.and_then(|told| {
            by_element(case.results, case.page, case.place, told, analysis.metric)
        }),
    );
    more.extend(broken(case, analysis));
    more.extend(failures(case));
    let answer = [Some(answer), doubt(case, analysis)];
    let answer = answer.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Verdict {
        kind,
        winner: best,
        sentence: [vec![answer.clone()], more].concat().join(" "),
        answer,
    }
}

/// Says that only times tell what leads to a resource on which the answer depends.
fn doubt(case: &Case<'_>, analysis: &Analysis) -> Option<String> {
    let trusts = analysis.rows.iter().filter_map(|row| row.trust.as_ref());
    let id = trusts.into_iter().find_map(|trust| trust.inferred)?;
    let page = &case.results.plan.pages[case.page];
    let name = page.element_in_words(LargestElement::Image { id });
    Some(format!(
        "Nothing here is sure: only times tell what requests {name}, on which the answer depends."
    ))
}

fn kind_of(row: &Comparison) -> VerdictKind {
    match row.mark {
        Mark::Better | Mark::Worse => VerdictKind::Better,
        Mark::ProbablyBetter | Mark::ProbablyWorse => VerdictKind::Probable,
        Mark::NoDifference => VerdictKind::NoDifference,
        _ => VerdictKind::Unknown,
    }
}

/// The two sides of a comparison, the better one first.
struct Sides {
    winner: String,
    loser: String,
    /// The gain of the better side in the unit of the metric.
    range: Option<(f64, f64)>,
    medians: [Option<f64>; 2],
    sooner: Option<f64>,
}

impl Sides {
    /// Returns the sides of the contender at `index` and the baseline.
    fn new(case: &Case<'_>, analysis: &Analysis, index: usize) -> Self {
        let (row, base) = (&analysis.rows[index], &analysis.rows[analysis.baseline]);
        let [own, other] = [index, analysis.baseline].map(|i| name(case, i));
        let sure = matches!(row.mark, Mark::Better | Mark::Worse);
        let range = if sure {
            row.sure_range
        } else {
            row.probable_range
        };
        if row.difference.is_some_and(|d| d > 0.0) {
            Self {
                winner: other,
                loser: own,
                range,
                medians: [base.median, row.median],
                sooner: row.sooner.map(|share| 1.0 - share),
            }
        } else {
            Self {
                winner: own,
                loser: other,
                range: range.map(|(low, high)| (-high, -low)),
                medians: [row.median, base.median],
                sooner: row.sooner,
            }
        }
    }

    fn values(&self, unit: Unit) -> Option<String> {
        let [Some(own), Some(other)] = self.medians else {
            return None;
        };
        let finite = own.is_finite() && other.is_finite();
        finite.then(|| format!("{} instead of {}", value(unit, own), value(unit, other)))
    }

    /// Says in how many of 100 pairs of loads the better side was better.
    fn pairs(&self, metric: MetricId) -> Option<String> {
        let hundred = (self.sooner? * 100.0).round();
        let how = comparative(metric);
        Some(if hundred >= 100.0 {
            format!("{how} in all pairs of loads")
        } else {
            format!("{how} in {hundred} of 100 pairs of loads")
        })
    }
}

fn comparative(metric: MetricId) -> &'static str {
    match metric.metric().wording {
        Wording::Moment(_) => "sooner",
        Wording::Amount(_) => "lower",
    }
}

fn name(case: &Case<'_>, index: usize) -> String {
    case.results.plan.spoken(index)
}

/// Formats a value for a sentence: seconds from one second on.
fn value(unit: Unit, value: f64) -> String {
    if unit == Unit::Milliseconds && value.abs() >= 999.5 {
        let decimals = if value.abs() < 9_995.0 { 2 } else { 1 };
        return format!("{:.decimals$} s", value / 1e3);
    }
    unit.format(value)
}

/// Formats a range of gains for a sentence: "0.1 to 0.5 s", "12 to 80 ms".
fn range(unit: Unit, low: f64, high: f64) -> String {
    if unit == Unit::Milliseconds && high.abs().max(low.abs()) >= 999.5 {
        return format!("{:.1} to {:.1} s", low / 1e3, high / 1e3);
    }
    unit.scale(high.abs().max(low.abs()))
        .format_plain_range(low, high)
}

/// "On slow-4g, HTTP/3 shows the largest element 0.1 to 0.5 s sooner than HTTP/2 (2.31 s
/// instead of 2.52 s; sooner in 97 of 100 pairs of loads)."
fn told(case: &Case<'_>, analysis: &Analysis, index: usize) -> String {
    let row = &analysis.rows[index];
    let metric = analysis.metric.metric();
    let sides = Sides::new(case, analysis, index);
    let Sides { winner, loser, .. } = &sides;
    let network = case.network;
    let probably = match kind_of(row) {
        VerdictKind::Probable => " probably",
        _ => "",
    };
    if row.difference.is_some_and(f64::is_infinite) {
        let failed = |i: usize| analysis.rows[i].failed > 0;
        let fails = if failed(index) || failed(analysis.baseline) {
            "fails"
        } else {
            "never does"
        };
        let does = match metric.wording {
            Wording::Moment(does) => does,
            Wording::Amount(_) => "finishes",
        };
        return format!("On {network}, {winner} {does} where {loser} mostly {fails}.");
    }
    let gain = sides
        .range
        .filter(|(low, high)| low.is_finite() && high.is_finite())
        .map(|(low, high)| format!("{} ", range(metric.unit, low.max(0.0), high)))
        .unwrap_or_default();
    let known = [sides.values(metric.unit), sides.pairs(analysis.metric)];
    let known: Vec<String> = known.into_iter().flatten().collect();
    let facts = match known.as_slice() {
        [] => String::new(),
        facts => format!(" ({})", facts.join("; ")),
    };
    match metric.wording {
        Wording::Moment(does) => {
            format!("On {network}, {winner}{probably} {does} {gain}sooner than {loser}{facts}.")
        }
        Wording::Amount(what) => format!(
            "On {network}, {what} is{probably} {gain}lower with {winner} than with {loser}{facts}."
        ),
    }
}

/// Names the contenders that gain as much as the best, and those that may.
fn as_good(case: &Case<'_>, analysis: &Analysis, best: usize) -> Vec<String> {
    let gains = analysis.ranking.iter().copied();
    let rivals: Vec<usize> = gains.filter(|&i| analysis.rows[i].mark.is_gain()).collect();
    let variants: Vec<_> = rivals.iter().map(|&i| case.variant(i)).collect();
    let place = rivals
        .iter()
        .position(|&i| i == best)
        .expect("the best is one of them");
    let against_best = compare(case.results, &variants, place, analysis.metric);
    let marked = |wanted: Mark| -> Vec<String> {
        let rows = rivals.iter().zip(&against_best.rows);
        let rows = rows.filter(|(_, row)| row.mark == wanted);
        rows.map(|(i, _)| name(case, *i)).collect()
    };
    let (same, open) = (marked(Mark::NoDifference), marked(Mark::Open));
    let same = (!same.is_empty()).then(|| {
        let verb = if same.len() == 1 { "does" } else { "do" };
        format!("{} {verb} as well.", join(&same))
    });
    let open = (!open.is_empty()).then(|| format!("{} may do as well.", join(&open)));
    same.into_iter().chain(open).collect()
}

/// Lists the contenders that lose, and those that are open, beside the one that is told.
fn others(case: &Case<'_>, analysis: &Analysis, told: usize) -> Vec<String> {
    let metric = analysis.metric;
    let listed = |wanted: &[Mark]| -> Vec<String> {
        let size = |i: &usize| analysis.rows[*i].difference.unwrap_or(0.0);
        let mut all: Vec<usize> = (0..analysis.rows.len())
            .filter(|&i| i != told && wanted.contains(&analysis.rows[i].mark))
            .collect();
        all.sort_by(|a, b| size(b).total_cmp(&size(a)));
        let mut parts: Vec<String> = all
            .iter()
            .take(NAMED_MAX)
            .map(|&i| format!("{} {}", name(case, i), by(metric, &analysis.rows[i])))
            .collect();
        if all.len() > NAMED_MAX {
            parts.push(format!("{} more", all.len() - NAMED_MAX));
        }
        parts
    };
    let word = match metric.metric().wording {
        Wording::Moment(_) => "later",
        Wording::Amount(_) => "higher",
    };
    let mut sentences = Vec::new();
    for (wanted, head) in [(Mark::Worse, ""), (Mark::ProbablyWorse, "Probably ")] {
        let parts = listed(&[wanted]);
        if !parts.is_empty() {
            let text = format!("{head}{word}: {}.", join(&parts));
            let mut letters = text.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            sentences.push(first.chain(letters).collect());
        }
    }
    let open: Vec<String> = (0..analysis.rows.len())
        .filter(|&i| i != told && analysis.rows[i].mark == Mark::Open)
        .map(|i| name(case, i))
        .collect();
    if !open.is_empty() {
        sentences.push(format!("Open: {}.", join(&open)));
    }
    sentences
}

/// Lists the times of the load in which the winner loses.
fn price(case: &Case<'_>, analysis: &Analysis, best: usize) -> Option<String> {
    let parts: Vec<String> = MetricId::times()
        .filter(|metric| *metric != analysis.metric)
        .filter_map(|metric| {
            let mut rows = analyse(case.results, case.page, case.place, metric).rows;
            let row = rows.swap_remove(best);
            let text = format!("{} {}", metric.metric().title, by(metric, &row));
            (row.mark == Mark::Worse).then_some(text)
        })
        .collect();
    let winner = name(case, best);
    (!parts.is_empty()).then(|| format!("Worse with {winner}: {}.", join(&parts)))
}

fn without_winner(case: &Case<'_>, analysis: &Analysis) -> (VerdictKind, String, Vec<String>) {
    let network = case.network;
    let metric = analysis.metric.metric();
    let rows = || analysis.rows.iter();
    let others: Vec<usize> = (0..analysis.rows.len())
        .filter(|&i| i != analysis.baseline)
        .collect();
    let unknown = |text: String| (VerdictKind::Unknown, text, Vec::new());
    if rows().all(|row| row.median.is_none()) {
        return unknown(format!(
            "On {network}, no load has a value for {}.",
            metric.title
        ));
    }
    if rows().all(|row| row.median.is_none_or(f64::is_infinite)) {
        return unknown(if rows().all(|row| row.failed == 0) {
            format!("On {network}, most loads never reach {}.", metric.title)
        } else if rows().all(|row| row.failed == row.runs) {
            format!("On {network}, all loads failed.")
        } else {
            format!("On {network}, most loads failed.")
        });
    }
    let baseline = name(case, analysis.baseline);
    if others.is_empty() {
        let median = analysis.rows[analysis.baseline].median;
        let median = median.map_or_else(String::new, |v| value(metric.unit, v));
        return unknown(match metric.wording {
            Wording::Moment(does) => format!("On {network}, {baseline} {does} after {median}."),
            Wording::Amount(what) => format!("On {network}, {what} is {median} with {baseline}."),
        });
    }
    if rows().any(|row| row.mark == Mark::TooFewRuns) {
        let runs = rows().map(|row| row.pairs).max().unwrap_or(0);
        return unknown(format!(
            "On {network}, {runs} {} too few to name a winner ({WORLDS_MIN} or more are needed, 30 \
             are better).",
            if runs == 1 { "run is" } else { "runs are" }
        ));
    }
    if others
        .iter()
        .all(|&i| analysis.rows[i].mark == Mark::Undefined)
    {
        return unknown(format!(
            "On {network}, nothing to compare: {} is missing.",
            metric.title
        ));
    }
    if let [other] = others.as_slice() {
        let row = &analysis.rows[*other];
        let kind = kind_of(row);
        return (kind, between_two(case, analysis, *other), Vec::new());
    }
    let marked = |mark: fn(Mark) -> bool| others.iter().any(|&i| mark(analysis.rows[i].mark));
    let more = self::others(case, analysis, analysis.baseline);
    let noun = case.noun.one();
    if marked(|mark| mark == Mark::Open) {
        let text = match metric.wording {
            Wording::Moment(does) => {
                format!("On {network}, open: no {noun} surely {does} sooner than {baseline}.")
            }
            Wording::Amount(what) => format!(
                "On {network}, open: {what} is surely lower with no {noun} than with {baseline}."
            ),
        };
        return (VerdictKind::Unknown, text, more);
    }
    let text = match (marked(Mark::is_loss), metric.wording) {
        (true, Wording::Moment(does)) => {
            format!("On {network}, no {noun} {does} sooner than {baseline}.")
        }
        (true, Wording::Amount(what)) => {
            format!("On {network}, {what} is lower with no {noun} than with {baseline}.")
        }
        (false, _) => format!("On {network}, no difference that matters between the {noun}s."),
    };
    (VerdictKind::NoDifference, text, more)
}

/// Returns the answer if two contenders race and the second does not win.
fn between_two(case: &Case<'_>, analysis: &Analysis, other: usize) -> String {
    let (row, network) = (&analysis.rows[other], case.network);
    let metric = analysis.metric.metric();
    if row.mark.is_loss() {
        return told(case, analysis, other);
    }
    let [own, base] = [other, analysis.baseline].map(|i| name(case, i));
    let medians = [row.median, analysis.rows[analysis.baseline].median];
    let medians = match medians {
        [Some(a), Some(b)] => {
            format!(
                "{own} {}, {base} {}",
                value(metric.unit, a),
                value(metric.unit, b)
            )
        }
        _ => String::new(),
    };
    if row.mark == Mark::NoDifference {
        return format!(
            "On {network}, no difference that matters ({} {medians}).",
            metric.name
        );
    }
    let sides = Sides::new(case, analysis, other);
    let gain = sides
        .range
        .filter(|(low, high)| low.is_finite() && high.is_finite());
    let span = gain.map_or_else(String::new, |(low, high)| {
        let (better, worse) = match metric.wording {
            Wording::Moment(_) => ("sooner", "later"),
            Wording::Amount(_) => ("lower", "higher"),
        };
        let size = |v: f64| value(metric.unit, v.abs());
        if low < 0.0 {
            let (winner, loser) = (&sides.winner, &sides.loser);
            format!(
                "{winner} is {} {better} to {} {worse} than {loser}",
                size(high),
                size(low)
            )
        } else {
            let text = range(metric.unit, low, high);
            format!(
                "{} is {text} {better} than {}, which is too little to be sure",
                sides.winner, sides.loser
            )
        }
    });
    let facts = [
        Some(medians).filter(|text| !text.is_empty()),
        sides.pairs(analysis.metric),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    format!(
        "On {network}, open by {}: {span} ({}).",
        metric.title,
        facts.join("; ")
    )
}

/// Formats the record of the verdicts of `analysis`: "How sure: in live Chromium, 199 of 201 sure
/// winners ...". `None` if there are no verdicts.
pub fn record(analysis: &Analysis) -> Option<String> {
    let rows = analysis.rows.iter();
    let judged = rows.filter(|row| !matches!(row.mark, Mark::Undefined | Mark::TooFewRuns));
    let trusts = judged.filter_map(|row| Some((row.mark, row.trust.as_ref()?)));
    // Verdicts that decide come first, and then those that leave something open.
    let weight = |mark: &Mark| {
        (
            mark.is_gain() || mark.is_loss(),
            *mark != Mark::NoDifference,
        )
    };
    let (mark, trust) = trusts.max_by_key(|(mark, _)| weight(mark))?;
    let record = match mark {
        Mark::NoDifference => trust.same_in_words(),
        _ => trust.in_words(),
    };
    Some(format!("How sure: {record}."))
}
