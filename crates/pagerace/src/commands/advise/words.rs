//! The advice in sentences and cells, for the terminal and for Markdown.

use pagerace_lab::Plan;
use pagerace_lab::advice::{
    Advice, Effect, Effects, Idea, OnUsers, Question, Tried, Worth, combined, measured_over, record,
};
use pagerace_lab::metric::Wording;
use pagerace_lab::unit::{Unit, percent};
use pagerace_page::{Changes, Page, PaintEvidence, ResourceId};

use super::paste;
use crate::text::counted;

/// Changes that do nothing and are named.
const IDLE_MAX: usize = 12;

/// The question, and what was found.
#[derive(Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) question: Question<'a>,
    pub(super) advice: &'a Advice,
}

impl<'a> Answer<'a> {
    pub(super) fn plan(self) -> &'a Plan {
        self.question.plan
    }

    pub(super) fn page(self) -> &'a Page {
        &self.question.plan.pages[0]
    }

    /// Returns all changes that are advised together.
    pub(super) fn changes(self) -> Changes {
        combined(self.advice.together.iter().map(|one| &one.idea))
    }

    fn has_users(self) -> bool {
        !self.question.shares.is_empty()
    }

    /// Returns the resource on the way of which only times tell what requests it.
    fn guessed(self) -> Option<ResourceId> {
        let mut all = self.advice.awaited.iter();
        all.find_map(|id| self.page().guessed_cause(*id))
    }

    /// Returns the URL of that resource.
    pub(super) fn guessed_url(self) -> Option<&'a str> {
        let id = self.guessed()?;
        Some(&self.page().resource(id).url)
    }

    /// Returns true if no gain is claimed, because the recording does not tell enough.
    fn is_doubtful(self) -> bool {
        self.guessed().is_some() || !self.plan().doubts().is_empty()
    }

    /// Returns how often such gains came true; `None` if none is claimed.
    pub(super) fn record(self) -> Option<String> {
        if self.is_doubtful() {
            return None;
        }
        let best = self.advice.judged.iter().find(|one| gains(one))?;
        let metric = self.plan().metric;
        let (kind, record) = record(metric, &best.idea.changes);
        let title = metric.metric().title;
        if record.claims == 0 {
            return Some(format!(
                "How sure: effects of changes on {title} were never measured in Chromium; try \
                 --verify."
            ));
        }
        let unlike = match best.idea.changes.all().first() {
            Some(change) if record.of_kind == 0 => format!(" None was about `{}`.", change.kind()),
            _ => String::new(),
        };
        let about = kind.map_or_else(|| "changes".to_owned(), |kind| format!("`{kind}`"));
        let elsewhere = match self.page().paint_evidence() {
            PaintEvidence::Recorded => "",
            _ => " Those pages had recorded layouts, which this one has not.",
        };
        Some(format!(
            "How sure: {} such claims about {about} and {title} were measured in Chromium ({} in all): {} \
             came true, {} showed no clear effect, and {} went the other way.{unlike} See \
             docs/accuracy-changes.md.{elsewhere}",
            record.claims,
            measured_over(),
            record.came_true,
            record.undecided,
            record.wrong,
        ))
    }

    /// Returns the answer in sentences, the most important first, and true for those to stress.
    pub(super) fn first(self) -> Vec<(bool, String)> {
        let mut all = vec![(true, self.now())];
        let guessed = self.guessed_url();
        if let Some(url) = guessed {
            all.push((
                false,
                format!("Nothing here is sure: only times tell what requests {url}."),
            ));
        }
        if self.advice.together.is_empty() {
            all.push((false, self.nothing()));
            return all;
        }
        if self.is_doubtful() {
            all.push((false, "No gain is claimed.".to_owned()));
            all.push((false, "In the model:".to_owned()));
        } else {
            all.push((true, self.together()));
        }
        all.extend(self.others().map(|text| (false, text)));
        all.extend(self.losers().map(|text| (false, text)));
        for (place, one) in self.advice.together.iter().enumerate() {
            let added = self.added(&one.effects[0]);
            let (what, why) = (one.idea.brief(), &one.idea.because);
            let costs = self.costs(one);
            let costs = costs.map_or(String::new(), |later| format!(" But later: {later}."));
            // A change may add more to others than it does alone.
            let further = if place > 0 { "a further " } else { "" };
            let text = format!("{}. {what}: {further}{added}; {why}.{costs}", place + 1);
            all.push((false, text));
        }
        all
    }

    /// Returns when the first goal is reached today, and by what.
    fn now(self) -> String {
        let page = self.page();
        let goal = self.question.goals[0];
        let metric = goal.metric();
        let effects = self.advice.alone(self.question);
        let time =
            |value: Option<f64>| value.map_or("–".to_owned(), |ms| moment(metric.unit, ms));
        let times = if let Some(users) = effects.users {
            format!(
                "{} for the slower quarter of your users",
                time(Some(users.quantile.before))
            )
        } else {
            let networks = self.plan().networks.iter().zip(&effects.networks);
            let all = networks.map(|(network, effect)| {
                format!("{} on {}", time(effect.map(|one| one.before)), network.name)
            });
            all.collect::<Vec<_>>().join(", ")
        };
        let largest = page.layout().and_then(|layout| layout.largest?.image);
        match (metric.wording, largest) {
            (Wording::Moment(_), Some(id)) if metric.name == "lcp" => {
                let name = paste::name(&page.resource(id).url);
                format!("Your largest element is {name}. It comes at {times}.")
            }
            (Wording::Moment(does), _) => format!("{} {does} at {times}.", page.name),
            (Wording::Amount(what), _) => format!("{what} of {} is {times}.", page.name),
        }
    }

    fn nothing(self) -> String {
        let advice = self.advice;
        let tried = advice.judged.len() + advice.idle.len();
        if tried == 0 {
            return "No change is known that could help: nothing that the metric waits for can be \
                    had sooner by markup or servers."
                .to_owned();
        }
        let tried = counted(tried as u64, "change");
        format!("Expect nothing: none of {tried} gains in nine of ten worlds.")
    }

    fn together(self) -> String {
        let count = match self.advice.together.len() {
            1 => "One change brings",
            2 => "Two changes bring",
            _ => "Three changes bring",
        };
        format!("{count} it to {}.", self.after(&self.advice.sum[0]))
    }

    /// Returns the times with all changes, with their ranges.
    fn after(self, effects: &Effects) -> String {
        let unit = effects.metric.metric().unit;
        let range = |one: &Effect| moments(unit, one.after_range.0, one.after_range.1);
        if let Some(users) = &effects.users {
            let one = &users.quantile;
            return format!("{} ({})", moment(unit, one.after), range(one));
        }
        let networks = self.plan().networks.iter().zip(&effects.networks);
        let all = networks.filter_map(|(network, effect)| {
            let one = effect.as_ref()?;
            let time = moment(unit, one.after);
            Some(format!("{time} on {} ({})", network.name, range(one)))
        });
        all.collect::<Vec<_>>().join(", ")
    }

    /// Returns a sentence on the goals after the first one.
    fn others(self) -> Option<String> {
        let others = &self.advice.sum[1..];
        let told = others.iter().map(|effects| {
            let title = effects.metric.metric().title;
            format!("{title}: {}", self.after(effects))
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| format!("{}.", told.join("; ")))
    }

    /// Returns a sentence on the users who gain, and those who lose.
    fn losers(self) -> Option<String> {
        let effects = &self.advice.sum[0];
        let OnUsers {
            gaining, losing, ..
        } = effects.users?;
        let gain = format!("{} of the users gain", percent(gaining));
        if losing <= 0.0 {
            return Some(format!("{gain}, and nobody loses."));
        }
        let networks = self.plan().networks.iter().zip(&effects.networks);
        let lost =
            networks.filter(|(_, effect)| effect.is_some_and(|one| one.worth() == Worth::Harms));
        let lost: Vec<&str> = lost.map(|(network, _)| network.name.as_str()).collect();
        Some(format!(
            "{gain}; {} lose: those with {}.",
            percent(losing),
            lost.join("; ")
        ))
    }

    /// Returns the differences that a change makes to a goal.
    fn added(self, effects: &Effects) -> String {
        let unit = effects.metric.metric().unit;
        let signed = |one: &Effect| {
            let scale = unit.scale(one.difference.abs());
            scale.format_signed(one.difference)
        };
        if let Some(users) = &effects.users {
            return signed(&users.quantile);
        }
        let networks = self.plan().networks.iter().zip(&effects.networks);
        let all = networks.filter_map(|(network, effect)| {
            Some(format!("{} on {}", signed(effect.as_ref()?), network.name))
        });
        all.collect::<Vec<_>>().join(", ")
    }

    /// Returns the header of the table of changes.
    pub(super) fn header(self) -> Vec<String> {
        let goals = self.question.goals;
        let mut header = vec!["change".to_owned(), "effect".to_owned()];
        for goal in goals {
            let title = |column: &str| match goals {
                [_] => column.to_owned(),
                _ => format!("{goal} {column}"),
            };
            if self.has_users() {
                header.extend(["slower quarter", "gain", "lose"].map(title));
            } else {
                header.extend(self.plan().networks.iter().map(|one| title(&one.name)));
            }
        }
        header
    }

    /// Returns the cells of a change.
    pub(super) fn row(self, one: &Tried) -> Vec<String> {
        let effect = match one.worth() {
            Worth::Gains if one.idea.is_repair => "gains",
            Worth::Gains => "what it costs",
            Worth::Nothing => "–",
            Worth::Harms => "harms",
        };
        let mut row = vec![one.idea.brief(), effect.to_owned()];
        for effects in &one.effects {
            let unit = effects.metric.metric().unit;
            if self.has_users() {
                let users = effects.users.as_ref();
                row.push(cell(unit, users.map(|one| &one.quantile)));
                let share = |of: fn(&OnUsers) -> f64| {
                    users.map_or("–".to_owned(), |users| percent(of(users)))
                };
                row.extend([share(|one| one.gaining), share(|one| one.losing)]);
            } else {
                row.extend(effects.networks.iter().map(|one| cell(unit, one.as_ref())));
            }
        }
        row
    }

    /// Returns the sentences on what changes that gain cost, each alone.
    pub(super) fn costs_alone(self) -> Vec<String> {
        // The first change of the combination stands alone already.
        let first = self.advice.together.first();
        let all = self.advice.judged.iter();
        let others = all.filter(|one| first.is_none_or(|first| first.idea != one.idea));
        let costly = others.filter_map(|one| Some((one.idea.brief(), self.costs(one)?)));
        let text = costly.map(|(what, later)| format!("Alone, {what} makes later: {later}."));
        text.collect()
    }

    /// Returns the other times that come later with a change that gains.
    fn costs(self, one: &Tried) -> Option<String> {
        if one.worth() != Worth::Gains || one.costs.is_empty() {
            return None;
        }
        let all = one.costs.iter().map(|(metric, network, effect)| {
            let metric = metric.metric();
            format!(
                "{} by {} on {}",
                metric.title,
                metric.unit.format(effect.difference),
                self.plan().networks[*network].name
            )
        });
        Some(all.collect::<Vec<_>>().join(", "))
    }

    /// Returns the sentence on changes that do nothing.
    pub(super) fn idle(self) -> Option<String> {
        let all = &self.advice.idle;
        let mut shown: Vec<String> = all.iter().take(IDLE_MAX).map(Idea::brief).collect();
        if let Some(more @ 1..) = all.len().checked_sub(IDLE_MAX) {
            shown.push(format!("{more} others"));
        }
        (!shown.is_empty()).then(|| format!("Expect nothing of: {}.", shown.join(", ")))
    }

    /// Returns the settings of the advice.
    pub(super) fn settings(self) -> String {
        let titles = self.question.goals.iter();
        let titles: Vec<&str> = titles.map(|goal| goal.metric().title).collect();
        format!(
            "{} of {}, seed {}, the central 80 % of paired loads in {} worlds",
            titles.join(" and "),
            self.page().name,
            self.plan().seed,
            self.advice.results.plan.runs
        )
    }

    /// Returns the networks with their descriptions, and the shares of the users.
    pub(super) fn networks(self) -> Vec<(String, String)> {
        let shares = self.question.shares;
        let networks = self.plan().networks.iter().enumerate();
        let named = networks.map(|(i, network)| match shares.get(i) {
            Some(share) => (
                network.name.clone(),
                format!("{} of the users; {}", percent(*share), network.describe()),
            ),
            None => (network.name.clone(), network.describe()),
        });
        named.collect()
    }
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

/// Formats a time for the first sentences: seconds from one on.
fn moment(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Milliseconds if value >= 999.5 => format!("{:.2} s", value / 1e3),
        _ => unit.format(value),
    }
}

/// Formats a range as [`moment`] does its ends.
fn moments(unit: Unit, low: f64, high: f64) -> String {
    match unit {
        Unit::Milliseconds if low >= 999.5 => format!("{:.2} to {:.2}", low / 1e3, high / 1e3),
        _ => format!("{} to {}", moment(unit, low), moment(unit, high)),
    }
}

fn cell(unit: Unit, effect: Option<&Effect>) -> String {
    effect.map_or("–".to_owned(), |effect| {
        let (low, high) = effect.range;
        let scale = unit.scale(effect.difference.abs().max(low.abs()).max(high.abs()));
        format!(
            "{} ({})",
            scale.format_signed(effect.difference),
            scale.format_range(low, high)
        )
    })
}
