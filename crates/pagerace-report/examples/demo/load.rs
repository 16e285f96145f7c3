//! A toy sender: one packet at a time on a link of constant rate.

use pagerace_core::{Destination, Duration, Instant, Protocol, Rng};
use pagerace_page::ResourceId;
use pagerace_page::timeline::{FrameSent, HolGap, PacketDrop, ResourceTiming};
use pagerace_report::input::RunDetail;

use crate::site::Site;

const PACKET: u64 = 1_200;

pub(crate) struct Link {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// Transmission time of a packet.
    pub(crate) packet: Duration,
    pub(crate) rtt: Duration,
    pub(crate) loss: f64,
}

/// Order of packets, roughly as in the strategy of that name.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Order {
    RoundRobin,
    Sequential,
    Batched,
    BlockingFirst,
    SmallestFirst,
    LargestFirst,
    Share(u64, &'static str),
    Latest,
}

impl Order {
    pub(crate) const ALL: [Self; 10] = [
        Self::RoundRobin,
        Self::Sequential,
        Self::Batched,
        Self::BlockingFirst,
        Self::SmallestFirst,
        Self::LargestFirst,
        Self::Share(2, "weighted-incremental:alpha=0.25"),
        Self::Share(4, "weighted-incremental:alpha=0.5"),
        Self::Share(8, "weighted-incremental:alpha=0.75"),
        Self::Latest,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Sequential => "sequential",
            Self::Batched => "batched-round-robin:n=10",
            Self::BlockingFirst => "hybrid:alpha=0.75",
            Self::SmallestFirst => "smallest-first",
            Self::LargestFirst => "largest-first",
            Self::Share(_, name) => name,
            Self::Latest => "fifo",
        }
    }

    /// Returns an index into `ready` (positions in page order) for packet number `n`.
    fn pick(self, ready: &[usize], n: usize, site: &Site, left: &[u64]) -> usize {
        let first_by = |key: &dyn Fn(usize) -> u64| {
            (0..ready.len())
                .min_by_key(|&i| (key(ready[i]), i))
                .unwrap_or(0)
        };
        match self {
            Self::RoundRobin => n % ready.len(),
            Self::Sequential => first_by(&|r| u64::from(!urgent(site, r))),
            Self::Batched => n / 10 % ready.len(),
            Self::BlockingFirst => {
                let i = first_by(&|r| u64::from(!site.resources[r].render_blocking));
                if site.resources[ready[i]].render_blocking {
                    i
                } else {
                    n % ready.len()
                }
            }
            Self::SmallestFirst => first_by(&|r| left[r]),
            Self::LargestFirst => first_by(&|r| u64::MAX - left[r]),
            Self::Share(k, _) => {
                if (n as u64).is_multiple_of(k) {
                    n / k as usize % ready.len()
                } else {
                    0
                }
            }
            Self::Latest => ready.len() - 1,
        }
    }
}

fn urgent(site: &Site, resource: usize) -> bool {
    use Destination::{Document, Font, Style};
    let r = &site.resources[resource];
    r.render_blocking || matches!(r.destination, Document | Style | Font)
}

pub(crate) struct Load {
    /// Metric values, in the order of `metrics()`.
    pub(crate) values: [Option<f64>; 7],
    pub(crate) detail: RunDetail,
}

/// Simulates the load of the whole page.
pub(crate) fn load(site: &Site, link: &Link, order: Order) -> Load {
    let count = site.resources.len();
    let mut rng = Rng::new(7, order.name());
    let mut left: Vec<u64> = site.resources.iter().map(|r| r.bytes).collect();
    let mut at: Vec<Option<Instant>> = vec![None; count];
    let mut first: Vec<Option<Instant>> = vec![None; count];
    let mut end: Vec<Option<Instant>> = vec![None; count];
    let mut detail = RunDetail {
        run: 14,
        ..RunDetail::default()
    };
    let setup = link.rtt * 2;
    at[0] = Some(Instant::ZERO + setup + Duration::from_millis(30));
    let mut now = Instant::ZERO + setup;
    let mut lost = 0_u64;
    let mut hol_bytes = 0_u64;
    let mut n = 0;
    while end.iter().any(Option::is_none) {
        now += link.packet;
        discover(site, link, &end, &mut at);
        let ready: Vec<usize> = (0..count)
            .filter(|&r| left[r] > 0 && at[r].is_some_and(|t| t <= now))
            .collect();
        if ready.is_empty() {
            continue;
        }
        let resource = ready[order.pick(&ready, n, site, &left)];
        n += 1;
        let bytes = left[resource].min(PACKET);
        let mut frame = FrameSent {
            at: now,
            connection: u32::from(site.resources[resource].url.contains("third-party")),
            resource: ResourceId(resource as u32),
            offset: site.resources[resource].bytes - left[resource],
            length: bytes as u32,
            retransmission: false,
        };
        detail.trace.frames.push(frame);
        left[resource] -= bytes;
        let mut arrival = now + Duration::from_nanos(link.rtt.as_nanos() / 2);
        if rng.chance(link.loss) {
            let queue = rng.chance(0.3);
            detail.trace.drops.push(PacketDrop {
                at: now,
                connection: frame.connection,
                queue,
            });
            frame.at = now + link.rtt + link.packet * 3;
            frame.retransmission = true;
            detail.trace.frames.push(frame);
            detail.trace.hol_gaps.push(HolGap {
                resource: frame.resource,
                from: arrival + link.packet,
                until: arrival + link.rtt,
                bytes: 4 * PACKET,
            });
            arrival += link.rtt;
            lost += 1;
            hol_bytes += 4 * PACKET;
        }
        first[resource] = first[resource].or(Some(arrival));
        if left[resource] == 0 {
            end[resource] = Some(arrival);
        }
    }
    detail.trace.frames.sort_by_key(|f| f.at);
    finish(site, link, &at, &first, &end, (lost, hol_bytes), detail)
}

/// Requests the children of complete resources half a round trip and 0 to 39 ms after
/// their parent arrived.
fn discover(site: &Site, link: &Link, end: &[Option<Instant>], at: &mut [Option<Instant>]) {
    for r in 1..at.len() {
        if let (None, Some(parent)) = (at[r], end[site.parents[r]]) {
            let later = Duration::from_millis(r as u64 % 40);
            at[r] = Some(parent + Duration::from_nanos(link.rtt.as_nanos() / 2) + later);
        }
    }
}

fn finish(
    site: &Site,
    link: &Link,
    at: &[Option<Instant>],
    first: &[Option<Instant>],
    end: &[Option<Instant>],
    (lost, hol_bytes): (u64, u64),
    mut detail: RunDetail,
) -> Load {
    let end: Vec<Instant> = end.iter().map(|t| t.unwrap_or_default()).collect();
    let last_of = |wanted: &dyn Fn(usize) -> bool| {
        (0..end.len())
            .filter(|&r| wanted(r))
            .map(|r| end[r])
            .max()
            .unwrap_or_default()
    };
    let images: Vec<usize> = (0..end.len())
        .filter(|&r| site.resources[r].destination == Destination::Image)
        .take(3)
        .collect();
    let fcp = last_of(&|r| r == 0 || site.resources[r].render_blocking);
    let lcp = last_of(&|r| images.contains(&r)).max(fcp);
    let onload = last_of(&|_| true);
    let mut steps: Vec<Instant> = images.iter().map(|&r| end[r].max(fcp)).collect();
    steps.sort();
    detail.visual_progress.push((fcp, 0.4));
    for (i, at) in steps.iter().enumerate() {
        let share = 0.4 + 0.6 * (i + 1) as f64 / steps.len() as f64;
        detail.visual_progress.push((*at, share));
    }
    let area: f64 = detail
        .visual_progress
        .iter()
        .scan(0.0, |before, (at, share)| {
            let step = share - *before;
            *before = *share;
            Some(step * at.as_millis_f64())
        })
        .sum();
    detail.marks = [("fcp", fcp), ("lcp", lcp), ("onload", onload)]
        .map(|(name, at)| (name.to_owned(), at))
        .to_vec();
    for r in 0..end.len() {
        let ready = at[r].unwrap_or_default();
        let start = first[r].unwrap_or_default();
        let set_up = if r == 0 { link.rtt } else { Duration::ZERO };
        let queued = Duration::from_millis((r as u64 * 7) % 30).min(ready.since_start());
        let discovered = Instant::from_nanos(
            ready
                .as_nanos()
                .saturating_sub((queued + set_up + link.rtt).as_nanos()),
        );
        let request = discovered + queued + set_up;
        detail.timings.push(Some(ResourceTiming {
            protocol: Protocol::H3,
            priority: None,
            connection: None,
            reused: false,
            discovered,
            queued,
            blocked: Duration::ZERO,
            dns: Duration::from_nanos(set_up.as_nanos() / 5),
            connect: Duration::from_nanos(set_up.as_nanos() * 4 / 5),
            wait: start.since(request),
            receive: end[r].since(start),
            hol_blocked_bytes: 0,
            hol_other_bytes: 0,
        }));
    }
    let ms = |t: Instant| Some(t.as_millis_f64());
    Load {
        values: [
            ms(fcp),
            ms(lcp),
            Some(area),
            ms(onload),
            Some(hol_bytes as f64),
            Some(lost as f64),
            None,
        ],
        detail,
    }
}
