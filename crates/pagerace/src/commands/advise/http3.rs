//! `pagerace advise --http3`: whether to turn on HTTP/3, as one answer.
//!
//! The page's own servers speak HTTP/2 today, and HTTP/3 as well tomorrow; those of others stay with
//! HTTP/2. Visitors differ in what they know of the site.

use std::io::{self, Write};

use anyhow::Result;
use comfy_table::Cell;
use pagerace_lab::advice::{Effect, Effects, Worth, compare};
use pagerace_lab::facts::facts;
use pagerace_lab::unit::percent;
use pagerace_lab::why::{explain_run, sentence, typical_run};
use pagerace_lab::{Contender, Plan, VERSION};
use pagerace_report::input::Provenance;
use pagerace_sim::{H3Discovery, Visit};
use serde_json::{Value, json};

use crate::cli::groups::WorkArgs;
use crate::cli::simulate::{explain, load};
use crate::table;
use crate::text::{headed, say, stress};

/// Networks near and far, fast and slow, with loss and without.
pub(super) const NETWORKS: [&str; 7] = [
    "rate 50mbit up 10mbit rtt 20ms",
    "cable",
    "fast-4g",
    "slow-4g",
    "rate 9mbit up 1.5mbit rtt 250ms",
    "fast-4g loss 1%",
    "fast-4g loss 3%",
];

/// The versions of HTTP today and tomorrow.
const CONTENDERS: [&str; 2] = ["h2", "first-party=h3 *=h2"];

/// Runs of each comparison.
const RUNS: u32 = 20;

/// A certificate chain whose signatures and keys are those of ML-DSA-44: five signatures of 2,420
/// bytes and two keys of 1,312 (FIPS 204, table 2) besides today's chain: of the leaf, the
/// intermediate, two timestamps of certificate transparency, and the handshake.
const POST_QUANTUM: u32 = 2_138 + 5 * 2_420 + 2 * 1_312;

/// The gains that others measured when they turned it on.
const PUBLISHED: &str = "Beside it: when Automattic turned HTTP/3 on, the largest element came 21 % sooner on \
     fast connections and 33 % on slow ones, the first byte 7 and 27 % \
     (https://wordpress.com/blog/2024/01/31/http3/). These compare visitors with HTTP/3, who are \
     mostly returning ones, with others.";

/// The cost that the model leaves out.
const LEFT_OUT: &str = "Left out: QUIC costs the receiver's processor more than TCP. Above some 300 Mbit/s, large \
     downloads over HTTP/3 were up to 45 % slower (arXiv 2310.09423); see HTTP/3 in \
     docs/limitations.md.";

/// A kind of visitor.
struct Visitor {
    /// The name, as the head of a column.
    name: &'static str,
    /// The visitors in a sentence.
    spoken: &'static str,
    visit: Visit,
    discovery: H3Discovery,
    certificates: Option<u32>,
}

const VISITORS: [Visitor; 4] = [
    Visitor {
        name: "first visit, Alt-Svc",
        spoken: "first visitors who learn of it from Alt-Svc",
        visit: Visit::Cold,
        discovery: H3Discovery::AltSvcFirstVisit,
        certificates: None,
    },
    Visitor {
        name: "first visit, HTTPS record",
        spoken: "first visitors who learn of it from an HTTPS record",
        visit: Visit::Cold,
        discovery: H3Discovery::HttpsRr,
        certificates: None,
    },
    Visitor {
        name: "returning",
        spoken: "returning visitors",
        visit: Visit::Resumed,
        discovery: H3Discovery::AltSvc,
        certificates: None,
    },
    Visitor {
        name: "HTTPS record, post-quantum chain",
        spoken: "first visitors who get a post-quantum certificate chain",
        visit: Visit::Cold,
        discovery: H3Discovery::HttpsRr,
        certificates: Some(POST_QUANTUM),
    },
];

/// The comparison for one kind of visitor.
struct Compared {
    visitor: &'static Visitor,
    effects: Effects,
    /// The reasons why the network with the greatest gain, and the one with the greatest loss, differ.
    why: Vec<String>,
}

impl Compared {
    /// Returns true if the effect on some network has this worth.
    fn has(&self, wanted: Worth) -> bool {
        let mut all = self.effects.networks.iter().flatten();
        all.any(|one| one.worth() == wanted)
    }
}

/// Prints the answer for the page of `plan`, whose contender has the settings of the command, and
/// returns it as JSON.
pub(super) fn run(plan: &Plan, shares: &[f64], work: &WorkArgs) -> Result<Value> {
    let watch = work.watch("loads");
    let jobs = work.jobs();
    let progress = |progress| watch.tell(progress);
    let mut all = Vec::new();
    for visitor in &VISITORS {
        let mut plan = plan.clone();
        plan.settings.h3_discovery = visitor.discovery;
        if let Some(bytes) = visitor.certificates {
            plan.settings.certificates = bytes;
        }
        let contenders = CONTENDERS.map(|one| of_visitor(&plan, one, visitor.visit));
        plan.contenders = contenders.into();
        plan.runs = RUNS;
        plan.check()?;
        watch.start(visitor.name, plan.loads());
        let (results, effects) = compare(&plan, shares, jobs, &load, &progress)?;
        let mut why = Vec::new();
        for (network, worth) in notable(&effects) {
            let [a, b] = [0, 1].map(|contender| results.variant(0, network, contender));
            let mut alone = plan.clone();
            alone.networks = vec![plan.networks[network].clone()];
            alone.processors = plan.processors.get(network).copied().into_iter().collect();
            let Some(run) = typical_run(a, b, plan.metric) else {
                continue;
            };
            if let Some(found) = explain_run(&alone, 1, run, jobs, &explain, &progress)? {
                let what = if worth == Worth::Gains {
                    "The gain"
                } else {
                    "The loss"
                };
                let name = &plan.networks[network].name;
                why.push(format!(
                    "{what} of {} on {name}: {}",
                    visitor.spoken,
                    sentence(&alone, &found)
                ));
            }
        }
        all.push(Compared {
            visitor,
            effects,
            why,
        });
    }
    watch.clear();
    print(&mut anstream::stdout().lock(), plan, shares, &all)?;
    Ok(as_json(plan, &all))
}

/// Returns a way to deliver the page to visitors, otherwise with the settings of the command.
fn of_visitor(plan: &Plan, protocols: &str, visit: Visit) -> Contender {
    Contender {
        protocols: protocols.parse().expect("it is well formed"),
        visit,
        ..plan.contenders[0].clone()
    }
}

/// Returns the networks with the greatest gain and the greatest loss, if they are any.
fn notable(effects: &Effects) -> Vec<(usize, Worth)> {
    let of = |wanted: Worth| {
        let all = effects.networks.iter().enumerate();
        let such = all.filter_map(|(network, effect)| {
            let effect = effect.filter(|one| one.worth() == wanted)?;
            Some((network, (effect.difference / effect.before).abs()))
        });
        let most = such.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        most.map(|(network, _)| (network, wanted))
    };
    [of(Worth::Gains), of(Worth::Harms)]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns the users, or the networks, on which the effect has this worth.
fn extent(effects: &Effects, shares: &[f64], wanted: Worth) -> String {
    let all = effects.networks.iter().enumerate();
    let such = all.filter(|(_, effect)| effect.is_some_and(|one| one.worth() == wanted));
    if shares.is_empty() {
        return format!("{} of {} networks", such.count(), effects.networks.len());
    }
    let share = such.fold(0.0, |sum, (network, _)| sum + shares[network]);
    format!("{} of users", percent(share))
}

fn print(out: &mut impl Write, plan: &Plan, shares: &[f64], all: &[Compared]) -> io::Result<()> {
    let title = plan.metric.metric().title;
    stress(out, &answer(plan, all))?;
    for one in all {
        let [gain, lose] =
            [Worth::Gains, Worth::Harms].map(|worth| extent(&one.effects, shares, worth));
        let text = format!(
            "{}: {title} {}; sooner on {gain}, later on {lose}.",
            one.visitor.name,
            percent_change(one.effects.mean())
        );
        say(out, &text)?;
    }
    writeln!(out)?;
    let mut header = vec!["network".to_owned()];
    header.extend(all.iter().map(|one| one.visitor.name.to_owned()));
    let mut table = table::table(&header, 1);
    let unit = plan.metric.metric().unit;
    let cell = |effect: Option<Effect>| {
        effect.map_or("–".to_owned(), |one| {
            let (low, high) = one.range;
            let scale = unit.scale(one.difference.abs().max(low.abs()).max(high.abs()));
            let mark = match one.worth() {
                Worth::Gains => "sooner",
                Worth::Nothing => "–",
                Worth::Harms => "later",
            };
            format!(
                "{mark} {} ({})",
                scale.format_signed(one.difference),
                scale.format_range(low, high)
            )
        })
    };
    for (network, named) in plan.networks.iter().enumerate() {
        let mut row = vec![Cell::new(&named.name)];
        row.extend(
            all.iter()
                .map(|one| Cell::new(cell(one.effects.networks[network]))),
        );
        table.add_row(row);
    }
    table::print(out, &table)?;
    writeln!(out)?;
    for text in all.iter().flat_map(|one| &one.why) {
        say(out, text)?;
    }
    say(out, PUBLISHED)?;
    say(out, LEFT_OUT)?;
    writeln!(out)?;
    let text = format!(
        "{title} of {}, seed {}, HTTP/3 on the site's own hosts against HTTP/2, the central 80 % of \
         paired loads in {RUNS} worlds",
        plan.pages[0].name, plan.seed
    );
    headed(out, &format!("Pagerace {VERSION}"), &text)?;
    let heading = Provenance::Simulated.heading();
    let mut compared = plan.clone();
    compared.contenders = CONTENDERS
        .map(|protocols| of_visitor(plan, protocols, Visit::Cold))
        .into();
    say(out, &format!("{heading}: {}", facts(&compared)))?;
    for (index, network) in plan.networks.iter().enumerate() {
        let share = shares
            .get(index)
            .map(|share| format!("{} of the users; ", percent(*share)));
        let text = share.unwrap_or_default() + &network.describe();
        headed(out, &network.name, &text)?;
    }
    Ok(())
}

fn percent_change(share: f64) -> String {
    if share.abs() < 0.005 {
        "unchanged".to_owned()
    } else if share < 0.0 {
        format!("{} sooner", percent(-share))
    } else {
        format!("{} later", percent(share))
    }
}

/// Returns the answer in one sentence. Visitors with post-quantum chains are not here yet, and do
/// not decide.
fn answer(plan: &Plan, all: &[Compared]) -> String {
    let now = all.iter().filter(|one| one.visitor.certificates.is_none());
    let of = |gain: bool, lose: bool| -> Vec<&str> {
        let such = now.clone().filter(|one| {
            let has = |worth| one.has(worth);
            (has(Worth::Gains), has(Worth::Harms)) == (gain, lose)
        });
        such.map(|one| one.visitor.spoken).collect()
    };
    let (gain, lose, both) = (of(true, false), of(false, true), of(true, true));
    let text = match (gain.is_empty(), lose.is_empty(), both.is_empty()) {
        (true, true, true) => format!(
            "HTTP/3 decides nothing for this page: no visitors have {} sooner or later by 3 % in \
             nine of ten worlds.",
            plan.metric.metric().title
        ),
        (false, true, true) => {
            format!(
                "Turn HTTP/3 on: {} gain, and nobody loses.",
                gain.join(", ")
            )
        }
        (true, false, true) => format!(
            "Leave HTTP/3 off for this page: nobody gains, and {} lose.",
            lose.join(", ")
        ),
        _ => {
            let parts = [
                (gain, "gain"),
                (lose, "lose"),
                (both, "gain on some networks and lose on others"),
            ];
            let parts = parts.into_iter().filter(|(who, _)| !who.is_empty());
            let parts = parts.map(|(who, what)| format!("{} {what}", who.join(", ")));
            format!(
                "HTTP/3 depends on your visitors: {}.",
                parts.collect::<Vec<_>>().join("; ")
            )
        }
    };
    if plan.doubts().is_empty() {
        text
    } else {
        format!("No gain is claimed. In the model: {text}")
    }
}

fn as_json(plan: &Plan, all: &[Compared]) -> Value {
    let visitors = all.iter().map(|one| {
        json!({
            "visitors": one.visitor.name,
            "visit": one.visitor.visit.to_string(),
            "h3_discovery": pagerace_core::Words::word(one.visitor.discovery),
            "certificates": one.visitor.certificates.unwrap_or(plan.settings.certificates),
            "effects": super::json::goal(&one.effects, &|index| plan.networks[index].name.as_str()),
            "why": one.why,
        })
    });
    json!({
        "format": "pagerace-http3-advice",
        "schema": 1,
        "version": VERSION,
        "page": plan.pages[0].name,
        "metric": plan.metric.metric().name,
        "seed": plan.seed,
        "worlds": RUNS,
        "answer": answer(plan, all),
        "visitors": visitors.collect::<Vec<_>>(),
    })
}
