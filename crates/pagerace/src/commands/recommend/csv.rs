//! The regret of policies as CSV (RFC 4180, with LF line endings). Shares are fractions, and a
//! missing value is empty.

use std::io::{self, Write};

use pagerace_lab::export::csv::quote;
use pagerace_study::recommend::{Evaluation, Population};

use super::print::title;

pub(super) fn print(
    out: &mut impl Write,
    population: &Population,
    evaluation: &Evaluation,
) -> io::Result<()> {
    let unit = population.metric.metric().unit.symbol().replace(' ', "_");
    let unit = if unit.is_empty() { "absolute" } else { &unit };
    writeln!(
        out,
        "policy,recommended,choice,mean_regret,mean_regret_{unit},median_regret,p90_regret,\
         worst_regret,change_median,change_low,change_high,pages_worse,pairs_worse,pairs_broken,\
         worst_page,worst_network,worst_change"
    )?;
    for policy in &evaluation.policies {
        let choice = evaluation.always(policy);
        let name = choice.map_or("", |choice| &population.choices[choice].contender);
        let (change, interval) = policy.change();
        let end = |get: fn((f64, f64)) -> f64| interval.map(get);
        let worst = policy.worst.first().map(|(place, change)| {
            let situation = &population.situations[*place];
            let page = &population.pages[situation.page].1;
            let network = &population.networks[situation.network].0;
            (page.as_str(), network.as_str(), *change)
        });
        let (page, network) = worst.map_or(("", ""), |worst| (worst.0, worst.1));
        let regret = policy.regret;
        let numbers = [
            Some(regret.mean),
            Some(policy.excess),
            Some(regret.median),
            Some(regret.p90),
            Some(regret.worst),
            Some(change),
            end(|interval| interval.0),
            end(|interval| interval.1),
            Some(policy.pages_worse),
            Some(policy.pairs_worse),
            Some(policy.breaks),
        ];
        let number = |number: Option<f64>| number.map_or_else(String::new, |n| n.to_string());
        let mut fields = vec![
            title(policy.kind).to_owned(),
            (policy.kind == evaluation.take).to_string(),
            quote(name).into_owned(),
        ];
        fields.extend(numbers.map(number));
        fields.extend([
            quote(page).into_owned(),
            quote(network).into_owned(),
            number(worst.map(|one| one.2)),
        ]);
        writeln!(out, "{}", fields.join(","))?;
    }
    Ok(())
}
