//! Lists of hosts: hosts files (`hosts(5)`), lines of dnsmasq's configuration (`dnsmasq(8)`), and
//! plain names.

use std::net::IpAddr;

/// Number of lines by which the format of a file is detected.
const TELLING_LINES: usize = 100;

/// Names of this machine and its networks in the hosts files of operating systems.
const LOCAL: [&str; 5] = [
    "localhost",
    "localhost.localdomain",
    "local",
    "broadcasthost",
    "0.0.0.0",
];

/// A line of a list of hosts.
enum Line<'a> {
    /// An address and its names, or an option of dnsmasq.
    Form(Vec<&'a str>),
    /// One name, which may also be a pattern of an ad blocker.
    Name(&'a str),
}

impl<'a> Line<'a> {
    /// Reads a line; `None` if it belongs to no list of hosts.
    fn read(line: &'a str) -> Option<Self> {
        if let Some(names) = of_dnsmasq(line) {
            return Some(Self::Form(names));
        }
        // A comment starts a word; element-hiding rules contain ## within one.
        let words = line.split_whitespace();
        let mut words = words.take_while(|word| !word.starts_with('#'));
        let first = words.next()?;
        let names: Vec<&str> = words.collect();
        if names.is_empty() && is_name(first) {
            return Some(Self::Name(first));
        }
        let is_hosts = !names.is_empty() && is_address(first) && names.iter().all(|n| is_name(n));
        is_hosts.then_some(Self::Form(names))
    }
}

/// Returns true if these lines, which are no comments, list hosts and not patterns.
pub(super) fn are_listed<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let mut telling = lines.take(TELLING_LINES).peekable();
    telling.peek().is_some() && telling.all(|line| Line::read(line).is_some())
}

/// Returns the rules of a line in the syntax of ad blockers; `None` if it lists no hosts. A name
/// alone is a host if there are `only_hosts` in its list.
pub(super) fn rules(line: &str, only_hosts: bool) -> Option<Vec<String>> {
    let names = match Line::read(line)? {
        Line::Form(names) => names,
        Line::Name(name) if only_hosts => vec![name],
        Line::Name(_) => return None,
    };
    Some(names.into_iter().filter_map(rule).collect())
}

/// Returns the rule for a host and all hosts below it; `None` for this machine.
fn rule(name: &str) -> Option<String> {
    let name = name.strip_prefix("*.").unwrap_or(name);
    let name = name.trim_matches('.').to_ascii_lowercase();
    let is_local = LOCAL.contains(&name.as_str()) || name.starts_with("ip6-") || name.is_empty();
    (!is_local).then(|| format!("||{name}^"))
}

/// Returns the hosts that an option of dnsmasq answers itself: `address=/host/0.0.0.0` or
/// `server=/host/`.
fn of_dnsmasq(line: &str) -> Option<Vec<&str>> {
    let (option, value) = line.split_once('=')?;
    let value = value.split_whitespace().next()?.strip_prefix('/')?;
    let (names, answer) = value.rsplit_once('/')?;
    let is_own = match option.trim() {
        "address" => true,
        // With an address, another server is asked.
        "server" | "local" => answer.is_empty(),
        _ => return None,
    };
    let names = names.split('/').filter(|name| is_own && is_name(name));
    Some(names.collect())
}

/// Returns true for an address, with or without the scope of a link (`fe80::1%lo0`).
fn is_address(word: &str) -> bool {
    let address = word.split_once('%').map_or(word, |(address, _)| address);
    address.parse::<IpAddr>().is_ok()
}

fn is_name(word: &str) -> bool {
    let of_names = |c: char| c.is_alphanumeric() || "-._:*".contains(c);
    !word.is_empty() && word.chars().all(of_names)
}
