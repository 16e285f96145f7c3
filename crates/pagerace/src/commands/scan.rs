//! `pagerace scan`: asks domains whether they speak HTTP/3.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use pagerace_corpus::provider::Provider;
use pagerace_lab::VERSION;
use pagerace_lab::export::file::write_atomically;
use pagerace_scan::list::{Domains, Exclusions};
use pagerace_scan::{End, Progress, RATE_MAX, Results, Scan, Settings, Trust, dns};
use pagerace_study::columns::TableWriter;
use pagerace_study::store::VERSION_KEY;
use serde_json::{Value, json};

use crate::cli::files::{check_files, say, write_text};
use crate::cli::groups::WorkArgs;
use crate::cli::warn::warn;
use crate::failed::Interrupted;
use record::Recorded;

mod csv;
mod record;
mod summary;

const EXAMPLES: &str = "\
Each domain costs at most 9 questions to the resolver, and in each address family at most 2 TCP
connections, 3 QUIC connections and 1 datagram that asks for versions; each connection carries one
HEAD request and receives at most --max-bytes. Nothing that a server says leads to another host or
port. A list of more than 100 domains needs a rate of your choice.

Examples:
  pagerace scan domains.txt -o scan.parquet
      who speaks HTTP/3, over IPv4 and IPv6; a row for each domain; ten domains each second

  pagerace scan tranco.csv --rate 50 --contact scans@lab.example --exclude asked-us-not-to.txt \\
      -o scan.parquet --json summary.json
      a long list; names who asks, and leaves out who does not want to be asked. The same command
      goes on after an interrupt

  pagerace scan hosts.txt --resolver 10.0.0.53:53 --private-addresses --ca company.pem -o scan.csv
      the hosts of a company, as CSV";

/// Lists with more domains need `--rate`.
const RATE_FREE_MAX: usize = 100;

/// Ask domains whether they speak HTTP/3, over IPv4 and IPv6.
#[derive(Debug, Parser)]
#[command(name = "scan", after_long_help = EXAMPLES)]
pub(crate) struct ScanArgs {
    /// List of domains, one on each line, or with ranks ("1,example.com").
    #[arg(value_name = "FILE")]
    list: PathBuf,

    /// Write a row for each domain: .parquet or .csv.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,

    /// Write the summary as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,

    /// Domains each second. [default: 10, for lists of at most 100 domains]
    #[arg(long, value_name = "N", value_parser = rate, help_heading = "Limits")]
    rate: Option<f64>,

    /// Connections to one address each second, over all domains.
    #[arg(long, value_name = "N", value_parser = rate, help_heading = "Limits",
        default_value_t = Settings::default().address_rate)]
    per_address: f64,

    /// Domains under way at once.
    #[arg(long, value_name = "N", help_heading = "Limits",
        default_value_t = Settings::default().in_flight as u32,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    in_flight: u32,

    /// Seconds to wait in each step: DNS, connect, handshake, response.
    #[arg(long, value_name = "SECONDS", help_heading = "Limits",
        default_value_t = Settings::default().timeout.as_secs() as u32,
        value_parser = clap::value_parser!(u32).range(1..=60))]
    timeout: u32,

    /// Bytes that one connection may receive.
    #[arg(long, value_name = "N", help_heading = "Limits",
        default_value_t = Settings::default().bytes_max,
        value_parser = clap::value_parser!(u64).range(16_384..=16_777_216))]
    max_bytes: u64,

    /// Domains (with their subdomains), addresses and prefixes to leave alone, one on each line.
    #[arg(long, value_name = "FILE", help_heading = "Manners")]
    exclude: Vec<PathBuf>,

    /// Address or web page for questions about the scan; servers see it in `user-agent`.
    #[arg(long, value_name = "TEXT", value_parser = contact, help_heading = "Manners")]
    contact: Option<String>,

    /// DNS resolver; may be given several times. [default: those of the system]
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Network")]
    resolver: Vec<SocketAddr>,

    /// Port of HTTPS and HTTP/3.
    #[arg(long, value_name = "N", help_heading = "Network",
        default_value_t = Settings::default().port, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,

    /// Judge certificates by those of a PEM file instead of Mozilla's.
    #[arg(long, value_name = "FILE", help_heading = "Network")]
    ca: Option<PathBuf>,

    /// Connect to addresses that are not of the public Internet, too.
    #[arg(long, help_heading = "Network")]
    private_addresses: bool,

    #[command(flatten, next_help_heading = "Options")]
    work: WorkArgs,
}

/// Parses a rate.
fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse::<f64>().ok();
    rate.filter(|rate| (0.001..=RATE_MAX).contains(rate))
        .ok_or_else(|| format!("must be a number from 0.001 to {RATE_MAX}: a rate cannot be off"))
}

/// Parses a contact, which must fit into a field of HTTP.
fn contact(text: &str) -> Result<String, String> {
    let fits = |c: char| c == ' ' || (c.is_ascii_graphic() && !"()\\".contains(c));
    if text.trim().is_empty() || text.len() > 200 || !text.chars().all(fits) {
        return Err("give at most 200 letters, digits and signs, without brackets".to_owned());
    }
    Ok(text.trim().to_owned())
}

pub(crate) fn run(args: &ScanArgs) -> Result<()> {
    let parquet = match args.output.extension().and_then(|end| end.to_str()) {
        Some("parquet") => true,
        Some("csv") => false,
        _ => bail!(
            "--output {}: must end in .parquet or .csv",
            args.output.display()
        ),
    };
    let journal = journal_path(&args.output);
    let outputs: Vec<&PathBuf> = [Some(&args.output), Some(&journal), args.json.as_ref()]
        .into_iter()
        .flatten()
        .collect();
    let mut inputs = vec![args.list.clone()];
    inputs.extend(args.exclude.iter().chain(&args.ca).cloned());
    check_files(&outputs, &inputs)?;
    let scan = args.scan()?;
    let facts = args.facts(&scan);
    let begun = journal.exists();
    let watch = args.work.watch("domains");
    watch.start("scanning", scan.domains.names.len());
    if begun {
        watch.log(&format!("going on with {}", journal.display()));
    }
    let tell = |Progress { done, total }| watch.tell(pagerace_lab::Progress { done, total });
    let end = scan.run(&journal, &tell)?;
    watch.clear();
    let results = match end {
        End::Complete(results) => results,
        End::Stopped(Progress { done, total }) => {
            let rest = "the same command goes on from there";
            return Err(Interrupted(format!(" after {done} of {total} domains; {rest}")).into());
        }
    };
    if parquet {
        write_parquet(&args.output, &results, &facts)?;
    } else {
        write_csv(&args.output, &results)?;
    }
    let summary = results.summary()?;
    let mut out = anstream::stdout().lock();
    summary::print(&summary, &facts, &mut out)?;
    summary::print_speed(&results.speed(), &mut out)?;
    drop(out);
    say(&args.output)?;
    if let Some(path) = &args.json {
        let all = json!({ "pagerace": VERSION, "settings": facts, "summary": summary });
        write_text(path, &format!("{}\n", serde_json::to_string_pretty(&all)?))?;
    }
    Ok(results.remove_journal()?)
}

impl ScanArgs {
    fn scan(&self) -> Result<Scan> {
        let bytes = fs::read(&self.list).with_context(|| self.list.display().to_string())?;
        // A line that is no text is malformed alone.
        let domains = Domains::parse(&String::from_utf8_lossy(&bytes), &self.list)?;
        let count = domains.names.len();
        let default = Settings::default();
        if self.rate.is_none() && count > RATE_FREE_MAX {
            bail!(
                "{}: a list of {count} domains needs --rate N, the domains to ask each second; \
                 {} is gentle and takes {} min here",
                self.list.display(),
                default.rate,
                (count as f64 / default.rate / 60.0).ceil()
            );
        }
        if domains.repeated > 0 {
            let times = domains.repeated;
            warn(&format!(
                "{}: lines that repeat a domain: {times}; each domain is asked once",
                self.list.display()
            ));
        }
        if let Some((_, first)) = domains.malformed.first_key_value() {
            warn(&format!(
                "{}: lines without a domain name: {}, the first is {first}; each has a row that says so",
                self.list.display(),
                domains.malformed.len()
            ));
        }
        if self.contact.is_none() && count > RATE_FREE_MAX {
            warn("--contact is missing: operators of servers cannot ask you about the scan");
        }
        let mut exclusions = Exclusions::default();
        for file in &self.exclude {
            exclusions.add(&read(file)?, file)?;
        }
        let trust = match &self.ca {
            Some(file) => Trust::file(file)?,
            None => Trust::mozilla(),
        };
        let resolvers = match &self.resolver[..] {
            [] => dns::system_resolvers()?,
            given => given.to_vec(),
        };
        Ok(Scan {
            domains,
            exclusions,
            settings: Settings {
                rate: self.rate.unwrap_or(default.rate),
                address_rate: self.per_address,
                in_flight: self.in_flight as usize,
                timeout: Duration::from_secs(self.timeout.into()),
                bytes_max: self.max_bytes,
                port: self.port,
                private_addresses: self.private_addresses,
                user_agent: user_agent(self.contact.as_deref()),
                threads: self.work.jobs(),
            },
            trust,
            resolvers,
            cdn,
            version: VERSION.to_owned(),
        })
    }

    /// Returns the settings as JSON.
    fn facts(&self, scan: &Scan) -> Value {
        let settings = &scan.settings;
        json!({
            "list": self.list,
            "rate": settings.rate,
            "per_address": settings.address_rate,
            "in_flight": settings.in_flight,
            "timeout_s": self.timeout,
            "max_bytes": settings.bytes_max,
            "port": settings.port,
            "private_addresses": settings.private_addresses,
            "resolvers": scan.resolvers,
            "exclude": self.exclude,
            "ca": self.ca,
            "user_agent": settings.user_agent,
        })
    }
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// Returns the name under which the scan asks.
fn user_agent(contact: Option<&str>) -> String {
    let page = env!("CARGO_PKG_REPOSITORY");
    let contact = contact.map(|text| format!("; {text}")).unwrap_or_default();
    format!("pagerace/{VERSION} (scan for HTTP/3; +{page}{contact})")
}

/// Names the content delivery network by the fields of the response, else by the domain, else by
/// its aliases.
fn cdn(hosts: &[&str], fields: &[(String, String)]) -> Option<(&'static str, &'static str)> {
    if let Some(provider) = Provider::of_fields(fields) {
        return Some((provider.name, "fields"));
    }
    let (domain, aliases) = hosts.split_first()?;
    if let Some(provider) = Provider::of_host(domain) {
        return Some((provider.name, "domain"));
    }
    let found = aliases.iter().find_map(|alias| Provider::of_host(alias))?;
    Some((found.name, "alias"))
}

/// Returns the journal's path: `scan.parquet.journal` beside `scan.parquet`.
fn journal_path(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(".journal");
    output.with_file_name(name)
}

fn write_parquet(path: &Path, results: &Results, facts: &Value) -> Result<()> {
    let metadata = [
        (VERSION_KEY, VERSION.to_owned()),
        ("pagerace.scan", facts.to_string()),
    ];
    Ok(write_atomically(path, |out| {
        let mut writer = TableWriter::new::<Recorded<'_>>(out)?;
        results.each(|rows| {
            let rows: Vec<Recorded<'_>> = rows.iter().map(Recorded).collect();
            Ok(writer.write(&rows)?)
        })?;
        Ok(writer.close(&metadata)?)
    })?)
}

fn write_csv(path: &Path, results: &Results) -> Result<()> {
    Ok(write_atomically(path, |out| {
        writeln!(out, "{}", csv::header())?;
        results.each(|rows| {
            rows.iter()
                .try_for_each(|row| writeln!(out, "{}", csv::line(row)))
        })
    })?)
}
