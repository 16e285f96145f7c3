//! All pairs of page and network that lose by a policy, as CSV (RFC 4180, with LF line endings).
//! Shares are fractions, and a failed load is infinite.

use std::io::{self, Write};

use pagerace_lab::export::csv::quote;
use pagerace_study::recommend::evaluate::share_above;
use pagerace_study::recommend::{Evaluation, Population};

use super::print::title;

/// Writes the pairs of each policy that get worse than today by more than 5 %, worst first, then
/// those that break more objects than today's choice.
pub(super) fn write(
    out: &mut dyn Write,
    population: &Population,
    evaluation: &Evaluation,
) -> io::Result<()> {
    writeln!(
        out,
        "policy,recommended,page,network,share,choice,today,value,change,breaks"
    )?;
    for policy in &evaluation.policies {
        let slower: Vec<usize> = policy.worst.iter().map(|(place, _)| *place).collect();
        let breaking = (0..policy.choices.len()).filter(|place| {
            let situation = &population.situations[*place];
            situation.breaks[policy.choices[*place]] && !slower.contains(place)
        });
        for place in slower.iter().copied().chain(breaking) {
            let situation = &population.situations[place];
            let choice = policy.choices[place];
            let (today, value) = (situation.values[0], situation.values[choice]);
            writeln!(
                out,
                "{},{},{},{},{},{},{today},{value},{},{}",
                title(policy.kind),
                policy.kind == evaluation.take,
                quote(&population.pages[situation.page].1),
                quote(&population.networks[situation.network].0),
                situation.weight,
                quote(&population.choices[choice].contender),
                share_above(value, today),
                situation.breaks[choice],
            )?;
        }
    }
    Ok(())
}
