//! A link between two network namespaces, emulated by a thread.
//!
//! A [`Testbed`] has two anonymous namespaces, one for the client and one for the
//! servers, each with a TUN device. A thread reads the packets from one device, offers
//! them to the same [`pagerace_net::Link`]s that the simulator runs, and writes them to
//! the other device when they are due. A live load and a simulated one thus share only
//! the link. The testbed needs neither netem nor a kernel module, only permission to
//! create namespaces and TUN devices.
//!
//! ```no_run
//! use pagerace_live::link::Testbed;
//! use pagerace_net::Network;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let testbed = Testbed::open()?;
//! let address = testbed.server_address(0)?;
//! let listener = testbed.server().run(move || std::net::TcpListener::bind((address, 443)))?;
//! testbed.begin(&Network::parse("slow-4g")?, 1)?;
//! // .. load something in testbed.client() ..
//! let report = testbed.finish()?;
//! if let Some(why) = report.objection() {
//!     eprintln!("to be repeated: {why}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Nothing remains when the testbed is dropped or the process dies, as the kernel frees
//! its objects with the last thread and socket. The next [`RunDirectory`] removes the
//! files of dead processes from the disk.
//!
//! Left out: IPv6, links with more than two ends, and the overhead of a link layer.
//! Packet sizes count from the IP header, as in the simulator.

mod directory;
mod emulator;
mod hol;
mod kernel;
mod log;
mod namespace;
mod packet;
mod report;
mod resolver;
mod run;
mod setup;
mod sys;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Mutex;

use pagerace_core::Duration;
use pagerace_net::Network;

pub use self::directory::RunDirectory;
pub use self::hol::hol_blocked_tcp;
pub use self::namespace::Namespace;
pub use self::packet::{Direction, Flow, TcpHeader, Transport};
pub use self::report::{Fate, LinkPacket, LinkReport, Scheduling};
pub use crate::lateness::Lateness;

use self::emulator::Emulator;
use self::kernel::KernelCounters;
use self::run::Run;
use crate::LiveError;

/// Two namespaces joined by the emulated link.
pub struct Testbed {
    /// Dropped first, so that the devices go before the namespaces.
    emulator: Emulator,
    client: Namespace,
    server: Namespace,
    counters: KernelCounters,
    /// Packets that the kernel had dropped before the load began.
    dropped_before: Mutex<kernel::Drops>,
}

impl Testbed {
    /// Creates the namespaces and connects them. Packets pass without delay until
    /// [`begin`](Self::begin).
    ///
    /// # Errors
    /// [`LiveError::Privileges`] names the missing permission and the remedy;
    /// [`LiveError::Tool`] and [`LiveError::Configure`] concern the `ip` command.
    pub fn open() -> Result<Self, LiveError> {
        let client = Namespace::new("client")?;
        let server = Namespace::new("server")?;
        let devices = (setup::open_tun(&client)?, setup::open_tun(&server)?);
        setup::client(&client)?;
        setup::server(&server)?;
        let counters = KernelCounters::open([&client, &server])?;
        Ok(Self {
            emulator: Emulator::start(devices.0, devices.1)?,
            client,
            server,
            counters,
            dropped_before: Mutex::default(),
        })
    }

    /// Returns the namespace of the client and the browser, with the address 10.0.0.1.
    pub fn client(&self) -> &Namespace {
        &self.client
    }

    /// Returns the namespace of the servers.
    pub fn server(&self) -> &Namespace {
        &self.server
    }

    /// Redirects DNS queries of programs started in the client's namespace to
    /// [`name_server`](Self::name_server), whatever the machine's resolver is.
    /// `directory` must exist only during this call.
    ///
    /// # Errors
    /// [`LiveError::Privileges`], [`LiveError::Resolver`].
    pub fn redirect_names(&self, directory: &std::path::Path) -> Result<(), LiveError> {
        resolver::redirect(&self.client, setup::NAME_SERVER, directory)
    }

    /// Returns the address of the name server, which no other server has.
    pub fn name_server(&self) -> Ipv4Addr {
        setup::NAME_SERVER
    }

    /// Returns the address of the `k`-th server. All addresses can be bound at the same
    /// time.
    ///
    /// # Errors
    /// [`LiveError::Addresses`]: `k` is not below 64,000, the number of addresses.
    pub fn server_address(&self, k: usize) -> Result<Ipv4Addr, LiveError> {
        setup::server_address(k)
    }

    /// Pins the kernel's TCP congestion controller at both ends by route and clears the
    /// cached metrics of earlier connections. The controller applies to connections
    /// opened from now on. Before the first call the system's default applies.
    ///
    /// # Errors
    /// [`LiveError::Congestion`]: the kernel has no controller of this name.
    pub fn set_congestion(&self, name: &str) -> Result<(), LiveError> {
        setup::set_congestion(&self.client, &self.server, name)
    }

    /// Carries packets over new links of `network` from now on. Time zero is the client's
    /// first TCP SYN or datagram to a server; the schedules and traces of the network
    /// start there. Packets of earlier connections are dropped.
    ///
    /// `seed` determines the losses, as in a simulation with this seed.
    ///
    /// # Errors
    /// [`LiveError::Emulator`].
    pub fn begin(&self, network: &Network, seed: u64) -> Result<(), LiveError> {
        self.begin_with(network, seed, BTreeMap::new())
    }

    /// Does the same as [`begin`](Self::begin) with servers that stand beyond the links:
    /// `distances` are their further round trips, by address.
    ///
    /// # Errors
    /// [`LiveError::Emulator`].
    pub(crate) fn begin_with(
        &self,
        network: &Network,
        seed: u64,
        distances: BTreeMap<Ipv4Addr, Duration>,
    ) -> Result<(), LiveError> {
        *self.lock() = self.counters.drops()?;
        let run = Run::new(network, seed, LinkReport::PACKETS_MAX);
        self.emulator.begin(run.with_distances(distances))
    }

    /// Ends the load and drops the packets in flight. Later packets pass without delay
    /// until the next [`begin`](Self::begin), so that connections can be closed.
    ///
    /// # Errors
    /// [`LiveError::NotBegun`], [`LiveError::Emulator`].
    pub fn finish(&self) -> Result<LinkReport, LiveError> {
        let ran = self.emulator.finish()?.ok_or(LiveError::NotBegun)?;
        let mut drops = self.counters.drops()?.since(*self.lock());
        drops.device += ran.refused;
        let Emulator {
            clock, scheduling, ..
        } = &self.emulator;
        Ok(ran.run.end_load(*clock, drops, scheduling.clone()))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, kernel::Drops> {
        let lock = self.dropped_before.lock();
        lock.expect("nothing panics while it holds this lock")
    }
}
