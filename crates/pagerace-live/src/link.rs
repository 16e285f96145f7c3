//! A link between two network namespaces, emulated by a thread.
//!
//! A [`Testbed`] is two anonymous namespaces, one for the client and one for the
//! servers, each with a TUN device. One thread reads the packets that come out of
//! one device, offers them to the same [`pagerace_net::Link`]s that the simulator
//! runs, and writes them to the other device when they are due. So a live load and
//! a simulated one differ in everything but the link. It needs neither netem nor a
//! kernel module, only the right to make namespaces and TUN devices.
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
//! Nothing is left when the testbed is dropped or the process dies: what the
//! kernel holds goes with the last thread and socket. A [`RunDirectory`] removes
//! what remains on the disk of those that died.
//!
//! Left out: IPv6, links with more than two ends, and what a link layer adds.
//! Packets are counted from their IP header on, as in the simulator.

mod directory;
mod emulator;
mod hol;
mod kernel;
mod lateness;
mod log;
mod namespace;
mod packet;
mod report;
mod resolver;
mod run;
mod setup;
mod sys;

use std::net::Ipv4Addr;
use std::sync::Mutex;

use pagerace_net::Network;

pub use self::directory::RunDirectory;
pub use self::hol::{HolBlocked, hol_blocked_tcp};
pub use self::lateness::Lateness;
pub use self::namespace::Namespace;
pub use self::packet::{Direction, Flow, TcpHeader, Transport};
pub use self::report::{Fate, LinkPacket, LinkReport, Scheduling};

use self::emulator::Emulator;
use self::kernel::KernelCounters;
use self::run::Run;
use crate::LiveError;

/// Two namespaces joined by the emulated link.
pub struct Testbed {
    /// First, so that the devices go before the namespaces.
    emulator: Emulator,
    client: Namespace,
    server: Namespace,
    counters: KernelCounters,
    /// What the kernel had dropped when the load began.
    dropped_before: Mutex<kernel::Drops>,
}

impl Testbed {
    /// Makes the namespaces and joins them. Packets pass at once until
    /// [`begin`](Self::begin).
    ///
    /// # Errors
    /// [`LiveError::Privileges`] says what is lacking and what to do;
    /// [`LiveError::Tool`] and [`LiveError::Configure`]: the `ip` command.
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

    /// Where the browser lives, at 10.0.0.1.
    pub fn client(&self) -> &Namespace {
        &self.client
    }

    /// Where the servers live.
    pub fn server(&self) -> &Namespace {
        &self.server
    }

    /// Sends all name look-ups of what is started in the client's namespace to
    /// [`name_server`](Self::name_server), whatever the machine's own resolver is.
    /// `directory` needs to be there for this call only.
    ///
    /// # Errors
    /// [`LiveError::Privileges`], [`LiveError::Resolver`].
    pub fn redirect_names(&self, directory: &std::path::Path) -> Result<(), LiveError> {
        resolver::redirect(&self.client, setup::NAME_SERVER, directory)
    }

    /// The address at which a name server is asked; no server's.
    pub fn name_server(&self) -> Ipv4Addr {
        setup::NAME_SERVER
    }

    /// The address of the `k`-th server; any can be bound at once.
    ///
    /// # Errors
    /// [`LiveError::Addresses`]: there are 64,000.
    pub fn server_address(&self, k: usize) -> Result<Ipv4Addr, LiveError> {
        setup::server_address(k)
    }

    /// Pins the kernel's TCP congestion controller of both ends, by route, and
    /// forgets what the kernel has learnt of earlier connections. It holds for
    /// connections that are opened from now on. Before the first call the
    /// system's own choice holds.
    ///
    /// # Errors
    /// [`LiveError::Congestion`]: the kernel has none of this name.
    pub fn set_congestion(&self, name: &str) -> Result<(), LiveError> {
        setup::set_congestion(&self.client, &self.server, name)
    }

    /// Lets packets go over fresh links of `network` from now on. Time zero is
    /// the client's first TCP SYN or datagram to a server; the schedules and
    /// traces of the network begin there. Connections from before are cut off:
    /// their packets go nowhere.
    ///
    /// `seed` decides what is lost, as in a simulation with this seed.
    ///
    /// # Errors
    /// [`LiveError::Emulator`].
    pub fn begin(&self, network: &Network, seed: u64) -> Result<(), LiveError> {
        *self.lock() = self.counters.drops()?;
        let run = Run::new(network, seed, LinkReport::PACKETS_MAX);
        self.emulator.begin(run)
    }

    /// Ends the load. Packets under way go nowhere; later ones pass at once until
    /// the next [`begin`](Self::begin), so that connections can be closed.
    ///
    /// # Errors
    /// [`LiveError::NotBegun`], [`LiveError::Emulator`].
    pub fn finish(&self) -> Result<LinkReport, LiveError> {
        let ran = self.emulator.finish()?.ok_or(LiveError::NotBegun)?;
        let drops = self.counters.drops()?.since(*self.lock());
        let ended = ran.run.end_load();
        Ok(LinkReport {
            packets: ended.packets,
            unlogged: ended.unlogged,
            down: ended.down,
            up: ended.up,
            lateness: ended.lateness,
            started: ended.zero.map(|zero| self.emulator.clock.monotonic(zero)),
            strays: ended.strays,
            kernel_drops: drops.device + ran.refused,
            socket_drops: drops.socket,
            scheduling: self.emulator.scheduling.clone(),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, kernel::Drops> {
        let lock = self.dropped_before.lock();
        lock.expect("nothing panics while it holds this lock")
    }
}
