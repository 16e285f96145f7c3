//! The questions and answers of a survey, on the terminal.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pagerace_lab::unit::Unit;
use pagerace_survey::Findings;
use pagerace_survey::Survey;
use pagerace_survey::analysis::{
    Beside, Distribution, LEVEL, POWER, PairFinding, RatingFinding, Reason, SPEED_PERCEPTION,
    Verdict,
};
use pagerace_survey::stats::{Share, detectable};

use crate::table::{print, table};
use crate::text::{headed, say, stress};

/// Numbers of people for which a new survey says what it finds.
const SIZES: [usize; 3] = [20, 50, 100];

/// Returns a number of people in words.
pub(super) fn people(count: usize) -> String {
    if count == 1 {
        "1 person".to_owned()
    } else {
        format!("{count} people")
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn probability(p: f64) -> String {
    if p < 0.001 {
        "<0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

fn ms(value: f64) -> String {
    Unit::Milliseconds.format(value)
}

/// Returns a share of those with a preference, and the rest: `80:20`.
fn ratio(share: f64) -> String {
    format!("{:.0}:{:.0}", share * 100.0, (1.0 - share) * 100.0)
}

/// Returns a share with its interval: `40 % (25–58 %)`.
fn share(share: Share) -> String {
    let Some((value, (low, high))) = share.value().zip(share.interval()) else {
        return "–".to_owned();
    };
    format!("{} ({:.0}–{})", percent(value), low * 100.0, percent(high))
}

/// Prints what a new survey shows and asks.
pub(super) fn made(out: &mut impl Write, survey: &Survey, minutes: u64) -> io::Result<()> {
    stress(
        out,
        &format!(
            "A survey of {} versions: {} tasks for each person, about {minutes} minutes.",
            survey.versions.len(),
            survey.tasks_per_person()
        ),
    )?;
    say(out, &survey.shows)?;
    let metrics = ["fcp", "lcp", "speed-index", "onload"];
    let mut all = table(&["version", "what", "FCP", "LCP", "Speed Index", "load"], 2);
    for version in survey.all_versions() {
        let value = |name: &&str| {
            let value = version.metrics.get(*name);
            value.map_or_else(|| "–".to_owned(), |value| ms(*value))
        };
        let words = [version.id.clone(), version.what.clone()];
        all.add_row(words.into_iter().chain(metrics.iter().map(value)));
    }
    writeln!(out)?;
    print(out, &all)?;
    writeln!(out)?;
    headed(
        out,
        "The report leaves out people",
        &survey.rules.in_words().join("; "),
    )?;
    let sizes = SIZES.iter().filter_map(|size| {
        let share = detectable(*size, LEVEL, POWER)?;
        Some(format!("{} among {size} people", ratio(share)))
    });
    let sizes: Vec<String> = sizes.collect();
    headed(
        out,
        "A comparison finds with a probability of 80 %, if everybody has a preference",
        &sizes.join("; "),
    )
}

/// Prints what people answered.
pub(super) fn findings(
    out: &mut impl Write,
    survey: &Survey,
    findings: &Findings,
) -> io::Result<()> {
    summary(out, survey, findings)?;
    pairs(out, survey, findings)?;
    worths(out, survey, findings)?;
    for rating in findings.ratings.iter().chain(&findings.ready) {
        ratings(out, survey, rating)?;
    }
    answers(out, survey, &findings.answers)?;
    metrics(out, findings)?;
    published(out, &findings.published)
}

fn name(survey: &Survey, version: usize) -> &str {
    &survey.versions[version].id
}

/// Returns a version with what it is.
fn named(survey: &Survey, version: usize) -> String {
    let one = &survey.versions[version];
    format!("{} ({})", one.id, one.what)
}

/// Returns what people say of the original and the other versions, and the number of other pairs of
/// which they prefer one.
fn headline(survey: &Survey, findings: &Findings) -> String {
    if findings.count == 0 {
        return "Nobody counts so far, so there is nothing to tell.".to_owned();
    }
    let is_told = |pair: &&PairFinding| matches!(pair.verdict, Verdict::PreferA | Verdict::PreferB);
    let (own, others): (Vec<_>, Vec<_>) = findings.pairs.iter().partition(|pair| pair.a == 0);
    let mut parts: Vec<String> = Vec::new();
    for pair in own.iter().copied().filter(is_told) {
        let (better, worse, share) = match pair.verdict {
            Verdict::PreferA => (pair.a, pair.b, pair.prefer_a),
            _ => (pair.b, pair.a, pair.prefer_b),
        };
        parts.push(format!(
            "{} prefer {} to {}",
            share.value().map(percent).unwrap_or_default(),
            named(survey, better),
            named(survey, worse)
        ));
    }
    let names = |verdict: Verdict| {
        let all = own.iter().filter(|pair| pair.verdict == verdict);
        let all: Vec<&str> = all.map(|pair| name(survey, pair.b)).collect();
        (!all.is_empty()).then(|| all.join(" or "))
    };
    let original = name(survey, 0);
    if let Some(names) = names(Verdict::NoPreference) {
        parts.push(format!(
            "most people have no preference between {original} and {names}"
        ));
    }
    if let Some(names) = names(Verdict::CannotTell) {
        parts.push(format!(
            "between {original} and {names}, these answers cannot tell"
        ));
    }
    let told = others.iter().copied().filter(is_told).count();
    if told > 0 {
        parts.push(format!(
            "of {} other pairs, people prefer one version in {told}",
            others.len()
        ));
    }
    if parts.is_empty() {
        return "These answers cannot tell which version people prefer.".to_owned();
    }
    let mut text = parts.join("; ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{text}.")
}

fn summary(out: &mut impl Write, survey: &Survey, findings: &Findings) -> io::Result<()> {
    stress(out, &headline(survey, findings))?;
    say(out, &survey.shows)?;
    let mut reasons: BTreeMap<Reason, usize> = BTreeMap::new();
    for reason in findings.excluded.iter().flat_map(|one| &one.reasons) {
        *reasons.entry(*reason).or_default() += 1;
    }
    let words = survey.rules.in_words();
    let told = Reason::ALL
        .iter()
        .zip(&words)
        .filter_map(|(reason, words)| {
            let count = reasons.get(reason)?;
            Some(format!("{count} {words}"))
        });
    let told: Vec<String> = told.collect();
    let left_out = if told.is_empty() {
        String::new()
    } else {
        format!(", by the rules of the survey's file: {}", told.join("; "))
    };
    headed(
        out,
        "People",
        &format!(
            "{} began, {} {}, {} {} left out{left_out}",
            findings.began,
            findings.count,
            if findings.count == 1 {
                "counts"
            } else {
                "count"
            },
            findings.excluded.len(),
            if findings.excluded.len() == 1 {
                "is"
            } else {
                "are"
            }
        ),
    )?;
    if let Some(found) = findings.detectable {
        say(
            out,
            &format!(
                "A preference of {} among those who have one is found with a probability of {} \
                 (one comparison alone).",
                ratio(found),
                percent(POWER)
            ),
        )?;
    }
    Ok(())
}

fn pairs(out: &mut impl Write, survey: &Survey, findings: &Findings) -> io::Result<()> {
    if findings.pairs.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    headed(
        out,
        "Preferences",
        "shares with 95 % intervals; p by the sign test of those with a preference, corrected for \
         all pairs (Holm)",
    )?;
    let header = [
        "first",
        "second",
        "verdict",
        "prefer first",
        "prefer second",
        "neither",
        "people",
        "p",
    ];
    let mut all = table(&header, 3);
    for pair in &findings.pairs {
        let verdict = match pair.verdict {
            Verdict::PreferA => format!("prefer {}", name(survey, pair.a)),
            Verdict::PreferB => format!("prefer {}", name(survey, pair.b)),
            Verdict::NoPreference => "most have no preference".to_owned(),
            Verdict::CannotTell => "cannot tell".to_owned(),
        };
        all.add_row([
            named(survey, pair.a),
            named(survey, pair.b),
            verdict,
            share(pair.prefer_a),
            share(pair.prefer_b),
            share(pair.neither),
            pair.neither.of.to_string(),
            probability(pair.p),
        ]);
    }
    print(out, &all)?;
    if let Some(alpha) = findings.preference_alpha {
        say(
            out,
            &format!(
                "Agreement: Krippendorff's alpha {alpha:.2} (1 if all people agree, 0 as by chance)."
            ),
        )?;
    }
    Ok(())
}

fn worths(out: &mut impl Write, survey: &Survey, findings: &Findings) -> io::Result<()> {
    if findings.worths.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    headed(
        out,
        "Ranks",
        "from all comparisons at once (Bradley-Terry with indifference, Davidson 1970); chance of \
         being preferred to the original by a person with a preference; 95 % intervals over people",
    )?;
    let mut all = table(
        &[
            "version",
            "rank",
            "ranks",
            "preferred to the original",
            "interval",
        ],
        1,
    );
    let mut worths: Vec<_> = findings.worths.iter().collect();
    worths.sort_by_key(|worth| (worth.rank, worth.version));
    for worth in worths {
        let range = worth.rank_range.map_or_else(
            || "–".to_owned(),
            |(low, high)| {
                if low == high {
                    low.to_string()
                } else {
                    format!("{low}–{high}")
                }
            },
        );
        let ends = worth.interval.filter(|_| worth.version > 0);
        let ends = ends.map(|(low, high)| format!("{:.0}–{}", low * 100.0, percent(high)));
        let chance = if worth.version > 0 {
            percent(worth.preferred)
        } else {
            "–".to_owned()
        };
        all.add_row([
            named(survey, worth.version),
            worth.rank.to_string(),
            range,
            chance,
            ends.unwrap_or_else(|| "–".to_owned()),
        ]);
    }
    print(out, &all)
}

fn text<'a>(survey: &'a Survey, question: &'a str) -> &'a str {
    survey.question(question).map_or(question, |one| &one.text)
}

fn ratings(out: &mut impl Write, survey: &Survey, rating: &RatingFinding) -> io::Result<()> {
    writeln!(out)?;
    headed(out, &rating.question, text(survey, &rating.question))?;
    let header = [
        "version",
        "answer",
        "people",
        "against the original",
        "p",
        "verdict",
    ];
    let mut all = table(&header, 1);
    for one in &rating.versions {
        let (answer, people, unit) = match (&one.moments, &one.distribution) {
            (Some(moments), _) => {
                let ends = moments
                    .interval
                    .map(|(low, high)| format!(" ({}–{})", ms(low), ms(high)));
                let text = format!("{}{}", ms(moments.median), ends.unwrap_or_default());
                (text, moments.people, true)
            }
            (None, Some(found)) => {
                let agree = found.agree.unwrap_or(Share { count: 0, of: 0 });
                (format!("{} agree", share(agree)), agree.of, false)
            }
            (None, None) => ("–".to_owned(), 0, false),
        };
        let difference = one.difference.map_or_else(
            || "–".to_owned(),
            |value| {
                let sign = if value > 0.0 { "+" } else { "" };
                if unit {
                    format!("{sign}{}", ms(value))
                } else {
                    format!("{sign}{value:.1} degrees")
                }
            },
        );
        let verdict = match (one.version, one.higher, unit) {
            (0, ..) => "",
            (_, Some(true), true) => "later",
            (_, Some(false), true) => "sooner",
            (_, Some(true), false) => "higher",
            (_, Some(false), false) => "lower",
            (_, None, _) => "cannot tell",
        };
        all.add_row([
            named(survey, one.version),
            answer,
            people.to_string(),
            difference,
            one.p.map_or_else(|| "–".to_owned(), probability),
            verdict.to_owned(),
        ]);
    }
    print(out, &all)?;
    let mut notes = vec![
        "Differences are medians; p by Wilcoxon's signed-rank test, corrected for all versions (Holm)."
            .to_owned(),
    ];
    if let Some(found) = &rating.friedman {
        notes.push(format!(
            "All versions at once, {}: Friedman's test p {}, Kendall's W {:.2}.",
            people(found.people),
            probability(found.p),
            found.w
        ));
    }
    if let Some(alpha) = rating.alpha {
        notes.push(format!(
            "Agreement: Krippendorff's alpha {alpha:.2} (ordinal)."
        ));
    }
    say(out, &notes.join(" "))
}

fn answers(out: &mut impl Write, survey: &Survey, answers: &[Distribution]) -> io::Result<()> {
    for answer in answers {
        let Some(question) = survey.question(&answer.question) else {
            continue;
        };
        if answer.shares.first().is_none_or(|share| share.of == 0) {
            continue;
        }
        writeln!(out)?;
        headed(out, &answer.question, &question.text)?;
        let mut all = table(&["answer", "share", "people"], 1);
        for (option, found) in question.answer.options().iter().zip(&answer.shares) {
            all.add_row([option.clone(), share(*found), found.count.to_string()]);
        }
        print(out, &all)?;
    }
    Ok(())
}

fn metrics(out: &mut impl Write, findings: &Findings) -> io::Result<()> {
    let any = findings.predictors.iter().any(|one| one.pairs.of > 0);
    if any {
        writeln!(out)?;
        headed(
            out,
            "Metrics",
            &format!(
                "how often each names the version that more people prefer; to beat: \
                 SpeedPerception's model of three variables, {} of majorities",
                percent(SPEED_PERCEPTION)
            ),
        )?;
        let header = ["metric", "pairs", "certain pairs", "votes", "against 87 %"];
        let mut all = table(&header, 1);
        for one in &findings.predictors {
            let beats = match one.beats {
                Some(true) => "better",
                Some(false) => "worse",
                None => "cannot tell",
            };
            let of = |share: Share| format!("{} of {}", share.count, share.of);
            all.add_row([
                one.title.clone(),
                of(one.pairs),
                of(one.certain),
                one.votes.value().map_or_else(|| "–".to_owned(), percent),
                beats.to_owned(),
            ]);
        }
        print(out, &all)?;
    }
    if findings.ready_against.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    headed(
        out,
        "Ready against metrics",
        "median moments at which versions were ready, less the metric; means over versions",
    )?;
    let mut all = table(&["metric", "difference", "its size", "rank correlation"], 1);
    for one in &findings.ready_against {
        let sign = if one.mean_difference > 0.0 { "+" } else { "" };
        all.add_row([
            one.title.clone(),
            format!("{sign}{}", ms(one.mean_difference)),
            ms(one.mean_size),
            one.correlation
                .map_or_else(|| "–".to_owned(), |rho| format!("{rho:.2}")),
        ]);
    }
    print(out, &all)
}

fn published(out: &mut impl Write, published: &[Beside]) -> io::Result<()> {
    let Some(first) = published.first() else {
        return Ok(());
    };
    writeln!(out)?;
    let sample = match (first.people, first.smallest) {
        (Some(people), _) => format!("of {people} people"),
        (None, Some(n)) => format!(
            "which gives no number of people; its intervals are those of {n}, the smallest number \
             that gives all its shares"
        ),
        (None, None) => "which gives no number of people".to_owned(),
    };
    headed(out, "Beside", &format!("{}, {sample}", first.source))?;
    let mut all = table(&["asked", "versions", "said", "there", "here"], 3);
    for beside in published {
        for (place, one) in beside.shares.iter().enumerate() {
            let ends = one
                .interval
                .map(|(low, high)| format!(" ({:.0}–{})", low * 100.0, percent(high)));
            let first = |text: String| if place == 0 { text } else { String::new() };
            all.add_row([
                first(beside.asked.clone()),
                first(beside.versions.join(" or ")),
                one.said.clone(),
                format!("{} %{}", one.percent, ends.unwrap_or_default()),
                share(one.here),
            ]);
        }
    }
    print(out, &all)
}
