//! Page loads in which only the link is emulated: a stock Chromium in one network
//! namespace, our servers in another, and the emulated link between them.
//!
//! Every load has new servers, a new browser with an empty profile, and new links from
//! the seed. A load is discarded and repeated if the emulator was late or other programs
//! kept the processors busy.
//!
//! Screenshots, network logs and a record of the requests take processor time from the load
//! itself. So a page is loaded twice: first with them, then without, for the page's times.

mod outcome;
mod scenario;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;

use pagerace_chromium::node::{Lighthouse, Throttling, lighthouse};
use pagerace_chromium::{Browser, ChromiumError, MeasureOptions, Observed, Options, measure_once};
use pagerace_core::{Duration, Protocol};
use pagerace_page::ResourceId;
use pagerace_page::intervention::Failure;
use pagerace_peer::Connections;

pub use outcome::{LatenessSummary, LiveCounters, LiveOutcome};
pub use pagerace_chromium::contention::CONTENTION_MAX;
pub use scenario::LiveScenario;

use crate::link::{LinkReport, RunDirectory, Testbed, hol_blocked_tcp};
use crate::names::{DNS_PORT, NameServer};
use crate::servers::{LocalCa, OriginServer, Servers, ServersConfig, ServersReport};
use crate::{LiveError, secret_seed};
use pagerace_chromium::contention::Meter;

/// The HTTPS port.
const PORT: u16 = 443;

/// Options of the live world.
#[derive(Clone, Debug)]
pub struct WorldOptions {
    /// The browser's executable; `None` searches for one.
    pub chromium: Option<PathBuf>,
    /// True to load twice: once with screenshots, a record of the requests and a network
    /// log, and once without, for the page's times. Otherwise, the only load has a record of
    /// its requests, which slows it down, and there is no Speed Index (needs Node) and no
    /// head-of-line blocking over HTTP/3.
    pub watched: bool,
    /// True if the browser resolves every host over the emulated link, as in a first
    /// visit. Otherwise it knows all addresses.
    pub look_up: bool,
    /// The time without activity after which a load is over, once the load event has
    /// fired.
    pub settle: Duration,
    /// Maximum share of all processors, 0 to 1, that other programs may take in a valid
    /// load.
    pub contention_max: f64,
    /// Maximum number of times that a disturbed load is repeated.
    pub retries: u32,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            chromium: None,
            watched: true,
            look_up: true,
            settle: Duration::from_millis(1_000),
            contention_max: CONTENTION_MAX,
            retries: 3,
        }
    }
}

/// Two namespaces with a link between them, and a certificate authority.
pub struct World {
    testbed: Testbed,
    ca: Arc<LocalCa>,
    options: WorldOptions,
    browser: String,
}

/// The raw result of one attempt at a load.
struct Attempt {
    observed: Observed,
    link: LinkReport,
    servers: ServersReport,
    contention: Option<f64>,
}

impl World {
    /// Creates the namespaces, the link and the certificate authority. They disappear
    /// when the world is dropped or the process ends, even if it is killed.
    ///
    /// # Errors
    /// [`LiveError::Privileges`] names the missing permission and what works without it.
    /// Other errors: the testbed cannot be configured or the browser does not start.
    pub fn open(options: WorldOptions) -> Result<Self, LiveError> {
        let testbed = Testbed::open()?;
        let directory = RunDirectory::create()?;
        // A missing browser is better reported now than after minutes of work.
        let probe = Options {
            executable: options.chromium.clone(),
            ..Options::new(directory.path())
        };
        let browser = Browser::launch(&probe, &|command| testbed.client().spawn(command))?;
        let version = browser.version().to_owned();
        browser.close();
        if options.look_up {
            testbed.redirect_names(directory.path())?;
        }
        Ok(Self {
            testbed,
            ca: Arc::new(LocalCa::new()?),
            options,
            browser: version,
        })
    }

    /// Returns the browser's version.
    pub fn browser(&self) -> &str {
        &self.browser
    }

    /// Loads a page once, or twice if loads are [watched](WorldOptions::watched).
    ///
    /// # Errors
    /// [`LiveError::Disturbed`] if the machine disturbed every attempt; other errors if
    /// the servers or the browser do not start. A page that fails to load is an outcome,
    /// not an error.
    pub fn load(&mut self, scenario: &LiveScenario, seed: u64) -> Result<LiveOutcome, LiveError> {
        let measure = MeasureOptions {
            settle: self.options.settle,
            deadline: scenario.settings.deadline,
            speed_index: false,
            blocked: refused(scenario),
            own_profile: scenario.hinted,
            ..MeasureOptions::default()
        };
        if !self.options.watched {
            return self.valid_load(scenario, seed, &measure);
        }
        let watched = MeasureOptions {
            speed_index: true,
            ..measure.clone()
        };
        let watched = self.valid_load(scenario, seed, &watched)?;
        // The watched load has waited for all requests, unless its time was up.
        let whole = Some(watched.observed.until).filter(|until| *until < measure.deadline);
        let timed = MeasureOptions {
            requests: scenario.recorded || !measure.blocked.is_empty(),
            at_least: whole.unwrap_or_default(),
            ..measure
        };
        let mut load = self.valid_load(scenario, seed, &timed)?;
        load.add_watched(watched);
        Ok(load)
    }

    /// Loads a page until the machine does not disturb the load.
    fn valid_load(
        &mut self,
        scenario: &LiveScenario,
        seed: u64,
        measure: &MeasureOptions,
    ) -> Result<LiveOutcome, LiveError> {
        let mut rejected = Vec::new();
        loop {
            let reason = match self.attempt(scenario, seed, measure) {
                Ok(attempt) => match disturbance(&attempt, self.options.contention_max) {
                    Some(reason) => reason,
                    None => return Ok(outcome(attempt, hanging(scenario), rejected)),
                },
                // These failures may be transient, so the load is repeated.
                Err(LiveError::Chromium(
                    error @ (ChromiumError::Crashed { .. }
                    | ChromiumError::Ended { .. }
                    | ChromiumError::Timeout { .. }),
                )) => error.to_string(),
                Err(error) => return Err(error),
            };
            rejected.push(reason);
            if rejected.len() as u32 > self.options.retries {
                return Err(LiveError::Disturbed { attempts: rejected });
            }
        }
    }

    fn attempt(
        &mut self,
        scenario: &LiveScenario,
        seed: u64,
        measure: &MeasureOptions,
    ) -> Result<Attempt, LiveError> {
        if scenario.speaks(Protocol::is_tcp) {
            self.testbed.set_congestion(&scenario.congestion)?;
        }
        let (servers, directory) = (self.serve(scenario)?, RunDirectory::create()?);
        let _names = self.name_server(scenario)?;
        let options = Options {
            netlog: measure.speed_index && scenario.speaks(|p| !p.is_tcp()),
            ..self.browser_options(scenario, &directory)?
        };
        let client = self.testbed.client();
        let distances = self.distances(scenario)?;
        self.testbed
            .begin_with(&scenario.network, seed, distances)?;
        let meter = Meter::start();
        let url = &scenario.page.url;
        let observed = measure_once(&options, url, measure, &|command| client.spawn(command));
        let contention = meter.and_then(Meter::others);
        let link = self.testbed.finish()?;
        let servers = servers.stop();
        let observed = match observed {
            // A document that fails to load is a result, not an error.
            Err(error @ ChromiumError::Navigation { .. }) => Observed {
                failures: vec![error.to_string()],
                ..Observed::default()
            },
            observed => observed?,
        };
        Ok(Attempt {
            observed,
            link,
            servers,
            contention,
        })
    }

    /// Loads a page once under Lighthouse. With a `throttling` the link is not emulated
    /// and Lighthouse simulates the network. Otherwise Lighthouse measures over the
    /// scenario's network.
    ///
    /// # Errors
    /// As [`load`](Self::load); [`LiveError::Chromium`] if Node is missing.
    pub fn lighthouse(
        &mut self,
        scenario: &LiveScenario,
        throttling: Option<Throttling>,
        seed: u64,
    ) -> Result<Lighthouse, LiveError> {
        if scenario.speaks(Protocol::is_tcp) {
            self.testbed.set_congestion(&scenario.congestion)?;
        }
        let (servers, directory) = (self.serve(scenario)?, RunDirectory::create()?);
        let _names = self.name_server(scenario)?;
        let options = self.browser_options(scenario, &directory)?;
        let client = self.testbed.client();
        if throttling.is_none() {
            let distances = self.distances(scenario)?;
            self.testbed
                .begin_with(&scenario.network, seed, distances)?;
        }
        let url = &scenario.page.url;
        let said = lighthouse(&options, url, throttling, &|command| client.spawn(command));
        if throttling.is_none() {
            self.testbed.finish()?;
        }
        servers.stop();
        Ok(said?)
    }

    fn serve(&self, scenario: &LiveScenario) -> Result<Servers, LiveError> {
        let origins = self.origins(scenario)?;
        let config = ServersConfig {
            quic_congestion: scenario.congestion.clone(),
            settings: scenario.settings,
            strategy: scenario.strategy.clone(),
            seed: secret_seed()?,
            ..ServersConfig::new(Arc::clone(&self.ca))
        };
        let site = scenario
            .site
            .renewed()
            .with_effects(scenario.effects.clone());
        Servers::start(Some(self.testbed.server()), &config, &origins, site)
    }

    /// Starts the name server, if the browser resolves names.
    fn name_server(&self, scenario: &LiveScenario) -> Result<Option<NameServer>, LiveError> {
        if !self.options.look_up {
            return Ok(None);
        }
        let names = hosts(&self.origins(scenario)?);
        let (namespace, address) = (self.testbed.server(), self.testbed.name_server());
        NameServer::start(namespace, address, names).map(Some)
    }

    fn browser_options(
        &self,
        scenario: &LiveScenario,
        directory: &RunDirectory,
    ) -> Result<Options, LiveError> {
        let hosts = hosts(&self.origins(scenario)?);
        let look_up = self.options.look_up;
        let known = hosts.iter().map(|(host, _)| host.clone());
        // The browser also resolves hosts that did not exist when the page was recorded.
        // The name server does not know them.
        let origins = scenario.page.origins.iter().map(|o| &o.host);
        let missing = origins.filter(|o| hosts.iter().all(|(host, _)| host != *o));
        let names = known.chain(missing.cloned());
        Ok(Options {
            executable: self.options.chromium.clone(),
            look_up: names.filter(|_| look_up).collect(),
            hosts: if look_up { Vec::new() } else { hosts },
            quic_hosts: quic_hosts(scenario),
            spki: self.ca.spki_hashes(),
            device: scenario.device.clone(),
            ..Options::new(directory.path())
        })
    }

    /// Returns the round trips of servers beyond the network. A server of several hosts has
    /// the shortest of theirs.
    fn distances(
        &self,
        scenario: &LiveScenario,
    ) -> Result<BTreeMap<Ipv4Addr, Duration>, LiveError> {
        let of_host = |host: &String| scenario.distances.get(host).copied().unwrap_or_default();
        let of_server = |origin: OriginServer| match origin.address {
            IpAddr::V4(address) => Some((address, origin.hosts.iter().map(of_host).min()?)),
            IpAddr::V6(_) => None,
        };
        let origins = self.origins(scenario)?.into_iter();
        Ok(origins.filter_map(of_server).collect())
    }

    /// Returns the servers with their addresses and hosts.
    fn origins(&self, scenario: &LiveScenario) -> Result<Vec<OriginServer>, LiveError> {
        let mut origins: Vec<OriginServer> = Vec::new();
        for (host, &protocol) in &scenario.protocols {
            let single = scenario.settings.connections == Connections::Single;
            let same = |o: &&mut OriginServer| single && o.protocol == protocol;
            if let Some(origin) = origins.iter_mut().find(same) {
                origin.hosts.push(host.clone());
                continue;
            }
            let address: Ipv4Addr = self.testbed.server_address(origins.len())?;
            origins.push(OriginServer {
                address: address.into(),
                port: PORT,
                protocol,
                hosts: vec![host.clone()],
            });
        }
        Ok(origins)
    }
}

fn hosts(origins: &[OriginServer]) -> Vec<(String, IpAddr)> {
    let pairs = origins.iter().flat_map(|origin| {
        let address = origin.address;
        origin.hosts.iter().map(move |host| (host.clone(), address))
    });
    pairs.collect()
}

fn quic_hosts(scenario: &LiveScenario) -> Vec<String> {
    let quic = scenario.protocols.iter().filter(|(_, p)| !p.is_tcp());
    quic.map(|(host, _)| format!("{host}:{PORT}")).collect()
}

/// Returns the resources that are never answered.
fn hanging(scenario: &LiveScenario) -> Vec<ResourceId> {
    let resources = scenario.page.resources.iter().zip(&scenario.effects);
    let hanging = resources.filter(|(_, effect)| effect.block == Some(Failure::Hang));
    hanging.map(|(resource, _)| resource.id).collect()
}

/// Returns the URLs whose requests the browser must block.
fn refused(scenario: &LiveScenario) -> Vec<String> {
    let resources = scenario.page.resources.iter().zip(&scenario.effects);
    let refused = resources.filter(|(_, effect)| effect.block == Some(Failure::Refused));
    refused.map(|(resource, _)| resource.url.clone()).collect()
}

/// Returns the reason to reject an attempt; `None` if it is valid.
fn disturbance(attempt: &Attempt, contention_max: f64) -> Option<String> {
    if let Some(objection) = attempt.link.objection() {
        return Some(objection);
    }
    let busy = attempt.contention.filter(|&share| share > contention_max)?;
    let percent = (busy * 100.0).round();
    Some(format!("other programs took {percent} % of the processors"))
}

fn outcome(attempt: Attempt, hanging: Vec<ResourceId>, rejected: Vec<String>) -> LiveOutcome {
    let Attempt {
        observed,
        link,
        servers,
        contention,
    } = attempt;
    let tcp = hol_blocked_tcp(&link.packets);
    let quic = observed.hol.unwrap_or_default();
    let flows = link.packets.iter().map(|p| p.flow);
    let connections: BTreeSet<_> = flows.filter(|f| f.server_port != DNS_PORT).collect();
    LiveOutcome {
        counters: LiveCounters {
            connections: connections.len() as u64,
            down: link.down,
            up: link.up,
            hol_blocked_bytes: tcp.bytes + quic.bytes,
            hol_blocked_byte_ms: tcp.byte_ms + quic.byte_ms,
        },
        lateness: LatenessSummary {
            packets: link.lateness.count(),
            p50: link.lateness.p50(),
            p99: link.lateness.p99(),
            max: link.lateness.max(),
        },
        unknown: servers.unknown,
        observed,
        contention,
        rejected,
        hanging,
    }
}
