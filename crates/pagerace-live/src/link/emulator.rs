//! The thread that carries packets between two TUN devices.
//!
//! It sleeps in `ppoll(2)` until a packet comes or one is due. When a packet
//! leaves is the link's arithmetic, so a late wake-up delays that packet but not
//! the rate of the link.
//!
//! Between loads packets pass at once, so that connections can be closed.

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

/// Packets that are read in a row before those that are due are looked at
/// again.
const BATCH: usize = 32;

/// What the thread is told.
enum Order {
    /// Carry packets over these links; answers when it does.
    Begin(Box<Run>, Sender<()>),
    /// Pass packets at once; answers with the links.
    Finish(Sender<Option<Ran>>),
}

/// Links after their load, and packets that a kernel did not take.
pub(super) struct Ran {
    pub(super) run: Box<Run>,
    pub(super) refused: u64,
}

/// The thread, from outside.
pub(super) struct Emulator {
    /// `None` only while it is dropped.
    orders: Option<Sender<Order>>,
    wake: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
    failure: Arc<OnceLock<String>>,
    pub(super) clock: Clock,
    pub(super) scheduling: Scheduling,
}

impl Emulator {
    /// Starts between two devices.
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
            // The receiver waits for it.
            let _ = scheduled.send(hurry());
            if let Err(error) = carrier.carry() {
                // Set once, here.
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

    /// Lets packets go over these links from now on.
    pub(super) fn begin(&self, run: Run) -> Result<(), LiveError> {
        let (done, answer) = channel();
        self.order(Order::Begin(Box::new(run), done));
        answer.recv().map_err(|_| self.error())
    }

    /// Takes the links away again; `None` if there are none.
    pub(super) fn finish(&self) -> Result<Option<Ran>, LiveError> {
        let (done, answer) = channel();
        self.order(Order::Finish(done));
        answer.recv().map_err(|_| self.error())
    }

    fn order(&self, order: Order) {
        let orders = self.orders.as_ref().expect("taken only by drop");
        // If the thread is gone, the answer will not come either.
        let _ = orders.send(order);
        self.wake();
    }

    fn wake(&self) {
        // It fails only where the thread has been woken often enough already.
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
            // A panic in it has been printed, and there is nobody to tell.
            let _ = thread.join();
        }
    }
}

/// Asks for prompt wake-ups.
fn hurry() -> Scheduling {
    // Without it timers may be 50 us late, which is a matter of taste.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    match sys::real_time() {
        Ok(()) => Scheduling::RealTime,
        Err(error) => Scheduling::Ordinary {
            why: error.to_string(),
        },
    }
}

/// The thread, from inside.
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

/// Which descriptors have something.
struct Ready {
    down: bool,
    up: bool,
    orders: bool,
}

impl Carrier {
    /// Until the owner is gone.
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

    /// Sleeps until a packet comes, one is due, or there is an order.
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

    /// Takes some of the packets that came.
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
                // Of no load, so nobody misses it.
                let _ = self.write(direction, packet);
            }
        }
        Ok(())
    }

    /// Hands over packets that are due. A link that is faster than this thread
    /// must not keep it from reading.
    fn deliver(&mut self) {
        for _ in 0..2 * BATCH {
            let Some(run) = &mut self.run else { return };
            let Some(delivery) = run.poll(self.clock.now()) else {
                return;
            };
            let at = self.clock.now();
            let taken = self.write(delivery.direction, &delivery.bytes);
            self.refused += u64::from(taken.is_err());
            if let Some(run) = &mut self.run {
                run.delivered(delivery, at);
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

    /// Does what it is told; `false` if the owner is gone.
    fn obey(&mut self) -> bool {
        let mut count = [0; 8];
        // Nothing to read means that another order came with the last wake-up.
        let _ = rustix::io::read(&*self.wake, &mut count);
        loop {
            match self.todo.try_recv() {
                Ok(Order::Begin(run, done)) => {
                    self.drain();
                    self.refused = 0;
                    self.run = Some(run);
                    // Whoever does not wait for the answer does not need it.
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

    /// Throws away what waits in the devices: it was sent before the load.
    fn drain(&mut self) {
        for device in [&self.client, &self.server] {
            // An error shows at the next read.
            while rustix::io::read(device, &mut self.buffer[..]).is_ok() {}
        }
    }
}
