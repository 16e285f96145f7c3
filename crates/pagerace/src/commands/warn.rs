//! Warnings that a user should see before trusting a result.

use std::sync::Arc;

use pagerace_lab::Plan;
use pagerace_page::Page;
use pagerace_sim::OriginRtt;

/// Maximum number of hosts in a warning.
const HOSTS_MAX: usize = 3;

/// Prints a warning as one line on standard error.
pub(super) fn warn(text: &str) {
    use std::io::Write as _;

    let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
    // If standard error is closed, nobody can be told.
    let _ = writeln!(anstream::stderr(), "{yellow}warning{yellow:#}: {text}");
}

/// Returns a warning of each protocol rule that applies to no host of any page, and of each page
/// whose origins have no recorded distances, if those were asked for.
pub(super) fn idle_rules(plan: &Plan) -> impl Iterator<Item = String> {
    let rules = plan.unmatched_rules().into_iter();
    let rules = rules.map(|rule| unmatched(&rule, plan));
    rules.chain(near(plan.settings.origin_rtt, plan.pages.iter()))
}

/// Returns a warning of each page whose origins have no recorded distances, if those were asked
/// for.
pub(super) fn near<'a>(
    origin_rtt: OriginRtt,
    pages: impl Iterator<Item = &'a Arc<Page>>,
) -> impl Iterator<Item = String> {
    let recorded = origin_rtt == OriginRtt::Recorded;
    let near = pages.filter(move |page| {
        let mut origins = page.origins.iter();
        recorded && origins.all(|origin| origin.recorded_rtt.is_none())
    });
    near.map(|page| {
        let name = &page.name;
        format!(
            "--origin-rtt: {name} has no recorded round trips, so that its servers are all near"
        )
    })
}

fn unmatched(rule: &str, plan: &Plan) -> String {
    let hosts = plan.hosts();
    let mut named = hosts[..hosts.len().min(HOSTS_MAX)].join(", ");
    if hosts.len() > HOSTS_MAX {
        named = format!("{named} and {} more", hosts.len() - HOSTS_MAX);
    }
    let whose = match plan.pages.as_slice() {
        [page] => format!("{}, which has", page.name),
        pages => format!("the {} pages, which have", pages.len()),
    };
    format!("{rule} applies to no host of {whose} {named}; `pagerace page FILE` shows all")
}
