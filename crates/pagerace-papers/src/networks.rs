//! The networks of published studies.
//!
//! Deviations: the script of Sander's testbed counts 2^20 bits to a megabit when it sizes
//! a queue of 1 BDP, and its rates include 14 bytes of Ethernet header in each packet.
//! Here a megabit is 10^6 bits and a packet begins with the IP header.

use pagerace_net::NamedNetwork;

const SANDER: &str = "Sander et al. 2022, Table I, with its testbed's set-up: token bucket of \
    1514 bytes, queue of 1 BDP, delay and loss in both directions, \
    https://github.com/COMSYS/HTTP-3-Prioritization";
const SANDER_LOW_BDP: &str = "Sander et al. 2022, Table I, with its testbed's set-up: token \
    bucket of 1514 bytes, delay and loss in both directions; 1 BDP is below two packets here, so \
    the queue is two packets of 1500 bytes";
const SRIVASTAVA: &str = "Srivastava 2024, sections 5.8 and 5.9, which give rate and loss; both \
    ends ran on one machine, so the 1 ms round trip is ours, and so are loss and rate in both \
    directions and the queue of 100 packets";
const AGARWAL: &str = "Agarwal et al. 2020 raise the latency of a path gradually and publish \
    neither rate nor delays; all values are ours, and the queue is 1 BDP of 250 ms";

/// The networks of studies, for [`Network::parse_with`](pagerace_net::Network::parse_with).
pub static NETWORKS: &[NamedNetwork] = &[
    NamedNetwork {
        name: "sander-1mbit",
        summary: "Sander 2022, bandwidth: 1 Mbit/s, 100 ms, no loss",
        source: SANDER,
        spec: "rate 1mbit rtt 100ms queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit",
        summary: "Sander 2022, bandwidth and random loss: 2 Mbit/s, 100 ms, no loss",
        source: SANDER,
        spec: "rate 2mbit rtt 100ms queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-5mbit",
        summary: "Sander 2022, bandwidth: 5 Mbit/s, 100 ms, no loss",
        source: SANDER,
        spec: "rate 5mbit rtt 100ms queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-10mbit",
        summary: "Sander 2022, bandwidth: 10 Mbit/s, 100 ms, no loss",
        source: SANDER,
        spec: "rate 10mbit rtt 100ms queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-50mbit",
        summary: "Sander 2022, bandwidth (section V-A, not in Table I): 50 Mbit/s, 100 ms, no loss",
        source: SANDER,
        spec: "rate 50mbit rtt 100ms queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-loss1",
        summary: "Sander 2022, random loss: 2 Mbit/s, 100 ms, 1 %",
        source: SANDER,
        spec: "rate 2mbit rtt 100ms loss 1% queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-loss2",
        summary: "Sander 2022, random loss: 2 Mbit/s, 100 ms, 2 %",
        source: SANDER,
        spec: "rate 2mbit rtt 100ms loss 2% queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-loss5",
        summary: "Sander 2022, random loss: 2 Mbit/s, 100 ms, 5 %",
        source: SANDER,
        spec: "rate 2mbit rtt 100ms loss 5% queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-rtt10",
        summary: "Sander 2022, round trip: 2 Mbit/s, 10 ms, 2 %",
        source: SANDER_LOW_BDP,
        spec: "rate 2mbit rtt 10ms loss 2% queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-rtt50",
        summary: "Sander 2022, round trip: 2 Mbit/s, 50 ms, 2 %",
        source: SANDER,
        spec: "rate 2mbit rtt 50ms loss 2% queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-burst5",
        summary: "Sander 2022, burst loss: 2 Mbit/s, 100 ms, 2 % in bursts of 5 packets",
        source: SANDER,
        spec: "rate 2mbit rtt 100ms loss 2% burst 5 queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-burst10",
        summary: "Sander 2022, burst loss: 2 Mbit/s, 100 ms, 2 % in bursts of 10 packets",
        source: SANDER,
        spec: "rate 2mbit rtt 100ms loss 2% burst 10 queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "sander-2mbit-burst15",
        summary: "Sander 2022, burst loss: 2 Mbit/s, 100 ms, 2 % in bursts of 15 packets",
        source: SANDER,
        spec: "rate 2mbit rtt 100ms loss 2% burst 15 queue 1bdp bucket 1514b",
    },
    NamedNetwork {
        name: "srivastava-12mbit",
        summary: "Srivastava 2024, standard 4G: 12 Mbit/s, no loss",
        source: SRIVASTAVA,
        spec: "rate 12mbit rtt 1ms queue 100p",
    },
    NamedNetwork {
        name: "srivastava-9mbit-5pct",
        summary: "Srivastava 2024, constrained 4G: 9 Mbit/s, 5 % loss",
        source: SRIVASTAVA,
        spec: "rate 9mbit rtt 1ms loss 5% queue 100p",
    },
    NamedNetwork {
        name: "agarwal-ramp",
        summary: "Agarwal 2020: 20 Mbit/s, 50 ms that grow to 250 ms within 5 s, no loss",
        source: AGARWAL,
        spec: "rate 20mbit rtt 50ms..250ms over 5s queue 625kb",
    },
    NamedNetwork {
        name: "agarwal-short",
        summary: "Agarwal 2020, for comparison: 20 Mbit/s, 50 ms, no loss",
        source: AGARWAL,
        spec: "rate 20mbit rtt 50ms queue 625kb",
    },
    NamedNetwork {
        name: "agarwal-long",
        summary: "Agarwal 2020, for comparison: 20 Mbit/s, 250 ms, no loss",
        source: AGARWAL,
        spec: "rate 20mbit rtt 250ms queue 625kb",
    },
    NamedNetwork {
        name: "gupta-2024",
        summary: "Gupta 2024, a nearby CDN: 20 ms, 0.05 % loss, no stated rate",
        source: "Gupta et al. 2024, section IV: netem with 10 ms and 0.05 % in each direction \
            between two virtual machines; no rate is stated, the 1 Gbit/s is ours; queue of 1000 \
            packets: netem's default",
        spec: "rate 1gbit rtt 20ms loss 0.05% queue 1000p",
    },
];

#[cfg(test)]
mod tests;
