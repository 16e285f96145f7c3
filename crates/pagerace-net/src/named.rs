//! Predefined networks with names.
//!
//! The sources give rates and round-trip times. Networks from WebPageTest, Lighthouse and the
//! browsers' developer tools get 50 packets each way, the default of dummynet, with which
//! WebPageTest shaped traffic. The `source` of each network marks values of our own as `ours`.

/// A predefined network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedNetwork {
    /// The name that users write.
    pub name: &'static str,
    /// A one-line summary for people.
    pub summary: &'static str,
    /// The source of the values, with the values that are ours.
    pub source: &'static str,
    /// The full description of the network in the syntax of [`grammar`](crate::grammar).
    pub spec: &'static str,
}

/// Returns all named networks, the everyday ones first.
pub fn named() -> &'static [NamedNetwork] {
    NAMED
}

const WPT: &str = "WebPageTest, www/settings/connectivity.ini.sample, \
    https://github.com/WPO-Foundation/webpagetest/blob/a7cf6a7742c9e93cf0c06ee6b58a608adb223f20/\
    www/settings/connectivity.ini.sample; queue of 50 packets: dummynet's default";
const DEVTOOLS: &str = "Chrome DevTools, front_end/core/sdk/NetworkManager.ts (target values, \
    before the factors for throttling by request), \
    https://github.com/ChromeDevTools/devtools-frontend; queue of 50 packets: ours";
const FIREFOX: &str = "Firefox DevTools, Network Monitor, Throttling, \
    https://firefox-source-docs.mozilla.org/devtools-user/network_monitor/throttling/; \
    queue of 50 packets: ours";

static NAMED: &[NamedNetwork] = &[
    NamedNetwork {
        name: "slow-3g",
        summary: "400 kbit/s, 400 ms: an overloaded 3G cell",
        source: WPT,
        spec: "rate 400kbit rtt 400ms queue 50p",
    },
    NamedNetwork {
        name: "fast-3g",
        summary: "1.6 Mbit/s down, 768 kbit/s up, 150 ms: good 3G",
        source: WPT,
        spec: "rate 1.6mbit up 768kbit rtt 150ms queue 50p",
    },
    NamedNetwork {
        name: "slow-4g",
        summary: "1.6 Mbit/s down, 750 kbit/s up, 150 ms: Lighthouse's mobile default",
        source: "Lighthouse, core/config/constants.js, mobileSlow4G (which counts 1.6 x 1024 \
            kbit/s down), https://github.com/GoogleChrome/lighthouse; the same preset of Chrome \
            DevTools has 1.6 Mbit/s; queue of 50 packets: ours",
        spec: "rate 1.6mbit up 750kbit rtt 150ms queue 50p",
    },
    NamedNetwork {
        name: "fast-4g",
        summary: "9 Mbit/s down, 1.5 Mbit/s up, 60 ms: good 4G",
        source: DEVTOOLS,
        spec: "rate 9mbit up 1.5mbit rtt 60ms queue 50p",
    },
    NamedNetwork {
        name: "regular-4g",
        summary: "4 Mbit/s down, 3 Mbit/s up, 20 ms: 4G as Firefox throttles it",
        source: FIREFOX,
        spec: "rate 4mbit up 3mbit rtt 20ms queue 50p",
    },
    NamedNetwork {
        name: "lte",
        summary: "12 Mbit/s, 70 ms: LTE as WebPageTest shapes it",
        source: WPT,
        spec: "rate 12mbit rtt 70ms queue 50p",
    },
    NamedNetwork {
        name: "dsl",
        summary: "1.5 Mbit/s down, 384 kbit/s up, 50 ms",
        source: WPT,
        spec: "rate 1.5mbit up 384kbit rtt 50ms queue 50p",
    },
    NamedNetwork {
        name: "cable",
        summary: "5 Mbit/s down, 1 Mbit/s up, 28 ms",
        source: WPT,
        spec: "rate 5mbit up 1mbit rtt 28ms queue 50p",
    },
    NamedNetwork {
        name: "fiber",
        summary: "20 Mbit/s down, 5 Mbit/s up, 4 ms: WebPageTest's FIOS",
        source: WPT,
        spec: "rate 20mbit up 5mbit rtt 4ms queue 50p",
    },
    NamedNetwork {
        name: "desktop",
        summary: "10 Mbit/s, 40 ms: Lighthouse's desktop default",
        source: "Lighthouse, core/config/constants.js, desktopDense4G (which counts 10 x 1024 \
            kbit/s), https://github.com/GoogleChrome/lighthouse; queue of 50 packets: ours",
        spec: "rate 10mbit rtt 40ms queue 50p",
    },
    NamedNetwork {
        name: "lossy-wifi",
        summary: "30 Mbit/s down, 15 Mbit/s up, 40 ms, 1 % loss in short bursts",
        source: "rates: Firefox DevTools' Wi-Fi preset; round trip to a server on the Internet, \
            1 % loss in bursts of 3 packets and queue of 100 packets: ours, modelled and not \
            measured. Losses on Wi-Fi are bursty, with longer tails than this model's (Cardoso \
            and de Rezende, IEEE Communications Letters 13(6), 2009)",
        spec: "rate 30mbit up 15mbit rtt 40ms loss 1% burst 3 queue 100p",
    },
    NamedNetwork {
        name: "starlink-like",
        summary: "87 Mbit/s down, 13.5 Mbit/s up, 44 ms, 0.5 % loss in bursts",
        source: "medians of Speedtest in the USA, third quarter of 2021 (Ookla): 87.25 and 13.54 \
            Mbit/s, 44 ms; 0.5 % loss in bursts of 5 packets and queue of 1 BDP: ours, modelled \
            and not measured. Losses come with handovers between satellites (Kassem et al., IMC \
            2022); changes of rate and delay every 15 s (Mohan et al., arXiv:2310.09242) are left \
            out",
        spec: "rate 87.25mbit up 13.54mbit rtt 44ms loss 0.5% burst 5 queue 1bdp",
    },
    NamedNetwork {
        name: "latency-ramp",
        summary: "40 Mbit/s, 50 ms that grow to 250 ms within 10 s, no loss",
        source: "Agarwal et al. 2020 raise the latency of a path gradually, so that controllers \
            which watch the delay take it for congestion; they publish neither rate nor delays. \
            All values are ours",
        spec: "rate 40mbit rtt 50ms..250ms over 10s queue 1bdp",
    },
    NamedNetwork {
        name: "mobile-jitter",
        summary: "9 Mbit/s down, 1.5 Mbit/s up, 60 ms, each packet up to 15 ms sooner or later",
        source: "rates, round trip and queue of `fast-4g`; the jitter is ours, modelled and not \
            measured: uniform, each way, order kept, as a radio link delivers in sequence. \
            Agarwal et al. 2020 name mobile, jittery networks as those in which controllers \
            that watch the delay underestimate the path",
        spec: "rate 9mbit up 1.5mbit rtt 60ms jitter 15ms queue 50p",
    },
    NamedNetwork {
        name: "handover",
        summary: "9 Mbit/s, 60 ms; after 2 s 100 ms of silence, then 4 Mbit/s, 90 ms",
        source: "begins as `fast-4g`; the silence, and rate and round trip of the new cell, are \
            ours, modelled and not measured. Nothing is lost: packets wait for the new cell",
        spec: "rate 9mbit for 2s then 0bit for 100ms then 4mbit \
            up 1.5mbit for 2s then 0bit for 100ms then 1mbit \
            rtt 60ms for 2100ms then 90ms queue 50p",
    },
    NamedNetwork {
        name: "fading",
        summary: "12 Mbit/s that fall to 1 Mbit/s and come back every 10 s, 70 ms",
        source: "begins as `lte`; that the rate falls in 5 s and rises in 5 s is ours, modelled \
            and not measured",
        spec: "rate 12mbit..1mbit over 5s then 1mbit..12mbit over 5s repeat rtt 70ms queue 50p",
    },
    NamedNetwork {
        name: "cable-fq-codel",
        summary: "`cable` behind a router with FQ-CoDel: 5 Mbit/s down, 1 Mbit/s up, 28 ms",
        source: "rates and round trip of `cable`; the queue is FQ-CoDel with the defaults of RFC \
            8290",
        spec: "rate 5mbit up 1mbit rtt 28ms queue fq-codel",
    },
];

#[cfg(test)]
mod tests;
