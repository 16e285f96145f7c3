//! The advice as JSON.

use pagerace_lab::VERSION;
use pagerace_lab::advice::{Effect, Effects, Tried};
use serde_json::{Value, json};

use super::words::{Answer, worth};
use super::{paste, servers};

/// Returns the document that `docs/output.md` describes.
pub(super) fn of(answer: Answer<'_>) -> Value {
    let (plan, page, advice) = (answer.plan(), answer.page(), answer.advice);
    let named = |index: usize| plan.networks[index].name.as_str();
    let effects =
        |all: &[Effects]| -> Vec<Value> { all.iter().map(|one| goal(one, &named)).collect() };
    let tried = |one: &Tried| {
        let costs = one.costs.iter().map(|(metric, network, effect)| {
            json!({
                "metric": metric.metric().name,
                "network": named(*network),
                "effect": measured(effect),
            })
        });
        json!({
            "change": one.idea.changes.to_string(),
            "because": one.idea.because,
            "is_repair": one.idea.is_repair,
            "worth": worth(one.worth()),
            "effects": effects(&one.effects),
            "costs": costs.collect::<Vec<_>>(),
            "paste": paste::paste(page, &one.idea.changes).lines,
        })
    };
    let all = |list: &[Tried]| list.iter().map(tried).collect::<Vec<_>>();
    let networks = plan.networks.iter().enumerate().map(|(index, network)| {
        json!({
            "name": network.name,
            "description": network.to_string(),
            "cpu": plan.processors.get(index).copied().unwrap_or(plan.browser.cpu),
            "share_of_users": answer.question.shares.get(index),
        })
    });
    let changes = answer.changes();
    let goals = answer.question.goals.iter().map(|goal| goal.metric().name);
    json!({
        "format": "pagerace-advice",
        "schema": 1,
        "version": VERSION,
        "page": page.name,
        "url": page.url,
        "goals": goals.collect::<Vec<_>>(),
        "protocol": plan.contenders[0].protocols.to_string(),
        "seed": plan.seed,
        "worlds": advice.results.plan.runs,
        "doubts": plan.doubts(),
        "guessed": answer.guessed_url(),
        "networks": networks.collect::<Vec<_>>(),
        "now": effects(&[advice.alone(answer.question)]),
        "together": all(&advice.together),
        "sum": effects(&advice.sum),
        "paste": paste::paste(page, &changes).lines,
        "servers": servers::fields(page, &changes).json(),
        "changes": all(&advice.judged),
        "idle": advice.idle.iter().map(|one| one.changes.to_string()).collect::<Vec<_>>(),
    })
}

/// Returns the effects on one goal.
pub(super) fn goal<'a>(effects: &Effects, named: &impl Fn(usize) -> &'a str) -> Value {
    let networks = effects.networks.iter().enumerate();
    let networks = networks.filter_map(|(index, effect)| {
        let mut object = measured(effect.as_ref()?);
        object["network"] = json!(named(index));
        Some(object)
    });
    let users = effects.users.as_ref().map(|users| {
        let mut object = measured(&users.quantile);
        object["gaining"] = json!(users.gaining);
        object["losing"] = json!(users.losing);
        object
    });
    json!({
        "metric": effects.metric.metric().name,
        "worth": worth(effects.worth()),
        "users": users,
        "networks": networks.collect::<Vec<_>>(),
    })
}

fn measured(effect: &Effect) -> Value {
    json!({
        "before": effect.before,
        "after": effect.after,
        "after_low": effect.after_range.0,
        "after_high": effect.after_range.1,
        "difference": effect.difference,
        "low": effect.range.0,
        "high": effect.range.1,
        "worth": worth(effect.worth()),
    })
}
