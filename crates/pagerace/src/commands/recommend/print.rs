//! The recommendation for people.

use std::io::{self, Write};
use std::path::Path;

use pagerace_core::Words as _;
use pagerace_har::page_name;
use pagerace_lab::VERSION;
use pagerace_lab::metric::Wording;
use pagerace_lab::model_error::{DifferenceKind, ModelErrors, Question};
use pagerace_lab::unit::{percent, signed_percent};
use pagerace_page::PaintEvidence;
use pagerace_report::sections::{
    Figure, Section, SectionReport, Series, SeriesKind, Table, columns,
};
use pagerace_study::recommend::interval::Mean;
use pagerace_study::recommend::{
    Changes, Evaluation, Policy, PolicyKind, Population, Rule, Unseen,
};

use super::mix;
use crate::cli::inputs::add_folders;
use crate::cli::sections;
use crate::text::{counted, say, stress};

/// The share of pairs of page and network that get worse from which the first line says so.
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
    /// The heading of reports.
    pub(super) title: &'a str,
    /// True if the user did not name the contender in use today.
    pub(super) assumed: bool,
}

/// The name of a kind of policy.
pub(super) const fn title(kind: PolicyKind) -> &'static str {
    match kind {
        PolicyKind::Today => "today",
        PolicyKind::Http2 => "always HTTP/2",
        PolicyKind::Http3 => "always HTTP/3",
        PolicyKind::Fixed => "best fixed choice",
        PolicyKind::Rule => "rule",
        PolicyKind::Oracle => "oracle",
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
    /// Returns the recommendation as sections.
    pub(super) fn sections(&self) -> SectionReport {
        let taken = self.evaluation.policy(self.evaluation.take);
        let answer = Section::new("Recommendation")
            .say_all(self.careful(taken))
            .say(self.answer(taken))
            .say(self.reason())
            .say_all(self.model_error(taken.kind));
        let facts = self.circumstances.lines();
        SectionReport {
            title: self.title.to_owned(),
            version: VERSION.to_owned(),
            facts: facts
                .map(|fact| fact.trim_end_matches('.').to_owned())
                .collect(),
            sections: [
                Some(answer),
                Some(self.users()),
                Some(self.regret()),
                self.evaluation.unseen.as_ref().map(|one| self.unseen(one)),
                Some(self.worst()),
                Some(self.rule()),
            ]
            .into_iter()
            .flatten()
            .collect(),
        }
    }

    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let taken = self.evaluation.policy(self.evaluation.take);
        for text in self.careful(taken) {
            stress(out, &text)?;
        }
        stress(out, &self.answer(taken))?;
        say(out, &self.reason())?;
        if let Some(error) = self.model_error(taken.kind) {
            say(out, &error)?;
        }
        for line in self.circumstances.lines() {
            say(out, line)?;
        }
        sections::print(out, &self.sections().sections[1..])
    }

    fn name(&self, choice: usize) -> &str {
        &self.population.choices[choice].contender
    }

    /// Returns the policy to take, and its gain.
    fn answer(&self, taken: &Policy) -> String {
        let why = if self.assumed {
            "taken as today's choice because --today names none"
        } else {
            "which is today's choice"
        };
        let today = format!("{}, {why}", self.name(0));
        let what = match taken.kind {
            PolicyKind::Fixed => format!(
                "Take {} for all pages and networks",
                self.name(self.evaluation.fixed)
            ),
            PolicyKind::Rule => "Follow the rule below".to_owned(),
            _ => {
                return format!(
                    "Keep {today}: neither another fixed choice nor a rule is surely better on \
                     these pages and networks."
                );
            }
        };
        let worse = match taken.pairs_worse {
            none if none <= 0.0 => "No page gets worse by more than 5 % on any network".to_owned(),
            share => format!(
                "{} of pairs of page and network get worse by more than 5 %",
                percent(share)
            ),
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
            PolicyKind::Rule => self.evaluation.rule_against_today,
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
             ({interval}). The geometric mean over pages, which decides, changes by {mean}. {worse}."
        )
    }

    /// Returns how far the model is off on one page, if something is to change.
    fn model_error(&self, taken: PolicyKind) -> Option<String> {
        let choices = match taken {
            PolicyKind::Fixed => self.evaluation.fixed..=self.evaluation.fixed,
            PolicyKind::Rule => 0..=self.population.choices.len() - 1,
            _ => return None,
        };
        let today = &self.population.choices[0];
        let differ = |name: &str| {
            let mut others = self.population.choices[choices.clone()].iter();
            others.any(|choice| choice.property(name) != today.property(name))
        };
        let kinds = [
            (differ("protocol"), DifferenceKind::Protocol),
            (differ("strategy"), DifferenceKind::Strategy),
            (differ("congestion"), DifferenceKind::Controller),
        ];
        let kinds = kinds.into_iter().filter(|(differs, _)| *differs);
        let policies = differ("reliability").then_some("reliability policies");
        let mut question = Question {
            kinds: kinds.map(|(_, kind)| kind).collect(),
            unmeasured: policies.into_iter().collect(),
            metric: self.population.metric,
            lossy: false,
            evidence: PaintEvidence::Recorded,
            inferred: None,
        };
        let all = ModelErrors::embedded();
        let recorded = all.of(&question);
        question.evidence = PaintEvidence::Guessed;
        let guessed = all.of(&question);
        Some(format!(
            "How sure a race of one page is, without random loss: {}; {}.",
            recorded.in_words(),
            guessed.in_words()
        ))
    }

    /// Returns why no other policy is taken.
    fn reason(&self) -> String {
        let evaluation = self.evaluation;
        let metric = self.population.metric.metric().name;
        let name = self.name(evaluation.fixed);
        let fixed = match evaluation.take {
            PolicyKind::Today if evaluation.fixed == 0 => {
                "It is the best fixed choice. ".to_owned()
            }
            PolicyKind::Today => format!(
                "The best fixed choice, {name}, changes the mean {metric} by {}. ",
                difference(evaluation.fixed_against_today)
            ),
            _ => String::new(),
        };
        let against = difference(evaluation.rule_against_fixed);
        match (&evaluation.rule, evaluation.take) {
            (Rule::Choose(_), _) => format!("{fixed}No rule by page and network is any better."),
            (_, PolicyKind::Rule) => format!(
                "Against the best fixed choice, {name}, the rule changes the mean {metric} by \
                 {against}."
            ),
            _ => format!(
                "{fixed}A rule by page and network changes the mean {metric} by {against} against \
                 the best fixed choice, so that it is not worth its questions."
            ),
        }
    }

    /// Returns sentences on the pages, the networks and the folds.
    fn users(&self) -> Section {
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
        Section::new("Pages and networks")
            .say(format!(
                "{} count equally; {}: {}.",
                counted(pages.len() as u64, "page"),
                self.mix,
                mix::listed(networks)
            ))
            .say(format!(
                "For each page, the fixed choice and the rule were learnt {others}; in {agreeing} \
                 of {folds} cases the fixed choice was that of all pages. The networks were the \
                 same{}.",
                match self.evaluation.unseen {
                    Some(_) => "; a table below leaves them out one by one",
                    None => ": no other ones test the rule",
                }
            ))
    }

    fn regret(&self) -> Section {
        let metric = self.population.metric.metric();
        let row = |policy: &Policy| {
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
                percent(policy.pairs_worse),
            ];
            cells.into()
        };
        let choice = |policy: &Policy| match self.evaluation.always(policy) {
            Some(choice) => self.name(choice),
            None if policy.kind == PolicyKind::Rule => "see below",
            None => "the best for each page and network",
        };
        let choices = self
            .shown()
            .map(|policy| format!(" {}: {}", title(policy.kind), choice(policy)));
        let header = columns(
            "policy | mean | excess | median | p90 | worst | against today | pages worse | \
             pairs worse",
        );
        let section = Section::new("Regret over pairs of page and network")
            .say(format!(
                "Mean to worst: by how much {} exceeds that of the best choice.",
                metric.title
            ))
            .say(
                "Against today: the change on the median page. Worse: than today by more than 5 %; \
                 a page, on average over the networks.",
            )
            .table(Table::new(header, 1, self.shown().map(row)))
            .figure(self.figure());
        Section {
            lines: choices.collect(),
            ..section
        }
    }

    /// Returns the distribution of the changes against today, by policy.
    fn figure(&self) -> Figure {
        let situations = &self.population.situations;
        let of = |policy: &Policy| {
            let mut changes: Vec<(f64, f64)> = situations
                .iter()
                .zip(&policy.choices)
                .map(|(one, choice)| {
                    let change = one.values[*choice] / one.values[0] - 1.0;
                    (100.0 * change, 100.0 * one.weight)
                })
                .filter(|(change, _)| change.is_finite())
                .collect();
            changes.sort_by(|a, b| a.0.total_cmp(&b.0));
            // The line of steps has the value of a point up to it.
            let mut pairs = 0.0;
            let mut points = Vec::new();
            for (change, weight) in changes {
                points.push((change, pairs));
                pairs += weight;
            }
            points.extend(points.last().map(|(change, _)| (*change, pairs)));
            Series::new(title(policy.kind), SeriesKind::Steps, points)
        };
        let others = self
            .shown()
            .filter(|policy| policy.kind != PolicyKind::Today);
        Figure {
            label: "Share of pairs of page and network whose change against today is at most that \
                    of the axis"
                .to_owned(),
            x: format!("% change of {}", self.population.metric.metric().title),
            y: "% of pairs".to_owned(),
            categories: Vec::new(),
            y_max: Some(100.0),
            series: others.map(of).collect(),
        }
    }

    /// Returns the policies without those that are today's.
    fn shown(&self) -> impl Iterator<Item = &Policy> {
        let all = self.evaluation.policies.iter();
        let again = |kind| matches!(kind, PolicyKind::Http2 | PolicyKind::Http3);
        all.filter(move |policy| !(again(policy.kind) && self.evaluation.always(policy) == Some(0)))
    }

    /// Returns the gain on networks from which nothing was learnt.
    fn unseen(&self, unseen: &Unseen) -> Section {
        let logarithm = |log: f64| change(log.exp() - 1.0);
        let networks = self.population.networks.iter().zip(&unseen.networks);
        let row = |((network, _), changes): (&(String, f64), &Changes)| {
            let changes = [changes.fixed, changes.rule, changes.seen, changes.oracle];
            let cells = changes.into_iter().map(logarithm);
            std::iter::once(network.clone()).chain(cells).collect()
        };
        let metric = self.population.metric.metric().name;
        let header = columns("network | best fixed choice | rule | rule, network known | oracle");
        Section::new("One network left out, against today")
            .say(format!(
                "The change of the mean {metric} by what was learnt from the other networks \
                     and other pages. A rule whose network is known was learnt from other pages \
                     alone."
            ))
            .say(format!(
                "Over all networks, the rule changes the mean by {} against the best fixed \
                     choice, and by {} against today.",
                difference(unseen.rule_against_fixed),
                difference(unseen.rule_against_today)
            ))
            .table(Table::new(header, 1, networks.map(row)))
    }

    /// Returns the objections to the recommendation.
    fn careful(&self, taken: &Policy) -> Vec<String> {
        let mut all = careful(taken);
        let unseen = self.evaluation.unseen.as_ref();
        let unseen = unseen
            .filter(|one| taken.kind == PolicyKind::Rule && one.rule_against_fixed.mean >= 0.0);
        if unseen.is_some() {
            all.push(
                "Careful: on networks from which it was not learnt, the rule is no better than the \
                 best fixed choice. Race networks like those of your users."
                    .to_owned(),
            );
        }
        all
    }

    fn worst(&self) -> Section {
        let files = self.population.pages.iter().map(|(_, file)| file);
        let mut names: Vec<String> = files
            .clone()
            .map(|file| page_name(file).to_owned())
            .collect();
        let mut named: Vec<_> = files.map(Path::new).zip(&mut names).collect();
        add_folders(&mut named);
        let row = |policy: &Policy, place: usize, share: f64| {
            let situation = &self.population.situations[place];
            let cells = [
                title(policy.kind),
                &names[situation.page],
                &self.population.networks[situation.network].0,
                self.name(policy.choices[place]),
                &change(share),
            ];
            cells.map(str::to_owned).into()
        };
        let rows = self.shown().flat_map(|policy| {
            let worst = policy.worst.iter().take(WORST_SHOWN);
            worst.map(move |(place, share)| row(policy, *place, *share))
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let section = Section::new("Worst hit, against today");
        if rows.is_empty() {
            return section.say("No policy is worse than today by more than 5 % anywhere.");
        }
        let more = self
            .shown()
            .filter(|policy| policy.worst.len() > WORST_SHOWN);
        let more: Vec<String> = more
            .map(|policy| format!("{} {}", title(policy.kind), policy.worst.len()))
            .collect();
        let section = match &more[..] {
            [] => section,
            more => section.say(format!(
                "The {WORST_SHOWN} worst pairs of each policy. Those that get worse by more than \
                 5 % are, in all: {}; --losers FILE names them.",
                more.join(", ")
            )),
        };
        let header = columns("policy | page | network | choice | change");
        section.table(Table::new(header, 4, rows))
    }

    fn rule(&self) -> Section {
        let all: Vec<usize> = (0..self.population.situations.len()).collect();
        let mut lines = Vec::new();
        self.part(&mut lines, &self.evaluation.rule, "", 1, &all);
        Section {
            lines,
            ..Section::new("Rule, learnt from all pages")
        }
    }

    /// Adds the lines of a part of the rule, which decides on these situations.
    fn part(&self, lines: &mut Vec<String>, rule: &Rule, head: &str, depth: usize, on: &[usize]) {
        let indent = "  ".repeat(depth);
        let situations = &self.population.situations;
        let (feature, above, yes, no) = match rule {
            Rule::Choose(choice) => {
                let share: f64 = on.iter().map(|place| situations[*place].weight).sum();
                let name = self.name(*choice);
                lines.push(format!(
                    "{indent}{head}{name} ({} of pairs)",
                    percent(share)
                ));
                return;
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
            lines.push(format!("{indent}{}", head.trim_end()));
            depth + 1
        };
        let (above_it, others): (Vec<usize>, Vec<usize>) = on
            .iter()
            .partition(|place| situations[**place].features[feature] > above);
        let known = self.population.features[feature];
        let question = format!("if {} > {}: ", known.phrase(), known.format(above));
        self.part(lines, yes, &question, inner, &above_it);
        self.part(lines, no, "else: ", inner, &others);
    }
}

/// Returns the objections to a policy on the networks of the study.
fn careful(taken: &Policy) -> Vec<String> {
    let mut all = Vec::new();
    if taken.pairs_worse >= MANY_WORSE {
        all.push(format!(
            "Careful: with this recommendation {} of pairs of page and network get worse than \
             today by more than 5 %.",
            percent(taken.pairs_worse)
        ));
    }
    if taken.breaks > 0.0 {
        all.push(format!(
            "Careful: on {} of pairs of page and network this recommendation breaks more objects than today's \
             choice. There it counts as no gain.",
            percent(taken.breaks)
        ));
    }
    all
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
