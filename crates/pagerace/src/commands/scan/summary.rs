//! The summary of a scan, for the terminal.

use std::io::{self, Write};

use pagerace_lab::VERSION;
use pagerace_scan::{Bound, Speed, Summary};
use serde_json::Value;

use crate::table as terminal;
use crate::text::say;

/// Maximum number of networks that the table names.
const CDNS_SHOWN: usize = 12;
/// Maximum number of reasons that are shown.
const REASONS_SHOWN: usize = 5;
/// Sign for a missing value.
const NONE: &str = "–";

pub(super) fn print(summary: &Summary, facts: &Value, out: &mut impl Write) -> io::Result<()> {
    let Summary {
        domains, excluded, ..
    } = summary;
    let head = format!(
        "Pagerace {VERSION}: {domains} domains, {excluded} excluded; {} domains/s, {} connections/s \
         to an address, {} s for a step, port {}",
        facts["rate"], facts["per_address"], facts["timeout_s"], facts["port"]
    );
    say(out, &head)?;
    writeln!(out)?;
    let mut table = terminal::table(
        &["", "of domains", "domains", "of", "share", "95 % interval"],
        2,
    );
    for share in &summary.shares {
        let interval = share.interval.map_or_else(
            || NONE.to_owned(),
            |(low, high)| format!("{} to {}", percent(low), percent(high)),
        );
        let cells = [
            share.what.to_owned(),
            share.base.to_owned(),
            if share.of > 0 {
                share.count.to_string()
            } else {
                NONE.to_owned()
            },
            share.of.to_string(),
            share.share.map_or_else(|| NONE.to_owned(), percent),
            interval,
        ];
        table.add_row(cells);
    }
    terminal::print(out, &table)?;
    say(
        out,
        "Intervals (Wilson) hold for a list that is a random sample of more domains.",
    )?;
    if !summary.cdns.is_empty() {
        writeln!(out)?;
        let header = ["content delivery network", "domains", "with HTTP/3"];
        let mut table = terminal::table(&header, 1);
        for cdn in summary.cdns.iter().take(CDNS_SHOWN) {
            let cells = [
                cdn.name.clone(),
                cdn.domains.to_string(),
                cdn.http3.to_string(),
            ];
            table.add_row(cells);
        }
        terminal::print(out, &table)?;
    }
    notes(summary, out)
}

/// Says how fast the scan was, and why.
pub(super) fn print_speed(speed: &Speed, out: &mut impl Write) -> io::Result<()> {
    let Speed {
        domains,
        time,
        bound,
    } = speed;
    let seconds = time.as_secs_f64();
    let bound = match bound {
        Bound::Rate => "the rate (--rate)",
        Bound::InFlight => {
            "the domains under way (--in-flight): many time out or share an address (--per-address)"
        }
        Bound::Processors => "the processors of this machine",
    };
    let each = *domains as f64 / seconds.max(1e-3);
    let text = format!(
        "Asked {domains} domains in {seconds:.0} s, {each:.1} each second; what bounded it: {bound}."
    );
    say(out, &text)
}

/// Names the limits of the numbers.
fn notes(summary: &Summary, out: &mut impl Write) -> io::Result<()> {
    let failed: u64 = summary.failures.iter().map(|(_, count)| count).sum();
    if failed > 0 {
        let shown = summary.failures.iter().take(REASONS_SHOWN);
        let reasons: Vec<String> = shown
            .map(|(why, count)| format!("{why} ({count})"))
            .collect();
        say(
            out,
            &format!(
                "Domains that could not be asked: {failed}; {}.",
                reasons.join("; ")
            ),
        )?;
    }
    let found = summary.shares.first();
    if found.is_some_and(|share| share.of > 0 && share.count == 0) {
        say(
            out,
            "No domain has an address: the DNS resolver may know no names of the Internet. Check that this \
             machine is online, or name another resolver with --resolver ADDRESS:PORT.",
        )?;
    }
    if summary.v6_without_route > 0 {
        let text =
            "This machine has no way to {} domains over IPv6; they do not count as IPv6 asked.";
        say(
            out,
            &text.replace("{}", &summary.v6_without_route.to_string()),
        )?;
    }
    let announced = summary
        .shares
        .iter()
        .any(|share| share.base == "announced" && share.of > 0);
    if summary.quic_answered == 0 && announced {
        say(
            out,
            "No server answered over QUIC although some announce it: a firewall here may block UDP.",
        )?;
    }
    Ok(())
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
