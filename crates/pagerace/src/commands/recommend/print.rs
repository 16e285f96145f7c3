//! The recommendation for people.

use std::io::{self, Write};

use comfy_table::Cell;
use pagerace_lab::metric::Wording;
use pagerace_lab::model_error::{Kind as Difference, ModelErrors, Question};
use pagerace_lab::unit::{percent, signed_percent};
use pagerace_page::PaintEvidence;
use pagerace_study::Key;
use pagerace_study::recommend::interval::Mean;
use pagerace_study::recommend::{Evaluation, Kind, Policy, Population, Rule};

use super::mix;
use crate::commands::study::counted;
use crate::table as terminal;
use crate::text::{say, stress};

/// The share of users who get worse from which the first line says so.
const MANY_WORSE: f64 = 0.1;
/// Number of the worst hit pages and networks that are shown of a policy.
const WORST_SHOWN: usize = 3;

/// A recommendation with its circumstances.
pub(super) struct Report<'a> {
    pub(super) population: &'a Population,
    pub(super) evaluation: &'a Evaluation,
    /// The origin of the weights.
    pub(super) mix: &'a str,
    pub(super) circumstances: &'a str,
    /// True if the user did not say what is in use today.
    pub(super) assumed: bool,
}

/// The name of a kind of policy.
pub(super) const fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Today => "today",
        Kind::Http2 => "always HTTP/2",
        Kind::Http3 => "always HTTP/3",
        Kind::Fixed => "best fixed choice",
        Kind::Rule => "rule",
        Kind::Oracle => "oracle",
    }
}

/// Formats a change or a regret, which is infinite if a load fails.
fn change(share: f64) -> String {
    if share.is_infinite() {
        "∞".to_owned()
    } else {
        signed_percent(share)
    }
}

impl Report<'_> {
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let taken = self.evaluation.policy(self.evaluation.take);
        print_careful(out, taken)?;
        stress(out, &self.answer(taken))?;
        say(out, &self.reason())?;
        if let Some(error) = self.model_error(taken.kind) {
            say(out, &error)?;
        }
        for line in self.circumstances.lines() {
            say(out, line)?;
        }
        writeln!(out)?;
        self.print_population(out)?;
        writeln!(out)?;
        self.print_regret(out)?;
        self.print_worst(out)?;
        writeln!(out)?;
        self.print_rule(out)
    }

    fn name(&self, choice: usize) -> &str {
        &self.population.choices[choice].contender
    }

    /// Returns the policy to take, and what it gains.
    fn answer(&self, taken: &Policy) -> String {
        let why = if self.assumed {
            "taken as today's choice because --today names none"
        } else {
            "which is today's choice"
        };
        let today = format!("{}, {why}", self.name(0));
        let what = match taken.kind {
            Kind::Fixed => format!(
                "Take {} for all pages and networks",
                self.name(self.evaluation.fixed)
            ),
            Kind::Rule => "Follow the rule below".to_owned(),
            _ => {
                return format!(
                    "Keep {today}: neither another fixed choice nor a rule is surely better on \
                     these pages and networks."
                );
            }
        };
        let worse = match taken.users_worse {
            none if none <= 0.0 => "No user gets".to_owned(),
            share => format!("{} of users get", percent(share)),
        };
        let (median, interval) = taken.change();
        let interval = interval.map_or_else(
            || "too few pages for an interval".to_owned(),
            |(low, high)| {
                format!(
                    "95 % interval of the change {} to {}",
                    change(low),
                    change(high)
                )
            },
        );
        let mean = difference(match taken.kind {
            Kind::Rule => self.evaluation.rule_against_today,
            _ => self.evaluation.fixed_against_today,
        });
        let size = percent(median.abs());
        let gain = match (self.population.metric.metric().wording, median > 0.0) {
            (Wording::Moment(does), false) => format!("{does} {size} sooner"),
            (Wording::Moment(does), true) => format!("{does} {size} later"),
            (Wording::Amount(what), false) => format!("has {size} less {what}"),
            (Wording::Amount(what), true) => format!("has {size} more {what}"),
        };
        format!(
            "{what}. The median page {gain} than with {today} \
             ({interval}). The geometric mean over pages, which decides, changes by {mean}. {worse} worse by \
             more than 5 %."
        )
    }

    /// Returns how far the model is off on one page, if something is to change.
    fn model_error(&self, taken: Kind) -> Option<String> {
        let choices = match taken {
            Kind::Fixed => self.evaluation.fixed..=self.evaluation.fixed,
            Kind::Rule => 0..=self.population.choices.len() - 1,
            _ => return None,
        };
        let today = &self.population.choices[0];
        let differ = |get: fn(&Key) -> &String| {
            let mut others = self.population.choices[choices.clone()].iter();
            others.any(|choice| get(choice) != get(today))
        };
        let kinds = [
            (differ(|key| &key.protocol), Difference::Protocol),
            (differ(|key| &key.strategy), Difference::Strategy),
            (differ(|key| &key.controller), Difference::Controller),
        ];
        let kinds = kinds.into_iter().filter(|(differs, _)| *differs);
        let policies = differ(|key| &key.reliability).then_some("reliability policies");
        let mut question = Question {
            kinds: kinds.map(|(_, kind)| kind).collect(),
            unmeasured: policies.into_iter().collect(),
            metric: self.population.metric,
            lossy: false,
            evidence: PaintEvidence::Recorded,
        };
        let all = ModelErrors::embedded();
        let recorded = all.of(&question)?;
        question.evidence = PaintEvidence::Guessed;
        let guessed = all.of(&question)?;
        Some(format!(
            "On one page without random loss, the model's error of a difference is {}, and {}.",
            recorded.text(),
            guessed.text()
        ))
    }

    /// Returns why no other policy is taken.
    fn reason(&self) -> String {
        let evaluation = self.evaluation;
        let metric = self.population.metric.metric().name;
        let name = self.name(evaluation.fixed);
        let fixed = match evaluation.take {
            Kind::Today if evaluation.fixed == 0 => "It is the best fixed choice. ".to_owned(),
            Kind::Today => format!(
                "The best fixed choice, {name}, changes the mean {metric} by {}. ",
                difference(evaluation.fixed_against_today)
            ),
            _ => String::new(),
        };
        let against = difference(evaluation.rule_against_fixed);
        match (&evaluation.rule, evaluation.take) {
            (Rule::Choose(_), _) => format!("{fixed}No rule by page and network is any better."),
            (_, Kind::Rule) => format!(
                "Against the best fixed choice, {name}, the rule changes the mean {metric} by \
                 {against}."
            ),
            _ => format!(
                "{fixed}A rule by page and network changes the mean {metric} by {against} against \
                 the best fixed choice, so that it is not worth its questions."
            ),
        }
    }

    fn print_population(&self, out: &mut impl Write) -> io::Result<()> {
        let Evaluation {
            folds, agreeing, ..
        } = self.evaluation;
        let Population {
            pages, networks, ..
        } = self.population;
        let others = if *folds == self.population.names().len() {
            "from the other pages".to_owned()
        } else {
            format!("from the pages of the other {} of {folds} parts", folds - 1)
        };
        say(
            out,
            &format!(
                "{} count equally; {}: {}.",
                counted(pages.len() as u64, "page"),
                self.mix,
                mix::listed(networks)
            ),
        )?;
        say(
            out,
            &format!(
                "For each page, the fixed choice and the rule were learnt {others}; in {agreeing} \
                 of {folds} cases the fixed choice was that of all pages. The networks were the \
                 same: no other ones test the rule."
            ),
        )
    }

    fn print_regret(&self, out: &mut impl Write) -> io::Result<()> {
        let metric = self.population.metric.metric();
        writeln!(
            out,
            "Regret over users: by how much {} exceeds that of the best choice",
            metric.name
        )?;
        let header = [
            "policy",
            "mean",
            "",
            "median",
            "p90",
            "worst",
            "vs. today",
            "pages worse",
            "users worse",
        ];
        let mut table = terminal::table(&header, 1);
        for policy in self.shown() {
            let regret = policy.regret;
            let cells = [
                title(policy.kind).to_owned(),
                change(regret.mean),
                metric.unit.format(policy.excess),
                change(regret.median),
                change(regret.p90),
                change(regret.worst),
                change(policy.change().0),
                percent(policy.pages_worse),
                percent(policy.users_worse),
            ];
            terminal::add(&mut table, 1, cells.map(Cell::new).into());
        }
        terminal::print(out, &table)?;
        for policy in self.shown() {
            let title = title(policy.kind);
            match self.evaluation.always(policy) {
                Some(choice) => writeln!(out, " {title}: {}", self.name(choice))?,
                None if policy.kind == Kind::Rule => writeln!(out, " {title}: see below")?,
                None => writeln!(out, " {title}: the best for each page and network")?,
            }
        }
        say(
            out,
            " vs. today: the change on the median page. Worse: than today by more than 5 %; a page, \
             on average over its users.",
        )
    }

    /// Returns the policies without those that are today's.
    fn shown(&self) -> impl Iterator<Item = &Policy> {
        let all = self.evaluation.policies.iter();
        let again = |kind| matches!(kind, Kind::Http2 | Kind::Http3);
        all.filter(move |policy| !(again(policy.kind) && self.evaluation.always(policy) == Some(0)))
    }

    fn print_worst(&self, out: &mut impl Write) -> io::Result<()> {
        let policies = &self.evaluation.policies;
        if policies.iter().all(|policy| policy.worst.is_empty()) {
            return writeln!(
                out,
                "\nNo policy is worse than today by more than 5 % anywhere."
            );
        }
        writeln!(out, "\nWorst hit, against today")?;
        let header = ["policy", "page", "network", "choice", "change"];
        let mut table = terminal::table(&header, 4);
        for policy in self.shown() {
            for (place, share) in policy.worst.iter().take(WORST_SHOWN) {
                let situation = &self.population.situations[*place];
                let cells = [
                    title(policy.kind),
                    &self.population.pages[situation.page].1,
                    &self.population.networks[situation.network].0,
                    self.name(policy.choices[*place]),
                    &change(*share),
                ];
                terminal::add(&mut table, 4, cells.map(Cell::new).into());
            }
        }
        terminal::print(out, &table)
    }

    fn print_rule(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "Rule, learnt from all pages")?;
        let all: Vec<usize> = (0..self.population.situations.len()).collect();
        self.print_part(out, &self.evaluation.rule, "", 1, &all)
    }

    /// Prints a part of the rule, which decides on these situations.
    fn print_part(
        &self,
        out: &mut impl Write,
        rule: &Rule,
        head: &str,
        depth: usize,
        on: &[usize],
    ) -> io::Result<()> {
        let indent = "  ".repeat(depth);
        let situations = &self.population.situations;
        let (feature, above, yes, no) = match rule {
            Rule::Choose(choice) => {
                let share: f64 = on.iter().map(|place| situations[*place].weight).sum();
                let name = self.name(*choice);
                return writeln!(out, "{indent}{head}{name} ({} of users)", percent(share));
            }
            Rule::Split {
                feature,
                above,
                yes,
                no,
            } => (*feature, *above, yes, no),
        };
        let inner = if head.is_empty() {
            depth
        } else {
            writeln!(out, "{indent}{}", head.trim_end())?;
            depth + 1
        };
        let (above_it, others): (Vec<usize>, Vec<usize>) = on
            .iter()
            .partition(|place| situations[**place].features[feature] > above);
        let known = self.population.features[feature];
        let question = format!("if {} > {}: ", known.title(), known.format(above));
        self.print_part(out, yes, &question, inner, &above_it)?;
        self.print_part(out, no, "else: ", inner, &others)
    }
}

/// Says first what speaks against the recommendation.
fn print_careful(out: &mut impl Write, taken: &Policy) -> io::Result<()> {
    if taken.users_worse >= MANY_WORSE {
        let text = format!(
            "Careful: with this recommendation {} of users get worse than today by more than \
             5 %.",
            percent(taken.users_worse)
        );
        stress(out, &text)?;
    }
    if taken.breaks > 0.0 {
        let text = format!(
            "Careful: for {} of users this recommendation breaks more objects than today's \
             choice. There it counts as no gain.",
            percent(taken.breaks)
        );
        stress(out, &text)?;
    }
    Ok(())
}

/// Formats the mean of a logarithm with its interval as a change.
fn difference(mean: Mean) -> String {
    let share = |log: f64| change(log.exp() - 1.0);
    match mean.interval {
        None => format!("{} (too few pages for an interval)", share(mean.mean)),
        Some((low, high)) => format!(
            "{} (95 % interval {} to {})",
            share(mean.mean),
            share(low),
            share(high)
        ),
    }
}
