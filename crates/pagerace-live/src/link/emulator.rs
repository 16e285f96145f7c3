//! The thread that carries packets between two TUN devices.
//!
//! The thread sleeps in `ppoll(2)` until a packet arrives or is due. The link computes
//! the departure times, so a late wake-up delays a packet but does not change the rate of
//! the link.
//!
//! Between loads packets pass without delay, so that connections can be closed.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;

use super::packet::Direction;
use super::report::Scheduling;
use super::run::{Run, Verdict};
use super::setup::MTU;
use super::sys;
use crate::{Clock, LiveError};

/// Maximum number of packets read in a row before due packets are delivered.
const BATCH: usize = 32;

/// A command for the thread.
enum Order {
    /// Carry packets over these links. The thread confirms when it has started.
    Begin(Box<Run>, Sender<()>),
    /// Stop and return the links. Later packets pass without delay.
    Finish(Sender<Option<Ran>>),
}

/// The links after their load, and the number of packets that a kernel did not accept.
pub(super) struct Ran {
    pub(super) run: Box<Run>,
    pub(super) refused: u64,
}

/// Handle of the thread.
pub(super) struct Emulator {
    /// `None` only during drop.
    orders: Option<Sender<Order>>,
    wake: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
    failure: Arc<OnceLock<String>>,
    pub(super) clock: Clock,
    pub(super) scheduling: Scheduling,
}

impl Emulator {
    /// Starts the thread between two devices.
    pub(super) fn start(client: OwnedFd, server: OwnedFd) -> Result<Self, LiveError> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            LiveError::Emulator(format!("{what}: {error}"))
        };
        let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)
            .map_err(|error| failed("no eventfd could be made", &error))?;
        let wake = Arc::new(wake);
        let (orders, todo) = channel();
        let (scheduled, scheduling) = channel();
        let failure = Arc::new(OnceLock::new());
        let clock = Clock::start();
        let mut carrier = Carrier {
            client,
            server,
            wake: wake.clone(),
            todo,
            clock,
            run: None,
            refused: 0,
            buffer: vec![0; MTU].into(),
        };
        let said = failure.clone();
        let work = move || {
            // The receiver is still there: it waits for this message.
            let _ = scheduled.send(hurry());
            if let Err(error) = carrier.carry() {
                // The cell is empty, as it is only set here.
                let _ = said.set(format!("a TUN device failed: {error}"));
            }
        };
        let thread = std::thread::Builder::new()
            .name("link".to_owned())
            .spawn(work)
            .map_err(|error| failed("no thread could be started", &error))?;
        let scheduling = scheduling.recv().expect("the first thing that it sends");
        Ok(Self {
            orders: Some(orders),
            wake,
            thread: Some(thread),
            failure,
            clock,
            scheduling,
        })
    }

    /// Carries packets over these links from now on.
    pub(super) fn begin(&self, run: Run) -> Result<(), LiveError> {
        let (done, answer) = channel();
        self.order(Order::Begin(Box::new(run), done));
        answer.recv().map_err(|_| self.error())
    }

    /// Removes the links and returns them; `None` if there are none.
    pub(super) fn finish(&self) -> Result<Option<Ran>, LiveError> {
        let (done, answer) = channel();
        self.order(Order::Finish(done));
        answer.recv().map_err(|_| self.error())
    }

    fn order(&self, order: Order) {
        let orders = self.orders.as_ref().expect("taken only by drop");
        // If the thread has ended, the missing answer reports the failure.
        let _ = orders.send(order);
        self.wake();
    }

    fn wake(&self) {
        // The write fails only if the counter is full, and then the thread is woken
        // anyway.
        let _ = rustix::io::write(&*self.wake, &1_u64.to_ne_bytes());
    }

    fn error(&self) -> LiveError {
        let why = self.failure.get().map_or("its thread ended", |s| s);
        LiveError::Emulator(why.to_owned())
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        drop(self.orders.take());
        self.wake();
        if let Some(thread) = self.thread.take() {
            // A panic has been printed already, and there is nobody to return it to.
            let _ = thread.join();
        }
    }
}

/// Requests prompt wake-ups from the kernel and returns the resulting scheduling.
fn hurry() -> Scheduling {
    // The default timer slack delays ordinary threads by up to 50 us, which is
    // acceptable.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    match sys::real_time() {
        Ok(()) => Scheduling::RealTime,
        Err(error) => Scheduling::Ordinary {
            why: error.to_string(),
        },
    }
}

/// State of the thread.
struct Carrier {
    client: OwnedFd,
    server: OwnedFd,
    wake: Arc<OwnedFd>,
    todo: Receiver<Order>,
    clock: Clock,
    run: Option<Box<Run>>,
    refused: u64,
    buffer: Box<[u8]>,
}

/// The descriptors that are readable.
struct Ready {
    down: bool,
    up: bool,
    orders: bool,
}

impl Carrier {
    /// Runs until the handle is dropped.
    fn carry(&mut self) -> io::Result<()> {
        loop {
            self.deliver();
            let ready = self.wait()?;
            if ready.up {
                self.read(Direction::Up)?;
            }
            if ready.down {
                self.read(Direction::Down)?;
            }
            if ready.orders && !self.obey() {
                return Ok(());
            }
        }
    }

    /// Sleeps until a packet arrives, a packet is due, or there is a command.
    fn wait(&self) -> io::Result<Ready> {
        let next = self.run.as_ref().and_then(|run| run.next_at());
        let timeout = next.map(|at| {
            let nanos = at.since(self.clock.now()).as_nanos();
            Timespec {
                tv_sec: (nanos / 1_000_000_000) as i64,
                tv_nsec: (nanos % 1_000_000_000) as i64,
            }
        });
        let mut descriptors = [
            PollFd::from_borrowed_fd(self.server.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.client.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN),
        ];
        match poll(&mut descriptors, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [down, up, orders] = descriptors.map(|d| !d.revents().is_empty());
        Ok(Ready { down, up, orders })
    }

    /// Reads up to [`BATCH`] packets that travel in `direction`.
    fn read(&mut self, direction: Direction) -> io::Result<()> {
        let device = match direction {
            Direction::Down => &self.server,
            Direction::Up => &self.client,
        };
        for _ in 0..BATCH {
            let size = match rustix::io::read(device, &mut self.buffer[..]) {
                Ok(size) => size,
                Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
                Err(error) => return Err(error.into()),
            };
            let packet = &self.buffer[..size];
            let verdict = match &mut self.run {
                Some(run) => run.offer(direction, self.clock.now(), packet),
                None => Verdict::Pass,
            };
            if verdict == Verdict::Pass {
                // The packet belongs to no load, so its loss does not matter.
                let _ = self.write(direction, packet);
            }
        }
        Ok(())
    }

    /// Delivers due packets. Their number is limited so that a link faster than this
    /// thread does not keep it from reading.
    fn deliver(&mut self) {
        for _ in 0..2 * BATCH {
            let Some(run) = &mut self.run else { return };
            let Some(delivery) = run.poll(self.clock.now()) else {
                return;
            };
            let at = self.clock.now();
            let taken = self.write(delivery.direction, delivery.bytes());
            self.refused += u64::from(taken.is_err());
            if let Some(run) = &mut self.run {
                run.handle_delivery(delivery, at);
            }
        }
    }

    fn write(&self, direction: Direction, packet: &[u8]) -> rustix::io::Result<usize> {
        let device = match direction {
            Direction::Down => &self.client,
            Direction::Up => &self.server,
        };
        rustix::io::write(device, packet)
    }

    /// Executes pending commands. Returns false if the handle has been dropped.
    fn obey(&mut self) -> bool {
        let mut count = [0; 8];
        // There may be nothing to read: an earlier wake-up may have covered this command.
        let _ = rustix::io::read(&*self.wake, &mut count);
        loop {
            match self.todo.try_recv() {
                Ok(Order::Begin(run, done)) => {
                    self.drain();
                    self.refused = 0;
                    self.run = Some(run);
                    // If the sender has gone, it does not need the answer.
                    let _ = done.send(());
                }
                Ok(Order::Finish(done)) => {
                    let refused = self.refused;
                    let ran = self.run.take().map(|run| Ran { run, refused });
                    // As above.
                    let _ = done.send(ran);
                }
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    /// Discards the packets queued in the devices: they were sent before the load.
    fn drain(&mut self) {
        for device in [&self.client, &self.server] {
            // The next read reports an error.
            while rustix::io::read(device, &mut self.buffer[..]).is_ok() {}
        }
    }
}
