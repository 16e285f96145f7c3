//! The advice on the terminal.

use std::io::{self, Write};
use std::path::Path;

use comfy_table::Cell;
use pagerace_lab::advice::{Advice, Effect, Idea, Tried, Worth, combined};
use pagerace_lab::facts::facts;
use pagerace_lab::metric::Wording;
use pagerace_lab::stats::median;
use pagerace_lab::{Plan, VERSION};
use pagerace_page::Page;
use pagerace_report::input::Provenance;

use super::paste;
use crate::table;
use crate::text::{counted, headed, say, stress};

/// The little that is known of how often such advice comes true.
const RECORD: &str = "How sure: effects of changes are not calibrated. In first trials in Chromium, \
                      gains had the predicted sign and were smaller than predicted; see Advice in \
                      docs/limitations.md, or try --verify.";

/// Prints everything, the answer first.
pub(super) fn advice(
    out: &mut impl Write,
    plan: &Plan,
    advice: &Advice,
    file: &Path,
) -> io::Result<()> {
    let page = &plan.pages[0];
    stress(out, &now(plan, advice))?;
    let guessed = guessed(page, advice);
    let is_doubtful = guessed.is_some() || !plan.doubts().is_empty();
    if let Some(id) = guessed {
        let text = format!(
            "Nothing here is sure: only times tell what requests {}.",
            page.resource(id).url
        );
        say(out, &text)?;
    }
    if advice.together.is_empty() {
        say(out, &nothing(advice))?;
    } else if is_doubtful {
        say(out, "No gain is claimed. In the model:")?;
    } else {
        stress(out, &together(plan, advice))?;
    }
    for (place, one) in advice.together.iter().enumerate() {
        let added = spans(plan, &one.effects);
        let (what, why) = (one.idea.brief(), &one.idea.because);
        say(out, &format!("{}. {what}: {added}; {why}.", place + 1))?;
    }
    let lines = paste::lines(page, &combined(advice.together.iter().map(|one| &one.idea)));
    if !lines.is_empty() {
        writeln!(out, "\nTo paste:")?;
        lines
            .iter()
            .try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    if !advice.judged.is_empty() {
        writeln!(out)?;
        table::print(out, &changes(plan, advice))?;
        for one in &advice.judged {
            costs(out, plan, one)?;
        }
    }
    if !advice.idle.is_empty() {
        let all: Vec<String> = advice.idle.iter().map(Idea::brief).collect();
        writeln!(out)?;
        say(out, &format!("Expect nothing of: {}.", all.join(", ")))?;
    }
    writeln!(out)?;
    let text = format!(
        "{} of {}, seed {}, the central 80 % of paired loads in {} worlds",
        plan.metric.metric().title,
        page.name,
        plan.seed,
        advice.results.plan.runs
    );
    headed(out, &format!("Pagerace {VERSION}"), &text)?;
    let heading = Provenance::Simulated.heading();
    say(
        out,
        &format!("{heading}: {}, {}", facts(plan), plan.contenders[0]),
    )?;
    for network in &plan.networks {
        headed(out, &network.name, &network.describe())?;
    }
    if advice.judged.iter().any(gains) {
        say(out, RECORD)?;
    }
    if let Some(best) = advice
        .judged
        .iter()
        .find(|one| gains(one) && paste::is_servable(page, &one.idea.changes))
    {
        let networks: Vec<&str> = plan.networks.iter().map(|one| one.name.as_str()).collect();
        let text = format!(
            "Check the best in Chromium: pagerace live {} --protocol {} --network {} --metric {} \
             --change \"{}\"",
            file.display(),
            plan.contenders[0].protocols,
            networks.join(","),
            plan.metric,
            best.idea.changes
        );
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// True for a change that gains and leaves the page as people know it.
pub(super) fn gains(one: &Tried) -> bool {
    one.worth() == Worth::Gains && one.idea.is_repair
}

/// Returns the word for an effect in files.
pub(super) const fn worth(worth: Worth) -> &'static str {
    match worth {
        Worth::Gains => "gains",
        Worth::Nothing => "nothing",
        Worth::Harms => "harms",
    }
}

/// Returns when the metric is reached today, and by what.
fn now(plan: &Plan, advice: &Advice) -> String {
    let page = &plan.pages[0];
    let metric = plan.metric.metric();
    let times = plan.networks.iter().enumerate().map(|(network, named)| {
        let values = advice.results.variant(0, network, 0).values(plan.metric);
        let value = median(&values.into_iter().flatten().collect::<Vec<_>>());
        let value = value.map_or("–".to_owned(), |ms| metric.unit.format(ms));
        format!("{value} on {}", named.name)
    });
    let times = times.collect::<Vec<_>>().join(", ");
    let largest = page.layout().and_then(|layout| layout.largest?.image);
    match metric.wording {
        Wording::Moment(_) if metric.name == "lcp" && largest.is_some() => {
            let url = largest.map_or("", |id| page.resource(id).url.as_str());
            format!(
                "The largest element is {}. It is shown after {times}.",
                paste::name(url)
            )
        }
        Wording::Moment(does) => format!("{} {does} after {times}.", page.name),
        Wording::Amount(what) => format!("{what} of {} is {times}.", page.name),
    }
}

fn nothing(advice: &Advice) -> String {
    let tried = advice.judged.len() + advice.idle.len();
    if tried == 0 {
        return "No change is known that could help: nothing that the metric waits for can be had \
                sooner by markup or servers."
            .to_owned();
    }
    let tried = counted(tried as u64, "change");
    format!("Expect nothing: none of {tried} gains in nine of ten worlds.")
}

fn together(plan: &Plan, advice: &Advice) -> String {
    let unit = plan.metric.metric().unit;
    let after = plan
        .networks
        .iter()
        .zip(&advice.sum)
        .filter_map(|(network, sum)| {
            let sum = (*sum)?;
            Some(format!(
                "{} on {} ({} to {})",
                unit.format(sum.after),
                network.name,
                unit.format(sum.after_range.0),
                unit.format(sum.after_range.1)
            ))
        });
    let after = after.collect::<Vec<_>>().join(", ");
    let count = match advice.together.len() {
        1 => "One change brings",
        2 => "Two changes bring",
        _ => "Three changes bring",
    };
    format!("{count} it to {after}.")
}

/// Returns the differences on the networks.
fn spans(plan: &Plan, effects: &[Option<Effect>]) -> String {
    let unit = plan.metric.metric().unit;
    let all = plan
        .networks
        .iter()
        .zip(effects)
        .filter_map(|(network, effect)| {
            let effect = (*effect)?;
            let scale = unit.scale(effect.difference.abs());
            Some(format!(
                "{} on {}",
                scale.format_signed(effect.difference),
                network.name
            ))
        });
    all.collect::<Vec<_>>().join(", ")
}

fn changes(plan: &Plan, advice: &Advice) -> comfy_table::Table {
    let mut header = vec!["change".to_owned(), "effect".to_owned()];
    header.extend(plan.networks.iter().map(|network| network.name.clone()));
    let unit = plan.metric.metric().unit;
    let mut table = table::table(&header, 2);
    for one in &advice.judged {
        let effect = match one.worth() {
            Worth::Gains if one.idea.is_repair => "gains",
            Worth::Gains => "what it costs",
            Worth::Nothing => "–",
            Worth::Harms => "harms",
        };
        let mut row = vec![Cell::new(one.idea.brief()), Cell::new(effect)];
        row.extend(one.effects.iter().map(|effect| {
            Cell::new(effect.map_or("–".to_owned(), |effect| {
                let (low, high) = effect.range;
                let scale = unit.scale(effect.difference.abs().max(low.abs()).max(high.abs()));
                format!(
                    "{} ({})",
                    scale.format_signed(effect.difference),
                    scale.format_range(low, high)
                )
            }))
        }));
        table.add_row(row);
    }
    table
}

/// Prints which other times come later with a change that gains.
fn costs(out: &mut impl Write, plan: &Plan, one: &Tried) -> io::Result<()> {
    if one.worth() != Worth::Gains || one.costs.is_empty() {
        return Ok(());
    }
    let all = one.costs.iter().map(|(metric, network, effect)| {
        let metric = metric.metric();
        format!(
            "{} by {} on {}",
            metric.title,
            metric.unit.format(effect.difference),
            plan.networks[*network].name
        )
    });
    let all = all.collect::<Vec<_>>().join(", ");
    say(
        out,
        &format!("But with {}, later: {all}.", one.idea.brief()),
    )
}

/// Returns the first awaited resource of which only times tell what requests it.
fn guessed(page: &Page, advice: &Advice) -> Option<pagerace_page::ResourceId> {
    let mut all = advice.awaited.iter();
    all.find_map(|id| page.guessed_cause(*id))
}
