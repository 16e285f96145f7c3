//! A synthetic news page: six versions, as if recorded at six times.
//!
//! The recordings of the thesis (nytimes.com on a weekend, section 5.7) are not
//! published; only averages are. The thesis states:
//!
//! - Table 4: requests and kilobytes of each category.
//! - Section 5.8.3: sizes of single files, among them a video of 11 to 19 MB.
//! - Figure 15: transferring all objects over 12 Mbit/s on reliable streams takes 11.68 s.
//!
//! These statements contradict each other: five HTML files of at most 30 KB do not make
//! 238 KB, forty images of at least 300 KB do not make 815 KB, four style sheets of at
//! least 12 KB do not make 30 KB, twelve fonts of at least 33 KB do not make 338.1 KB,
//! and 1130 to 3778 KB of others leave no room for the video. This module follows table 4
//! for everything except the video, which is added on top. It follows section 5.8.3 for
//! the video, for scripts and frames, and for the largest image.
//!
//! The size of the video follows from the figure. 11.68 s at 12 Mbit/s are 17.52 MB on
//! the wire. A packet of quiche carries 1350 bytes, of which some 37 are QUIC's (short
//! header and packet number, authentication tag, frame header), in 42 bytes of Ethernet,
//! IPv4 and UDP: 1313 of 1392 bytes are body, in all 16.5 MB. Table 4 has 2.68 MB and,
//! with the middle of their range, 2.45 MB of others: 11.37 MB remain.
//!
//! The following data is ours, because none is published: the distribution of sizes
//! within a category, the differences between versions, the request and transfer times,
//! and the third parties: all of Ads/Analytics, 12 of 29 scripts and 1 of 4 style sheets.
//! Fonts and images on other domains of the site count as the site's own, because the
//! thesis counts them separately from third parties.
//!
//! Kilobytes are 1000 bytes.

use std::sync::LazyLock;

use pagerace_core::{Duration, Rng, table};
use pagerace_har::sequence::{Transfer, TransferSequence, file_name, must_be_whole};
use pagerace_page::Category;
use serde::Deserialize;

/// Number of versions; they count from 1.
pub(super) const VERSIONS: u32 = 6;

/// Differences of the versions from the average, in units of a part's `spread`. The
/// assignment to versions is random. The differences sum to zero, so that the six
/// versions average to the thesis's numbers.
const STEPS: [f64; VERSIONS as usize] = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0];

/// Returns version 1 to 6 of the page. `seed` determines everything that the thesis
/// leaves open.
///
/// # Panics
/// Panics if the version does not exist.
pub(super) fn news(version: u32, seed: u64) -> TransferSequence {
    assert!(
        (1..=VERSIONS).contains(&version),
        "versions go from 1 to {VERSIONS}, not {version}"
    );
    let mut drawn: Vec<Drawn> = PARTS
        .iter()
        .flat_map(|part| part.draw(version, seed))
        .collect();
    // The sort is stable: objects with equal times keep the order of the parts.
    drawn.sort_by_key(|object| object.start);
    let numbered = (0..).zip(drawn);
    TransferSequence::new(numbered.map(|(id, object)| object.numbered(id)).collect())
}

/// A group of similar objects, as `data/news.jsonl` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// Name of the part in its random streams and URLs.
    name: String,
    category: Category,
    /// Extensions of the files, in rotation.
    extensions: Vec<String>,
    /// Number of requests in an average version.
    count: usize,
    /// Total kilobytes in an average version.
    kilobytes: f64,
    /// Minimum and maximum kilobytes of an object.
    range: (f64, f64),
    /// Maximum relative difference of a version from the average, in bytes and in
    /// requests.
    spread: f64,
    /// Number of third-party requests in an average version.
    third_party: usize,
    /// Range of request times, in milliseconds since the navigation.
    asked: (f64, f64),
}

static PARTS: LazyLock<Vec<Part>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/news.jsonl"));
    rows.map(|[part]| serde_json::from_str(part).expect(part))
        .collect()
});

/// An object without its number.
struct Drawn {
    category: Category,
    extension: &'static str,
    size: u64,
    start: Duration,
    transfer_time: Duration,
    url: String,
    third_party: bool,
}

impl Part {
    fn draw(&'static self, version: u32, seed: u64) -> Vec<Drawn> {
        let count = self.count_of(version, seed);
        let sizes = self.sizes(count, version, seed);
        let mut times = self.stream(seed, &format!("times/{version}"));
        let (first, last) = self.asked;
        let mut starts: Vec<f64> = (0..count)
            .map(|_| first + (last - first) * times.unit())
            .collect();
        // A page requests its own objects before third-party ones.
        starts.sort_by(f64::total_cmp);
        let foreign = self.third_party * count / self.count;
        let numbered = starts.into_iter().zip(sizes).enumerate();
        numbered
            .map(|(i, (start, size))| {
                let third_party = i >= count - foreign;
                let extension = self.extensions[i % self.extensions.len()].as_str();
                Drawn {
                    category: self.category,
                    extension,
                    size,
                    start: whole_micros(start),
                    transfer_time: whole_micros(unthrottled(size, &mut times)),
                    url: self.url(i, extension, third_party),
                    third_party,
                }
            })
            .collect()
    }

    /// Returns the random stream of one aspect of the part.
    fn stream(&self, seed: u64, aspect: &str) -> Rng {
        Rng::new(seed, &format!("srivastava/{}/{aspect}", self.name))
    }

    /// Returns the relative difference of this version, from `-spread` to `spread`.
    fn difference(&self, version: u32, seed: u64, aspect: &str) -> f64 {
        let mut steps = STEPS;
        shuffle(&mut steps, &mut self.stream(seed, aspect));
        self.spread * steps[version as usize - 1]
    }

    fn count_of(&self, version: u32, seed: u64) -> usize {
        let more = (self.difference(version, seed, "count") * self.count as f64).round();
        self.count.saturating_add_signed(more as isize)
    }

    /// Returns the bytes of each object, within the part's range and summing to its
    /// total.
    fn sizes(&self, count: usize, version: u32, seed: u64) -> Vec<u64> {
        let total = self.kilobytes * (1.0 + self.difference(version, seed, "bytes"));
        // The same weights in all versions keep the size of an object similar across
        // versions.
        let mut stream = self.stream(seed, "sizes");
        let weights: Vec<f64> = (0..count).map(|_| stream.lognormal(0.6)).collect();
        let sizes = share_out(total, &weights, self.range);
        sizes
            .into_iter()
            .map(|kb| (kb * 1000.0).round() as u64)
            .collect()
    }

    fn url(&self, i: usize, extension: &str, third_party: bool) -> String {
        match (self.name.as_str(), third_party) {
            ("document", _) => "https://news.example/".to_owned(),
            (name, false) => format!("https://static.news.example/{name}/{i}.{extension}"),
            (name, true) => format!("https://{name}.third-party.example/{i}.{extension}"),
        }
    }
}

impl Drawn {
    fn numbered(self, id: u32) -> Transfer {
        Transfer {
            id,
            category: self.category,
            extension: self.extension.to_owned(),
            size: self.size,
            start: self.start,
            transfer_time: Some(self.transfer_time),
            file_name: file_name(id, self.extension),
            url: Some(self.url),
            third_party: Some(self.third_party),
            must_be_whole: must_be_whole(self.extension),
        }
    }
}

/// Returns the milliseconds that an object took during the recording: a round trip and
/// the server's response time, then 50 Mbit/s. Replay does not use them.
fn unthrottled(size: u64, rng: &mut Rng) -> f64 {
    30.0 + 70.0 * rng.unit() + size as f64 * 8.0 / 50_000.0
}

/// Rounds to microseconds, the precision of recorders.
fn whole_micros(millis: f64) -> Duration {
    Duration::from_micros((millis * 1000.0).round() as u64)
}

/// Shuffles the steps (Fisher-Yates).
fn shuffle(steps: &mut [f64], rng: &mut Rng) {
    for i in (1..steps.len()).rev() {
        steps.swap(i, rng.below(i as u64 + 1) as usize);
    }
}

/// Distributes `total` in proportion to `weights`, with each share within `range`. The
/// other shares compensate for shares at a bound.
///
/// # Panics
/// Panics if that many shares within the range cannot have that total.
fn share_out(total: f64, weights: &[f64], (least, most): (f64, f64)) -> Vec<f64> {
    let count = weights.len() as f64;
    assert!(
        (least * count..=most * count).contains(&total),
        "{count} shares from {least} to {most} do not sum to {total}"
    );
    let sum = |scale: f64| -> f64 { weights.iter().map(|w| (w * scale).clamp(least, most)).sum() };
    // Bisection on the scale, because the sum grows with it.
    let (mut low, mut high) = (0.0, 1.0);
    while sum(high) < total && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if sum(middle) < total {
            low = middle;
        } else {
            high = middle;
        }
    }
    weights
        .iter()
        .map(|w| (w * high).clamp(least, most))
        .collect()
}

#[cfg(test)]
mod tests;
