//! Counters of the packets that the kernels of the namespaces drop outside the link.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use super::namespace::Namespace;
use crate::LiveError;

/// Numbers of dropped packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Drops {
    /// Packets dropped by network devices, in either direction.
    pub(super) device: u64,
    /// Datagrams dropped by UDP sockets whose reader was too slow.
    pub(super) socket: u64,
}

impl Drops {
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            device: self.device.saturating_sub(before.device),
            socket: self.socket.saturating_sub(before.socket),
        }
    }
}

/// Counter files of the namespaces. A file belongs to the namespace in which it was
/// opened and can be read from any other.
pub(super) struct KernelCounters {
    /// `/proc/net/dev` and `/proc/net/snmp` of each namespace.
    files: Vec<(File, File)>,
}

impl KernelCounters {
    pub(super) fn open(namespaces: [&Namespace; 2]) -> Result<Self, LiveError> {
        let open = || -> io::Result<_> {
            let dev = File::open("/proc/thread-self/net/dev")?;
            Ok((dev, File::open("/proc/thread-self/net/snmp")?))
        };
        let files = namespaces.into_iter().map(|n| n.run(open));
        let files = files
            .collect::<io::Result<_>>()
            .map_err(|e| unreadable(&e))?;
        Ok(Self { files })
    }

    /// Returns the sums since the namespaces were created.
    pub(super) fn drops(&self) -> Result<Drops, LiveError> {
        let mut sum = Drops::default();
        for (dev, snmp) in &self.files {
            sum.device += device_drops(&read(dev).map_err(|e| unreadable(&e))?);
            sum.socket += socket_drops(&read(snmp).map_err(|e| unreadable(&e))?);
        }
        Ok(sum)
    }
}

fn unreadable(error: &io::Error) -> LiveError {
    LiveError::Emulator(format!(
        "the counters of the kernel cannot be read: {error}"
    ))
}

/// Reads a file from its start, whatever its position.
fn read(file: &File) -> io::Result<String> {
    let mut text = Vec::new();
    let mut block = [0; 4_096];
    loop {
        match file.read_at(&mut block, text.len() as u64)? {
            0 => return Ok(String::from_utf8_lossy(&text).into_owned()),
            n => text.extend_from_slice(&block[..n]),
        }
    }
}

/// Sums the fourth and twelfth number of each line: packets dropped on receipt and on
/// sending (`proc_net_dev(5)`).
fn device_drops(text: &str) -> u64 {
    let devices = text.lines().filter_map(|line| line.split_once(':'));
    let drops = devices.flat_map(|(_, numbers)| {
        let numbers = numbers.split_whitespace().enumerate();
        numbers.filter(|(i, _)| matches!(i, 3 | 11))
    });
    drops.filter_map(|(_, n)| n.parse::<u64>().ok()).sum()
}

/// Parses `RcvbufErrors` of UDP from a line of names and a line of numbers.
fn socket_drops(text: &str) -> u64 {
    let mut lines = text.lines().filter(|line| line.starts_with("Udp:"));
    let (Some(names), Some(numbers)) = (lines.next(), lines.next()) else {
        return 0;
    };
    let place = names.split_whitespace().position(|n| n == "RcvbufErrors");
    let number = place.and_then(|i| numbers.split_whitespace().nth(i));
    number.and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_drop_both_ways() {
        let text = "Inter-|   Receive                                                |  Transmit\n \
            face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n    \
            lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0\n  \
            link:    5210      12    1    2    3     4          5         6     7000      13    7   30    8     9      10         11\n";
        assert_eq!(device_drops(text), 32);
    }

    #[test]
    fn sockets_drop_what_nobody_reads() {
        let text = "Tcp: a b\nTcp: 1 2\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors\n\
            Udp: 9 8 7 6 5 4\nUdpLite: RcvbufErrors\nUdpLite: 3\n";
        assert_eq!(socket_drops(text), 5);
        assert_eq!(socket_drops(""), 0);
    }
}
