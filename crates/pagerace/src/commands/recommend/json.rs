//! The recommendation as JSON, with a rule that a server can apply.

use std::path::Path;

use pagerace_core::Words as _;
use pagerace_lab::VERSION;
use pagerace_study::key::Dimension;
use pagerace_study::recommend::population::PopulationFacts;
use pagerace_study::recommend::{Policy, Rule, Unseen};
use serde_json::{Map, Value, json};

use super::print::Report;
use crate::commands::study::MODEL_ERROR;

/// Returns the recommendation. `plan` is the text of the study's plan.
pub(super) fn of(
    report: &Report<'_>,
    facts: &PopulationFacts,
    input: &Path,
    plan: Option<&str>,
) -> Value {
    let (population, evaluation) = (report.population, report.evaluation);
    let choices = population.choices.iter().map(|key| {
        let mut choice = Map::new();
        choice.insert("name".to_owned(), key.contender.clone().into());
        for one in Dimension::of_contenders() {
            choice.insert(one.name.to_owned(), one.of(key).clone().into());
        }
        choice
    });
    let networks = population.networks.iter().map(
        |(name, share)| json!({"name": name, "share": share, "facts": facts.networks.get(name)}),
    );
    let pages = population.pages.iter();
    let policies = evaluation.policies.iter();
    json!({
        "pagerace": VERSION,
        "input": input.to_string_lossy(),
        "plan": plan,
        "metric": population.metric.metric().name,
        "caveat": MODEL_ERROR,
        "recommended": evaluation.take,
        "today": population.choices[0].contender,
        "fixed": population.choices[evaluation.fixed].contender,
        "rule": rule(report, &evaluation.rule),
        "choices": choices.collect::<Vec<_>>(),
        "features": population.features.iter().map(|one| one.word()).collect::<Vec<_>>(),
        "networks": networks.collect::<Vec<_>>(),
        "pages": pages.map(|(group, page)| json!({"group": group, "page": page}))
            .collect::<Vec<_>>(),
        "left_out": population.left_out,
        "folds": evaluation.folds,
        "policies": policies.map(|one| policy(report, one)).collect::<Vec<_>>(),
        "log_differences": {
            "fixed_against_today": evaluation.fixed_against_today,
            "rule_against_fixed": evaluation.rule_against_fixed,
            "rule_against_today": evaluation.rule_against_today,
        },
        "networks_left_out": evaluation.unseen.as_ref().map(|one| unseen(report, one)),
    })
}

fn rule(report: &Report<'_>, part: &Rule) -> Value {
    match part {
        Rule::Choose(choice) => json!({"choice": report.population.choices[*choice].contender}),
        Rule::Split {
            feature,
            above,
            yes,
            no,
        } => json!({
            "if": report.population.features[*feature].word(),
            "above": above,
            "then": rule(report, yes),
            "else": rule(report, no),
        }),
    }
}

/// Returns a policy. Infinite numbers, of failed loads, are `null`.
fn policy(report: &Report<'_>, policy: &Policy) -> Value {
    let population = report.population;
    let (change, interval) = policy.change();
    let worst = policy.worst.iter().map(|(place, change)| {
        let situation = &population.situations[*place];
        let (group, page) = &population.pages[situation.page];
        json!({
            "group": group,
            "page": page,
            "network": population.networks[situation.network].0,
            "choice": population.choices[policy.choices[*place]].contender,
            "change": change,
        })
    });
    json!({
        "policy": policy.kind,
        "mean_regret": policy.regret.mean,
        "mean_excess": policy.excess,
        "median_regret": policy.regret.median,
        "p90_regret": policy.regret.p90,
        "worst_regret": policy.regret.worst,
        "change": change,
        "change_interval": interval,
        "pages_worse": policy.pages_worse,
        "pairs_worse": policy.pairs_worse,
        "pairs_broken": policy.breaks,
        "worse": worst.collect::<Vec<_>>(),
    })
}

/// Returns the evaluation on networks from which nothing was learnt. Losses are logarithms.
fn unseen(report: &Report<'_>, unseen: &Unseen) -> Value {
    let networks = report.population.networks.iter().zip(&unseen.networks);
    let networks = networks.map(|((name, _), changes)| {
        json!({
            "name": name,
            "fixed_against_today": changes.fixed,
            "rule_against_today": changes.rule,
            "rule_with_network_against_today": changes.seen,
            "oracle_against_today": changes.oracle,
        })
    });
    json!({
        "networks": networks.collect::<Vec<_>>(),
        "fixed_against_today": unseen.fixed_against_today,
        "rule_against_fixed": unseen.rule_against_fixed,
        "rule_against_today": unseen.rule_against_today,
    })
}
