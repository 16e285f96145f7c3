//! A plan made from a race's results file.

use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use pagerace_net::Network;
use pagerace_papers::NETWORKS;

use crate::commands::race::plan_of_scenario;

/// Prints a plan of the race in `file`.
pub(super) fn print(file: &Path) -> Result<()> {
    let plan = plan_of_scenario(file)?;
    let mut out = anstream::stdout().lock();
    let pages: Vec<&str> = plan.pages.iter().map(|page| page.name.as_str()).collect();
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    writeln!(out, "title = {}", text(&name))?;
    writeln!(
        out,
        "# The pages are those of the race: {}.",
        pages.join("; ")
    )?;
    writeln!(out, "# Others take their place:")?;
    writeln!(out, "# pages = [\"pages/*.har\"]")?;
    writeln!(out)?;
    writeln!(out, "[[race]]")?;
    writeln!(out, "name = {}", text(&name))?;
    writeln!(
        out,
        "# Contenders and settings: {}",
        plan.labels().join("; ")
    )?;
    writeln!(out, "scenario = {}", text(&file.to_string_lossy()))?;
    writeln!(out, "runs = {}", plan.runs)?;
    writeln!(out, "seed = {}", plan.seed)?;
    let known = |network: &Network| {
        Network::parse_with(&network.name, &NETWORKS, Path::new(""))
            .is_ok_and(|read| read == *network)
    };
    let names = plan.networks.iter().map(|network| text(&network.name));
    let names = names.collect::<Vec<String>>().join(", ");
    if plan.networks.iter().all(known) {
        writeln!(out, "network = [{names}]")?;
    } else {
        writeln!(out, "# The networks are those of the race: {names}")?;
    }
    Ok(())
}

/// Returns a TOML string. JSON's escapes are TOML's, too.
fn text(text: &str) -> String {
    serde_json::to_string(text).expect("a text is plain data")
}
