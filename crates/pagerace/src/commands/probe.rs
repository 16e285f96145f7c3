//! `pagerace probe`: which order of responses a real server of HTTP/2 or HTTP/3 runs, and which
//! congestion controller.

mod answer;
mod args;
mod congestion;
mod output;

use std::net::{SocketAddr, ToSocketAddrs as _};

use anyhow::{Context as _, Result, bail};
use pagerace_core::{Duration, Protocol};
use pagerace_lab::LabError;
use pagerace_lab::runner::run_all;
use pagerace_live::{probe as socket, secret_seed};
use pagerace_probe::find::path;
use pagerace_probe::script::STREAMS;
use pagerace_probe::{
    Behaviour, Budget, Candidate, Job, Kind, Observed, ProbeError, SCHEDULERS, Server, Subject,
    Trace, Verdict, candidates, judge, observe,
};
use url::Url;

use crate::cli::files::check_files;
use crate::progress::Watch;
use answer::Answer as _;
use args::ProbeArgs;
use output::Order;

pub(crate) fn run(args: &ProbeArgs) -> Result<()> {
    check_files(args.report.as_slice(), args.ca.as_slice())?;
    let single = [(args.find, "--find"), (args.congestion, "--congestion")];
    for (_, option) in single.iter().filter(|(given, _)| *given) {
        if args.urls.len() > 1 {
            bail!("{option} takes one URL; {} were given", args.urls.len());
        }
    }
    let (server, urls) = server(args)?;
    let paths: Vec<String> = urls.iter().map(path).collect();
    let subject = match &urls[..] {
        [page] if args.find => Subject::Page(page),
        [url] => Subject::Url(url),
        _ => Subject::Objects(&paths),
    };
    let budget = Budget {
        requests: args.requests.into(),
        bytes: u64::from(args.megabytes) * 1_000_000,
        time: Duration::from_secs(args.seconds.into()),
    };
    let watch = Watch::new(true, "steps");
    if args.congestion {
        return congestion::run(args, &server, subject, &budget, &watch);
    }
    let observed = probe(args, &server, subject, &budget, &watch)?;
    let verdict = if observed.unseen().is_empty() {
        judged(args, &observed, &watch)?
    } else {
        Verdict::unknown()
    };
    watch.clear();
    let answer = Order {
        url: &args.urls[0],
        remote: server.remote,
        behaviour: Behaviour::of(&observed),
        verdict,
        observed: &observed,
    };
    answer.show(args, &server)
}

/// Simulates all candidates, and compares them with the observations.
fn judged(args: &ProbeArgs, observed: &Observed, watch: &Watch) -> Result<Verdict<Candidate>> {
    let model = observed.model(args.random.seed);
    let all = candidates(args.protocol);
    watch.start("simulating", all.len());
    let expected = run_all(
        args.threads.count(),
        all.len(),
        &|i| Ok(model.expect(&all[i])),
        &|progress| watch.tell(progress),
    )?;
    let entries: Vec<_> = all.into_iter().zip(expected).collect();
    Ok(judge(&observed.values(), &entries, &SCHEDULERS))
}

/// Returns the error of a probe.
fn failed(error: ProbeError<anyhow::Error>) -> anyhow::Error {
    match error {
        ProbeError::Socket(error) => error,
        other => anyhow::Error::new(LabError::Scenario(other.to_string())),
    }
}

/// Plays all scripts.
fn probe(
    args: &ProbeArgs,
    server: &Server,
    subject: Subject<'_>,
    budget: &Budget,
    watch: &Watch,
) -> Result<Observed> {
    let roots = socket::roots(args.ca.as_deref())?;
    let mut play: Box<dyn FnMut(Job) -> Result<Trace>> = if args.protocol == Protocol::H2 {
        let tls = socket::tls(roots)?;
        Box::new(move |job| Ok(socket::play_http2(job, server, &tls)?))
    } else {
        let keys = socket::keys(roots)?;
        // Connections of one seed would look like one connection to the server.
        Box::new(move |job| Ok(socket::play(job, server, &keys, secret_seed()?)?))
    };
    let scripts = Kind::ALL.into_iter();
    let (objects, looks) = match subject {
        Subject::Objects(paths) => (paths.len(), 1),
        Subject::Url(_) => (1, 1),
        Subject::Page(_) => (STREAMS, 3),
    };
    let scripts = scripts.filter(|kind| kind.suits(args.protocol, objects));
    let connections = scripts.count() + looks;
    watch.start("probing", connections);
    let mut done = 0;
    let played = observe(args.protocol, subject, budget, |job| -> Result<_> {
        // Repeated scripts count as one step, and so does what a page takes that is not announced.
        watch.step(done.min(connections - 1), connections)?;
        done += 1;
        play(job)
    });
    played.map_err(failed)
}

/// Returns the server of all URLs, and the URLs.
fn server(args: &ProbeArgs) -> Result<(Server, Vec<Url>)> {
    let mut urls: Vec<Url> = Vec::new();
    let mut origin = None;
    for text in &args.urls {
        let mut url = Url::parse(text).with_context(|| format!("{text:?} is not a URL"))?;
        if url.scheme() != "https" || url.host_str().is_none() {
            bail!("{text}: a probe needs a URL that begins with https://");
        }
        if !url.username().is_empty() || url.password().is_some() {
            bail!("{text}: a URL with a name or password cannot be probed; leave them out");
        }
        let this = url.origin();
        if origin.get_or_insert_with(|| this.clone()) != &this {
            bail!("{text}: all URLs must have the same host and port");
        }
        url.set_fragment(None);
        if urls.contains(&url) {
            bail!("{text}: give each URL once");
        }
        urls.push(url);
    }
    let url = &urls[0];
    let host = url.host_str().unwrap_or_default();
    let name = host.trim_matches(['[', ']']).to_owned();
    let port = url.port().unwrap_or(443);
    let authority = url
        .port()
        .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let remote = match args.connect {
        Some(remote) => remote,
        None => address(&name, port, args.congestion && args.protocol.is_tcp())?,
    };
    Ok((
        Server {
            remote,
            name,
            authority,
        },
        urls,
    ))
}

/// Returns the first address of a host, if need be of IPv4.
fn address(name: &str, port: u16, ipv4: bool) -> Result<SocketAddr> {
    let found = (name, port)
        .to_socket_addrs()
        .with_context(|| format!("the address of {name} cannot be found"))?;
    let found: Vec<SocketAddr> = found.collect();
    let first = found.iter().find(|found| !ipv4 || found.is_ipv4());
    // The probe itself refuses an address of IPv6 that it cannot use.
    let first = first.or(found.first()).copied();
    first.with_context(|| format!("{name} has no address"))
}
