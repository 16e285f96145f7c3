//! Makes `data/third-party-web/entities.tsv` from the package's own file.
//!
//! ```text
//! npm pack third-party-web@0.30.0 && tar xzf third-party-web-0.30.0.tgz
//! cargo run -p pagerace-tools --bin make_third_parties -- 0.30.0 \
//!     package/dist/entities-nostats.json crates/pagerace-essential/data/third-party-web/entities.tsv
//! ```
#![allow(clippy::print_stderr, reason = "a tool talks")]

use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::Value;

/// Categories that say something about whether a page needs what comes from there.
const CATEGORIES: [&str; 6] = [
    "ad",
    "analytics",
    "customer-success",
    "marketing",
    "social",
    "tag-manager",
];

/// Entities of these categories whose domains serve sites of their own, mail,
/// search or pictures beside what they are listed for.
const MIXED: [&str; 4] = ["AOL / Oath / Verizon Media", "Bing Ads", "Yahoo!", "eBay"];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [version, from, to] = words.as_slice() else {
        eprintln!("usage: make_third_parties VERSION ENTITIES.json ENTITIES.tsv");
        return ExitCode::from(2);
    };
    match make(version, from).and_then(|table| std::fs::write(to, table).map_err(|e| e.to_string()))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn make(version: &str, from: &str) -> Result<String, String> {
    let text = std::fs::read(from).map_err(|e| format!("{from}: {e}"))?;
    let entities: Value = serde_json::from_slice(&text).map_err(|e| format!("{from}: {e}"))?;
    let entities = entities.as_array().ok_or("not a list of entities")?;
    let mut lines: Vec<String> = entities.iter().filter_map(line).collect();
    lines.sort_unstable();
    let mut table = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        table,
        "# third-party-web {version}: category, entity, domains"
    );
    table.push_str(
        "# Copyright (c) 2019 Patrick Hulce, MIT licence: see LICENSE beside this file\n",
    );
    for line in lines {
        table.push_str(&line);
        table.push('\n');
    }
    Ok(table)
}

/// `ad<TAB>Name<TAB>*.first.example second.example`.
fn line(entity: &Value) -> Option<String> {
    let text = |key: &str| entity.get(key)?.as_str();
    let (category, name) = (text("category")?, text("name")?);
    if !CATEGORIES.contains(&category) || MIXED.contains(&name) {
        return None;
    }
    let domains = entity.get("domains")?.as_array()?.iter();
    let mut domains: Vec<&str> = domains
        .filter_map(Value::as_str)
        .filter(is_domain)
        .collect();
    domains.sort_unstable();
    let line = format!("{category}\t{name}\t{}", domains.join(" "));
    (!domains.is_empty()).then_some(line)
}

/// A name below a public suffix, perhaps with all below it.
fn is_domain(domain: &&str) -> bool {
    let name = domain.strip_prefix("*.").unwrap_or(domain);
    let known = !name.ends_with("cloudfront.ne");
    known && name.contains('.') && !name.contains(['*', '/', ' ', '\t'])
}
