//! Zhou 2024: content delivery networks with HTTP/3. Reports of corpora set its findings beside
//! theirs.
//!
//! # Source
//! M. Zhou, Y. Chen, S. Lin et al.: *Dissecting the Applicability of HTTP/3 in Content Delivery
//! Networks*, 2024. Tables and figures are named below.

/// The networks: rate and round trip are ours, the losses those of the study.
pub const NETWORKS: [&str; 3] = [
    "rate 100mbit rtt 30ms",
    "rate 100mbit rtt 30ms loss 0.5%",
    "rate 100mbit rtt 30ms loss 1%",
];

/// Milliseconds saved for each request more, on networks with the losses of [`NETWORKS`]; figure
/// 9.
pub const SLOPES: [f64; 3] = [0.80, 1.42, 2.15];

/// Shares of requests to content delivery networks and to others by version of HTTP, in per cent;
/// table II. Its "others" stand beside HTTP/1.1.
pub const VERSIONS: [(&str, &str); 4] = [
    ("http/1.1", "0.0 / 6.2"),
    ("h2", "41.2 / 20.0"),
    ("h3", "25.8 / 6.8"),
    ("all", "67.0 / 33.0"),
];

/// The clusters of pages that share many hosts and few: providers, resumed connections, and
/// milliseconds saved; table III.
pub const CLUSTERS: [[&str; 3]; 2] = [["4.16", "101.6", "109.3"], ["2.58", "73.7", "54.4"]];

/// The share of pages with requests to two providers or more.
pub const SEVERAL_PROVIDERS: &str = "94.8 %";

/// The share of pages with more than half of their requests from content delivery networks.
pub const MOSTLY_CDN: &str = "75 %";

/// Pages with many requests to one provider.
pub const MANY_REQUESTS: &str =
    "figure 5: of the pages that use Cloudflare or Google, about half have more than 10";

/// The sizes of objects of content delivery networks, from another study that it cites.
pub const SIZES: &str = "75 %";

/// The savings of quarters of pages.
pub const GROUPS: &str =
    "figure 6a: every group gains, the medium ones most, the low one almost 60 ms";

/// The phases of requests.
pub const PHASES: &str =
    "figure 6b: the median of connect is above 0, that of wait below, that of receive about 0";

/// The savings for each request more on a connection that existed over HTTP/2.
pub const REUSE: &str = "figure 7c: falls";

/// Consecutive visits.
pub const VISITS: &str = "figure 8: more providers, more reduction, more resumed connections";
