//! Warnings that a user should see before trusting a result.

use pagerace_lab::Plan;

/// Maximum number of hosts in a warning.
const HOSTS_MAX: usize = 3;

/// Prints a warning as one line on standard error.
pub(crate) fn warn(text: &str) {
    use std::io::Write as _;

    let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
    // If standard error is closed, nobody can be told.
    let _ = writeln!(anstream::stderr(), "{yellow}warning{yellow:#}: {text}");
}

/// Returns a warning of each protocol rule that applies to no request of any page, and of changes that
/// cannot be made to a page or may remove more than is known.
pub(crate) fn idle_rules(plan: &Plan) -> impl Iterator<Item = String> {
    let rules = plan.unmatched_rules().into_iter();
    let rules = rules.map(|rule| unmatched(&rule, plan));
    let idle = plan.unchanged_pages().into_iter();
    let idle = idle.map(|reason| format!("{reason}; the page races unchanged"));
    rules.chain(idle).chain(plan.doubtful_changes())
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
    format!("{rule} applies to no request of {whose} {named}; `pagerace page FILE` shows all")
}
