//! Lists of domains to scan, and of those to leave alone.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;

use ipnet::IpNet;
use url::Host;

use crate::ScanError;
use crate::address::prefix;
use crate::error::one_line;

/// Characters of a malformed line that its row shows.
const SHOWN: usize = 80;

/// The domains of a list, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    /// The names, in lower case and as ASCII; of a malformed line, its beginning.
    pub names: Vec<String>,
    /// The faults of malformed lines, by their index in `names`. They are not asked.
    pub malformed: BTreeMap<usize, String>,
    /// Lines that repeat an earlier name. A name is asked once.
    pub repeated: usize,
}

impl Domains {
    /// Reads a list: a name on each line, or a rank, a comma and a name, as the lists of Tranco
    /// have them. Empty lines and lines that begin with `#` do not count.
    ///
    /// # Errors
    /// Without a domain name, names the first line.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ScanError> {
        let (mut names, mut malformed) = (Vec::new(), BTreeMap::new());
        let mut seen = BTreeSet::new();
        let mut repeated = 0;
        for (number, line) in lines(text) {
            let ranked = line.split_once(',').filter(|(rank, _)| {
                !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit())
            });
            let entry = ranked.map_or(line, |(_, name)| name.trim());
            match domain(entry) {
                Err(problem) => {
                    malformed.insert(names.len(), format!("line {number}: {problem}"));
                    names.push(one_line(entry, SHOWN));
                }
                Ok(name) if seen.insert(name.clone()) => names.push(name),
                Ok(_) => repeated += 1,
            }
        }
        if seen.is_empty() {
            let reason = "has no domains; give one on each line".to_owned();
            let first = malformed.first_key_value();
            let first = first.map(|(i, problem)| format!("{problem}: {}", names[*i]));
            return Err(ScanError::at(file, first.unwrap_or(reason)));
        }
        Ok(Self {
            names,
            malformed,
            repeated,
        })
    }
}

/// Returns the lines that count, with their numbers from one.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let trimmed = text.lines().map(str::trim).enumerate();
    trimmed
        .map(|(i, line)| (i + 1, line))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Returns a domain name in lower case and as ASCII (RFC 5891), or what is wrong with it.
fn domain(text: &str) -> Result<String, &'static str> {
    if text.contains("://") {
        return Err("give the name alone, without https:// and path");
    }
    if text.contains(['/', ':', '@', ' ', '?']) {
        return Err("a line has one domain name and nothing else");
    }
    let Ok(Host::Domain(name)) = Host::parse(text.trim_end_matches('.')) else {
        return Err("this is not a domain name");
    };
    // RFC 1035, section 2.3.4.
    let fits = |label: &str| (1..=63).contains(&label.len());
    if name.len() > 253 || !name.split('.').all(fits) {
        return Err("a name has at most 253 characters, a label 1 to 63");
    }
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if !name.bytes().all(good) {
        return Err("this is not a domain name");
    }
    Ok(name)
}

/// Domains and addresses that are not to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    domains: BTreeSet<String>,
    prefixes: Vec<IpNet>,
}

impl Exclusions {
    /// Adds those of a file: on each line a domain, which stands for its subdomains as well, or
    /// an address or a prefix such as `192.0.2.0/24`.
    ///
    /// # Errors
    /// Names the line that is neither.
    pub fn add(&mut self, text: &str, file: &Path) -> Result<(), ScanError> {
        for (number, line) in lines(text) {
            if let Some(prefix) = prefix(line) {
                self.prefixes.push(prefix);
                continue;
            }
            let problem = "give a domain, an address or a prefix such as 192.0.2.0/24";
            let name = domain(line).map_err(|_| ScanError::at_line(file, number, line, problem))?;
            self.domains.insert(name);
        }
        Ok(())
    }

    /// Returns true if the domain, or one that it lies in, is excluded.
    pub(crate) fn has_domain(&self, name: &str) -> bool {
        let mut rest = name;
        loop {
            if self.domains.contains(rest) {
                return true;
            }
            let Some((_, parent)) = rest.split_once('.') else {
                return false;
            };
            rest = parent;
        }
    }

    /// Returns true if the address is excluded.
    pub fn has_address(&self, address: IpAddr) -> bool {
        self.prefixes.iter().any(|prefix| prefix.contains(&address))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::{Domains, Exclusions};

    #[test]
    fn lists_have_names_or_ranks_and_names() {
        let text =
            "\u{feff}# Tranco\n1,Example.com\r\n\n2,bücher.example\nexample.com.\na_b.example\n";
        let domains = Domains::parse(text, Path::new("list")).unwrap();
        let expected = ["example.com", "xn--bcher-kva.example", "a_b.example"];
        assert_eq!(domains.names, expected);
        assert_eq!(domains.repeated, 1);
    }

    #[test]
    fn a_malformed_line_is_one_row() {
        let text = "rank,domain\n1,a.example\nhttps://b.example/\u{7}\nb.example\nA.example\n";
        let domains = Domains::parse(text, Path::new("list")).unwrap();
        let expected = [
            "rank,domain",
            "a.example",
            "https://b.example/\u{fffd}",
            "b.example",
        ];
        assert_eq!(domains.names, expected);
        let problems: Vec<(usize, &str)> = domains
            .malformed
            .iter()
            .map(|(i, problem)| (*i, problem.as_str()))
            .collect();
        assert_eq!(
            problems,
            [
                (0, "line 1: this is not a domain name"),
                (2, "line 3: give the name alone, without https:// and path"),
            ]
        );
        assert_eq!(domains.repeated, 1);
    }

    #[test]
    fn a_list_without_domains_names_its_first_line() {
        for (text, part) in [
            (
                "https://b.example/\na.example/path",
                "list: line 1: give the name alone, without https:// and path: https://b.example/",
            ),
            ("1.2.3.4", "line 1: this is not a domain name: 1.2.3.4"),
            ("a..b", "line 1: "),
            ("", "list: has no domains"),
        ] {
            let error = Domains::parse(text, Path::new("list")).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn exclusions_cover_subdomains_and_prefixes() {
        let mut exclusions = Exclusions::default();
        let text = "# asked us to stop\nexample.com\n192.0.2.0/24\n2001:db8::/32\n";
        exclusions.add(text, Path::new("no.txt")).unwrap();
        for name in ["example.com", "www.example.com", "a.b.example.com"] {
            assert!(exclusions.has_domain(name), "{name}");
        }
        for name in ["com", "notexample.com", "example.com.evil.test"] {
            assert!(!exclusions.has_domain(name), "{name}");
        }
        assert!(exclusions.has_address("192.0.2.77".parse().unwrap()));
        assert!(!exclusions.has_address("192.0.3.1".parse().unwrap()));
        assert!(exclusions.add("what is this", Path::new("no.txt")).is_err());
    }

    proptest! {
        #[test]
        fn no_list_panics(text in "\\PC{0,60}") {
            if let Ok(domains) = Domains::parse(&text, Path::new("list")) {
                prop_assert!(!domains.names.is_empty());
                let good = |i: &usize| !domains.malformed.contains_key(i);
                let names: Vec<&str> = (0..domains.names.len())
                    .filter(good)
                    .map(|i| domains.names[i].as_str())
                    .collect();
                let again = Domains::parse(&names.join("\n"), Path::new("list")).unwrap();
                prop_assert_eq!(again.names, names);
                prop_assert!(again.malformed.is_empty());
            }
            let _ = Exclusions::default().add(&text, Path::new("list"));
        }
    }
}
