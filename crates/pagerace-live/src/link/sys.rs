//! System calls without a safe wrapper: namespaces, TUN devices, real-time scheduling,
//! and children that die with their parent.
#![expect(unsafe_code, reason = "system calls without a safe wrapper")]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::ioctl::{Opcode, Setter, ioctl};
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// `_IOW('T', 202, int)` of `linux/if_tun.h`.
const TUNSETIFF: Opcode = 0x4004_54ca;
/// The device carries IP packets.
const IFF_TUN: u16 = 0x0001;
/// Packets are not preceded by four bytes of flags and protocol.
const IFF_NO_PI: u16 = 0x1000;

/// A medium priority, below the kernel's own threads at 99.
const REAL_TIME_PRIORITY: i32 = 50;

/// `struct ifreq` of `linux/if.h`, as TUNSETIFF reads it.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

/// Moves the calling thread into a new, empty network namespace, which ends with the last
/// thread, process or socket in it.
pub(super) fn unshare_network() -> io::Result<()> {
    // SAFETY: only `CLONE_FILES` is unsafe, and it is not requested.
    unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
    Ok(())
}

/// Moves the calling thread into a new mount namespace. Its mounts are visible only to
/// this thread and its children.
pub(super) fn unshare_mounts() -> io::Result<()> {
    // SAFETY: only `CLONE_FILES` is unsafe, and it is not requested.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
    let receive_only = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", receive_only)?;
    Ok(())
}

/// Creates a TUN device in the calling thread's namespace. The device disappears when the
/// descriptor is closed. Reads and writes do not block.
pub(super) fn open_tun(name: &str) -> io::Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let tun = rustix::fs::open("/dev/net/tun", flags, Mode::empty())?;
    let mut request = InterfaceRequest {
        name: [0; 16],
        flags: IFF_TUN | IFF_NO_PI,
        rest: [0; 22],
    };
    assert!(name.len() < request.name.len(), "a name of an interface");
    request.name[..name.len()].copy_from_slice(name.as_bytes());
    // SAFETY: TUNSETIFF reads a `struct ifreq`, and `InterfaceRequest` has its size and
    // layout.
    unsafe { ioctl(&tun, Setter::<TUNSETIFF, _>::new(request)) }?;
    Ok(tun)
}

/// Schedules the calling thread ahead of all ordinary threads.
pub(super) fn real_time() -> io::Result<()> {
    // SAFETY: all zero is a valid value of this plain structure.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = REAL_TIME_PRIORITY;
    // Threads and processes started by this thread get ordinary scheduling again.
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: thread 0 is the caller, and the parameters outlive the call.
    if unsafe { libc::sched_setscheduler(0, policy, &raw const parameters) } == 0 {
        return Ok(());
    }
    Err(io::Error::last_os_error())
}

/// Makes the kernel kill the child when the thread that starts it ends for any reason.
pub(super) fn die_with_parent(command: &mut Command) {
    let parent = getpid();
    let prepare = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have died before the signal was set.
        if getppid() != Some(parent) {
            return Err(Errno::SRCH.into());
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure only makes two system calls; it neither
    // allocates nor takes locks.
    unsafe { command.pre_exec(prepare) };
}
