//! Random networks.

use std::path::Path;
use std::sync::Arc;

use pagerace_net::{Network, Rate, Trace};

use super::inputs::Draw;

impl Draw {
    pub(crate) fn network(&mut self) -> Network {
        let named = [pagerace_net::named(), &pagerace_papers::NETWORKS].concat();
        let text = if self.chance(0.2) {
            let name = self.of(&named).name.to_owned();
            // Words after a name replace those of its description.
            if self.chance(0.3) {
                format!("{name} {}", self.losses())
            } else {
                name
            }
        } else {
            let (rates, constant) = self.rates();
            let words = [
                rates,
                self.delays(),
                self.losses(),
                self.queues(),
                self.bucket(constant),
            ];
            words.join(" ")
        };
        let network = Network::parse_with(&text, &named, Path::new(""))
            .unwrap_or_else(|e| panic!("{text}: {e}"));
        self.traced(network)
    }

    /// The rates of both directions, and true for each one that is constant.
    fn rates(&mut self) -> (String, (bool, bool)) {
        let down = self.magnitude(100, 1_000_000);
        let up = self.magnitude(50, down);
        let (down, constant) = self.rate(down);
        let (up, up_constant) = if self.chance(0.1) {
            (String::new(), constant)
        } else {
            let (up, constant) = self.rate(up);
            (format!("up {up}"), constant)
        };
        (format!("rate {down} {up}"), (constant, up_constant))
    }

    fn rate(&mut self, kbit: u64) -> (String, bool) {
        // A ramp needs two values.
        let slow = self.magnitude(50, kbit);
        let kbit = kbit + 1;
        let ms = self.magnitude(10, 5_000);
        let text = match self.0.below(20) {
            0 => format!("{kbit}kbit for {ms}ms then {slow}kbit"),
            1 => format!("{kbit}kbit for {ms}ms then 0bit for 300ms then {slow}kbit"),
            2 => format!("0bit for {ms}ms then {kbit}kbit"),
            3 => format!("{kbit}kbit..{slow}kbit over {ms}ms"),
            4 => format!("{slow}kbit..{kbit}kbit over {ms}ms after 100ms"),
            5 => format!("{kbit}kbit..{slow}kbit over {ms}ms then {kbit}kbit for 200ms repeat"),
            6 => format!("{kbit}kbit for {ms}ms then 0bit for {ms}ms repeat"),
            _ => return (format!("{kbit}kbit"), true),
        };
        (text, false)
    }

    fn delays(&mut self) -> String {
        let ms = self.magnitude(1, 800);
        let other = self.magnitude(1, 800);
        let over = self.magnitude(10, 5_000);
        let mut words = vec![match self.0.below(12) {
            0 => format!("delay {ms}ms"),
            1 | 2 => format!("delay {ms}ms delay-up {other}ms"),
            3 => format!("delay {ms}ms for {over}ms then {other}ms delay-up {ms}ms"),
            4 => format!("rtt {ms}ms..{}ms over {over}ms", ms + other),
            5 => format!("rtt {}ms..{ms}ms over {over}ms", ms + other),
            6 => format!("rtt {ms}ms for {over}ms then {other}ms for 500ms repeat"),
            _ => format!("rtt {ms}ms"),
        }];
        for word in ["jitter", "jitter-up"] {
            if self.chance(0.15) {
                let jitter = self.magnitude(1, ms.div_ceil(2));
                let normal = self.of(&["", " normal"]);
                let reorder = self.of(&["", " reorder"]);
                words.push(format!("{word} {jitter}ms{normal}{reorder}"));
            }
        }
        words.join(" ")
    }

    fn losses(&mut self) -> String {
        let down = self.loss("");
        if self.chance(0.2) {
            down + " " + &self.loss("-up")
        } else {
            down
        }
    }

    fn loss(&mut self, up: &str) -> String {
        match self.0.below(6) {
            0 => format!("loss{up} {}%", self.of(&["0.1", "1", "5", "15"])),
            1 => format!("loss{up} 2% burst {}", 1 + self.0.below(10)),
            2 => format!("gemodel{up} 1% 20% 80% 0.1%"),
            _ => String::new(),
        }
    }

    fn queues(&mut self) -> String {
        let down = self.queue();
        if self.chance(0.2) {
            format!("queue {down} queue-up {}", self.queue())
        } else {
            format!("queue {down}")
        }
    }

    fn queue(&mut self) -> String {
        match self.0.below(8) {
            0 => format!("{}p", 1 + self.0.below(200)),
            1 => format!("{}kb", self.magnitude(3, 1_000)),
            2 => "codel".to_owned(),
            3 => "fq-codel".to_owned(),
            4 => "codel target 20ms interval 300ms limit 50p".to_owned(),
            5 => "fq-codel quantum 300b limit 100p".to_owned(),
            6 => format!("{}bdp", self.of(&["0.2", "4"])),
            _ => "1bdp".to_owned(),
        }
    }

    fn bucket(&mut self, constant: (bool, bool)) -> String {
        let bytes = self.magnitude(1_500, 200_000);
        match (self.0.below(6), constant) {
            (0, (true, _)) => format!("bucket {bytes}b"),
            (1, (true, _)) => format!("bucket {bytes}b bucket-up none"),
            (2, (_, true)) => format!("bucket-up {bytes}b"),
            _ => String::new(),
        }
    }

    /// Replaces the rates by recorded ones, some of the time.
    fn traced(&mut self, network: Network) -> Network {
        let (mut down, mut up) = (network.down.clone(), network.up.clone());
        let mut changed = false;
        for link in [&mut down, &mut up] {
            if self.chance(0.1) {
                let text = self.trace();
                let trace = Trace::parse("random", &text).unwrap_or_else(|e| panic!("{text}: {e}"));
                (link.rate, changed) = (Rate::Trace(Arc::new(trace)), true);
            }
        }
        if !changed {
            return network;
        }
        Network::new("a trace".to_owned(), down, up).expect("a network")
    }

    /// The text of a trace, in mahimahi's format or in steps.
    fn trace(&mut self) -> String {
        let count = self.magnitude(2, 300);
        let opportunities = self.chance(0.5);
        let (mut lines, mut ms) = (Vec::new(), 0);
        for i in 0..count {
            if opportunities {
                ms += self.0.below(20);
                // The last line ends the period, which is not zero.
                lines.push(ms.max(u64::from(i + 1 == count)).to_string());
            } else {
                ms += 1 + self.0.below(1_000);
                let kbit = self.magnitude(50, 100_000);
                let rate = if i > 0 && self.chance(0.2) { 0 } else { kbit };
                lines.push(format!("{} {}", ms as f64 / 1e3, rate as f64 / 1e3));
            }
        }
        lines.join("\n")
    }
}
