//! `pagerace serve`: serves a recording or a folder to a user's browser.

mod args;
mod browser;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use pagerace_core::Protocol;
use pagerace_delivery::StrategySpec;
use pagerace_har::Recording;
use pagerace_live::site::ServedSite;
use pagerace_live::{
    FolderSite, Guard, LocalCa, OriginServer, ReplaySite, Servers, ServersConfig, secret_seed,
};
use url::Url;

use crate::cli::files::{check_files, say};
use crate::cli::inputs::{controller, fit, list};
use crate::cli::warn::warn;
use args::ServeArgs;
use browser::Opening;

/// Interval between checks for unknown requests and for the end.
const LOOK: Duration = Duration::from_millis(100);

/// Maximum number of warnings of one kind.
const NOTES_MAX: usize = 5;

pub(crate) fn run(args: &ServeArgs) -> Result<()> {
    let protocols = list(
        "protocol",
        &args.protocols.protocol,
        &[Protocol::H2, Protocol::H3],
    )?;
    let strategy: StrategySpec = args.strategy.parse().context("--strategy")?;
    let outputs: Vec<&Path> = args.ca.iter().map(AsRef::as_ref).collect();
    check_files(&outputs, std::slice::from_ref(&args.site))?;
    let ca = Arc::new(LocalCa::new()?);
    let config = ServersConfig {
        strategy,
        quic_congestion: controller(&args.controller.cc)?,
        seed: secret_seed()?,
        tickets: true,
        announces: true,
        guard: Some(Guard::default()),
        ..ServersConfig::new(ca.clone())
    };
    if let Some(path) = &args.ca {
        std::fs::write(path, ca.certificate_pem()).with_context(|| path.display().to_string())?;
        say(path)?;
    }
    if args.site.is_dir() {
        let url = Url::parse(&format!("https://localhost:{}/", args.port)).expect("it is one");
        let opening = Opening::here(url);
        let site = FolderSite::new(&args.site)?;
        serve(args, &config, &protocols, &opening, site)
    } else {
        let mut recording =
            pagerace_har::recording::load_recording(&args.site, &args.choice.options())?;
        if !args.no_think_time {
            fit(vec![&mut recording.page], 1, true)?;
        }
        let site = ReplaySite::new(&recording)
            .with_context(|| args.site.display().to_string())?
            .with_think_time(!args.no_think_time);
        warn_all(site.notes());
        let opening = Opening::recorded(recorded_url(&recording)?, site.hosts());
        serve(args, &config, &protocols, &opening, site)
    }
}

/// Prints the first few notes on responses that cannot be replayed as recorded.
fn warn_all(notes: &[String]) {
    notes.iter().take(NOTES_MAX).for_each(|note| warn(note));
    if let Some(more) = notes.len().checked_sub(NOTES_MAX).filter(|n| *n > 0) {
        warn(&format!("{more} more responses are not served as recorded"));
    }
}

/// Returns the URL of the page with the scheme HTTPS, whatever was recorded.
fn recorded_url(recording: &Recording) -> Result<Url> {
    let text = &recording.page.url;
    let mut url = Url::parse(text).with_context(|| format!("the page's URL {text:?}"))?;
    if url.set_scheme("https").is_err() {
        bail!("the page's URL {text} cannot be served over HTTPS");
    }
    Ok(url)
}

fn serve(
    args: &ServeArgs,
    config: &ServersConfig,
    protocols: &[Protocol],
    opening: &Opening,
    site: impl ServedSite,
) -> Result<()> {
    let mut names = opening.hosts().to_vec();
    names.push(args.address.to_string());
    names.dedup();
    // A server of HTTP/2 also speaks HTTP/1.1.
    let both = protocols.contains(&Protocol::H2);
    let spoken = protocols.iter().filter(|p| **p != Protocol::H1 || !both);
    let origins: Vec<OriginServer> = spoken
        .map(|protocol| OriginServer {
            address: args.address,
            port: args.port,
            protocol: *protocol,
            hosts: names.clone(),
        })
        .collect();
    let servers = Servers::start(None, config, &origins, site)?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))
        .context("cannot listen for Ctrl-C")?;
    tell(args, config, protocols, opening)?;
    let mut told = BTreeSet::new();
    while !stop.load(Ordering::Relaxed) && servers.is_serving() {
        thread::sleep(LOOK);
        for unknown in servers.unknown() {
            if told.insert(unknown.clone()) {
                let mut out = anstream::stdout();
                writeln!(out, "404 {unknown}")?;
                out.flush()?;
            }
        }
    }
    let report = servers.stop();
    match report.failures.first() {
        Some(failure) => bail!("{failure}"),
        None => Ok(()),
    }
}

/// Prints the address of the server and the commands that open the page.
fn tell(
    args: &ServeArgs,
    config: &ServersConfig,
    protocols: &[Protocol],
    opening: &Opening,
) -> Result<()> {
    let address = reachable(args.address);
    let mut out = anstream::stdout();
    writeln!(
        out,
        "{} is served at {} with strategy {}; press Ctrl-C to stop.",
        args.site.display(),
        std::net::SocketAddr::new(args.address, args.port),
        config.strategy
    )?;
    for protocol in protocols {
        let command = opening.command(*protocol, address, args.port, &config.ca.spki_hashes());
        writeln!(out, "\nOver {protocol}:\n  {command}")?;
    }
    writeln!(out, "\nRequests for URLs that the site lacks:")?;
    // The reader of a pipe needs this text before the first request.
    out.flush()?;
    Ok(())
}

/// Returns the address at which a browser on this machine reaches the server.
fn reachable(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(any) if any.is_unspecified() => std::net::Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(any) if any.is_unspecified() => std::net::Ipv6Addr::LOCALHOST.into(),
        address => address,
    }
}
