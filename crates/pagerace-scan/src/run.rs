//! The scan of a list: many domains at once, at a rate, with a journal.

use std::io;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::client::{Client, now};
use crate::error::{Failure, Kind};
use crate::journal::{Header, Journal};
use crate::list::{Domains, Exclusions};
use crate::pace::Pace;
use crate::row::Row;
use crate::settings::{Decisive, Settings};
use crate::summary::{Counts, Summary};
use crate::tls::Trust;
use crate::{Cdn, ScanError, dns, domain};

/// Sockets that a domain has open at once: one for each address family.
const SOCKETS_EACH: u64 = 2;
/// Files and sockets of the process itself.
const SOCKETS_OTHER: u64 = 64;
/// Time between two looks at whether to stop while no domain finishes.
const TICK: Duration = Duration::from_secs(1);
/// Maximum number of domains with which the resolver is tried before the scan.
const CHECKED: usize = 3;
/// Rows that are in memory at once when results are written.
const BATCH: usize = 4096;

/// Everything that a scan needs.
#[derive(Debug)]
pub struct Scan {
    /// The domains.
    pub domains: Domains,
    /// Domains and addresses that are left alone.
    pub exclusions: Exclusions,
    /// The limits and the port.
    pub settings: Settings,
    /// The roots that judge certificates.
    pub trust: Trust,
    /// The resolvers, at least one: [`dns::system_resolvers`] has those of the machine.
    pub resolvers: Vec<SocketAddr>,
    /// Names the content delivery network of a response.
    pub cdn: Cdn,
    /// Version of the program.
    pub version: String,
}

/// The finished domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Finished domains, with those of the journal.
    pub done: usize,
    /// All domains.
    pub total: usize,
}

/// The bound on the speed of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// [`Settings::rate`].
    Rate,
    /// [`Settings::in_flight`]: domains under way time out, or wait for [`Settings::address_rate`].
    InFlight,
    /// The processors of this machine.
    Processors,
}

impl Bound {
    /// Returns the bound of a scan that began domains for this time. Meanwhile no more could be
    /// under way for the time `full`, and the time `lost` of the rate passed unused.
    fn of(began: Duration, full: Duration, lost: Duration) -> Self {
        if full > began / 2 {
            Self::InFlight
        } else if lost > began / 10 {
            Self::Processors
        } else {
            Self::Rate
        }
    }
}

/// The speed of a scan, without the domains that its journal had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed {
    /// Domains that were asked.
    pub domains: usize,
    /// Time from the first to the last.
    pub time: Duration,
    /// The bound on the speed.
    pub bound: Bound,
}

/// The end of a scan.
#[derive(Debug)]
pub enum End {
    /// All domains are finished.
    Complete(Results),
    /// The scan was stopped; the journal has the finished domains.
    Stopped(Progress),
}

/// The rows of a scan, which its journal holds.
#[derive(Debug)]
pub struct Results {
    journal: Journal,
    domains: usize,
    speed: Speed,
}

impl Results {
    /// Calls `see` with all rows in the order of the list, some thousand at once.
    ///
    /// # Errors
    /// The journal cannot be read, and errors of `see`.
    pub fn each(&self, mut see: impl FnMut(&[Row]) -> io::Result<()>) -> io::Result<()> {
        for first in (0..self.domains).step_by(BATCH) {
            see(&self.journal.rows(first, BATCH).map_err(io::Error::other)?)?;
        }
        Ok(())
    }

    /// Returns how fast the scan was.
    pub fn speed(&self) -> Speed {
        self.speed
    }

    /// Counts all rows.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn summary(&self) -> io::Result<Summary> {
        let mut counts = Counts::default();
        self.each(|rows| {
            for row in rows {
                counts.add(row);
            }
            Ok(())
        })?;
        Ok(counts.summary())
    }

    /// Removes the journal, when the rows are written elsewhere.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove_journal(self) -> Result<(), ScanError> {
        self.journal.remove()
    }
}

impl Scan {
    /// Scans all domains that the journal does not have yet. `tell` hears of each finished
    /// domain and of each second, and says when to stop.
    ///
    /// # Errors
    /// [`ScanError`]; never because of a domain.
    pub fn run(
        mut self,
        journal: &Path,
        tell: &dyn Fn(Progress) -> ControlFlow<()>,
    ) -> Result<End, ScanError> {
        let decisive = Decisive::new(&self.settings, &self.trust.digest);
        let names = &self.domains.names;
        let header = Header::new(&self.version, names, decisive);
        let journal = Journal::open(journal, &header, names.len())?;
        self.settings.in_flight = self.settings.in_flight.min(sockets_max() as usize);
        let runtime = runtime(self.settings.threads).map_err(cannot_start)?;
        let end = runtime.block_on(self.drive(journal, tell));
        // Tasks of a stopped scan are dropped.
        runtime.shutdown_background();
        end
    }

    async fn drive(
        self,
        mut journal: Journal,
        tell: &dyn Fn(Progress) -> ControlFlow<()>,
    ) -> Result<End, ScanError> {
        let Domains {
            names, malformed, ..
        } = self.domains;
        let total = names.len();
        let mut done = journal.done();
        let (in_flight, mut pace) = (self.settings.in_flight, Pace::new(self.settings.rate));
        let client = Client::new(self.settings, Arc::new(self.trust), self.resolvers);
        let client = Arc::new(client);
        let exclusions = Arc::new(self.exclusions);
        let mut waiting = (0..total)
            .filter(|i| !journal.has(*i) && !malformed.contains_key(i))
            .collect::<Vec<_>>();
        waiting.reverse();
        let asked = |i: &&usize| !exclusions.has_domain(&names[**i]);
        let first = waiting.iter().rev().filter(asked).take(CHECKED);
        let first: Vec<&str> = first.map(|i| names[*i].as_str()).collect();
        if !first.is_empty()
            && let Err(error) = dns::check(&client, &first).await
        {
            // Nothing is left behind of a scan that asked nobody.
            if done == 0 {
                journal.remove()?;
            }
            return Err(error);
        }
        for (i, problem) in malformed {
            if !journal.has(i) {
                journal.add(i, &failed(names[i].clone(), Kind::Malformed, problem))?;
                done += 1;
            }
        }
        let mut tasks = JoinSet::new();
        let (begin, before) = (now(), done);
        let (mut began, mut full) = (begin, Duration::ZERO);
        let mut due = pace.next(begin);
        let mut ticks = tokio::time::interval(TICK);
        while done < total {
            let room = tasks.len() < in_flight;
            let free = room && !waiting.is_empty();
            let since = now();
            tokio::select! {
                () = tokio::time::sleep_until(due.into()), if free => {
                    let Some(i) = waiting.pop() else { continue };
                    began = now();
                    let (client, exclusions) = (Arc::clone(&client), Arc::clone(&exclusions));
                    let (name, cdn) = (names[i].clone(), self.cdn);
                    tasks.spawn(async move {
                        let scanned = tokio::spawn({
                            let name = name.clone();
                            async move { domain::scan(&client, &exclusions, cdn, &name).await }
                        });
                        // A bug in a parser must not end the scan.
                        (i, scanned.await.unwrap_or_else(|error| failed(name, Kind::Local, error)))
                    });
                    due = pace.next(now());
                }
                _ = ticks.tick() => {
                    if tell(Progress { done, total }).is_break() {
                        return Ok(End::Stopped(Progress { done, total }));
                    }
                }
                Some(finished) = tasks.join_next() => {
                    let (i, row) = finished.map_err(cannot_start)?;
                    journal.add(i, &row)?;
                    done += 1;
                    if tell(Progress { done, total }).is_break() && done < total {
                        return Ok(End::Stopped(Progress { done, total }));
                    }
                }
            }
            if !room && !waiting.is_empty() {
                full += now() - since;
            }
        }
        let speed = Speed {
            domains: done - before,
            time: now() - begin,
            bound: Bound::of(began - begin, full, pace.lost),
        };
        Ok(End::Complete(Results {
            journal,
            domains: total,
            speed,
        }))
    }
}

fn failed(domain: String, kind: Kind, detail: impl std::fmt::Display) -> Row {
    Row {
        domain,
        error: Some(Failure::new(kind, detail).to_string()),
        ..Row::default()
    }
}

fn cannot_start(error: impl std::fmt::Display) -> ScanError {
    ScanError::new(format_args!("the scan cannot start: {error}"))
}

fn runtime(threads: usize) -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(threads.max(1))
        .enable_all()
        .build()
}

/// Raises the limit of open sockets as far as the system allows, and returns how many domains
/// it suffices for.
fn sockets_max() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        // If that is refused, the limit stays as it was.
        let _ = setrlimit(Resource::Nofile, limit);
    }
    let current = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    (current.saturating_sub(SOCKETS_OTHER) / SOCKETS_EACH).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Bound, Duration};

    #[test]
    fn the_bound_of_a_scan_is_named() {
        let ms = Duration::from_millis;
        assert_eq!(Bound::of(ms(0), ms(0), ms(0)), Bound::Rate);
        assert_eq!(Bound::of(ms(1000), ms(400), ms(90)), Bound::Rate);
        assert_eq!(Bound::of(ms(1000), ms(400), ms(300)), Bound::Processors);
        // While no more may be under way, the rate is not used either.
        assert_eq!(Bound::of(ms(1000), ms(600), ms(500)), Bound::InFlight);
    }
}
