//! The bottlenecks that a probe puts in front of the client.

use pagerace_core::{Duration, Instant};
use pagerace_net::Network;

/// A packet that the server sent towards the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Time at which the packet reached the queue.
    pub at: Instant,
    /// Size in bytes, including the IP header.
    pub size: u32,
    /// True if the packet did not arrive.
    pub lost: bool,
    /// True if the queue dropped the packet.
    pub dropped: bool,
}

/// A bottleneck, and the time for which the probe watches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Name in output.
    pub name: &'static str,
    /// Rate in bits per second.
    pub rate: u64,
    /// Longest queue in packets.
    pub queue: u32,
    /// Round-trip time of path and bottleneck without a queue.
    pub rtt: Duration,
    /// Time from the beginning of the connection after which the round trip is longer, and by
    /// how much.
    pub rise: Option<(Duration, Duration)>,
    /// Time from the beginning of the connection to its end.
    pub time: Duration,
}

/// Bytes that fill the path without a queue: 24 packets of 1500 bytes. Slow start passes them
/// between its windows of 20 and 40 packets, so that no rounding decides when a controller that
/// watches the delay leaves it.
const FILL: f64 = 36_000.0;

/// Least round trip with the bottleneck. CUBIC grows as Reno does on shorter ones (RFC 9438,
/// section 4.3).
const RTT_MIN: Duration = Duration::from_millis(100);

/// Least delay of the bottleneck.
const DELAY_MIN: Duration = Duration::from_millis(10);

/// Returns the trials on a path of the given round trip.
pub fn trials(path: Duration) -> [Trial; 2] {
    let rtt = RTT_MIN.max(path + DELAY_MIN);
    let rate = (8.0 * FILL / rtt.as_secs_f64()) as u64;
    [
        Trial {
            name: "delay",
            rate,
            queue: 120,
            rtt,
            rise: Some((rtt * 24, rtt)),
            time: rtt * 50,
        },
        Trial {
            name: "loss",
            rate,
            queue: 30,
            rtt,
            rise: None,
            time: rtt * 115,
        },
    ]
}

impl Trial {
    /// Returns the bottleneck as a network, both of whose directions share the delay.
    ///
    /// # Panics
    /// Panics if the round trip is out of a network's range.
    pub fn network(&self) -> Network {
        self.described("rtt", self.rtt, "")
    }

    /// Returns the bottleneck in front of a client whose path has a round trip of its own. All
    /// its delay is on the way to the client.
    ///
    /// # Panics
    /// Panics if the round trip is out of a network's range.
    pub fn at_client(&self, path: Duration) -> Network {
        self.described("delay", self.rtt.saturating_sub(path), " delay-up 0ms")
    }

    fn described(&self, word: &str, delay: Duration, more: &str) -> Network {
        let first = delay.as_millis_f64();
        let delay = match self.rise {
            None => format!("{first:.3}ms"),
            Some((at, by)) => {
                let (at, then) = (at.as_millis_f64(), (delay + by).as_millis_f64());
                format!("{first:.3}ms for {at:.3}ms then {then:.3}ms")
            }
        };
        let (rate, queue) = (self.rate, self.queue);
        let text = format!("rate {rate}bit {word} {delay}{more} queue {queue}p");
        Network::parse(&text).expect("the description is complete")
    }

    /// Bytes that the bottleneck carries in the time of the trial.
    pub fn bytes(&self) -> u64 {
        (self.rate as f64 / 8.0 * self.time.as_secs_f64()) as u64
    }
}
