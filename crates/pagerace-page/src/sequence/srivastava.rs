//! A news page made up after Srivastava 2024: six versions of it, as if recorded at
//! six times.
//!
//! The recordings of the thesis (nytimes.com on a weekend, section 5.7) are not
//! published; what is published of them are averages. Facts of the thesis:
//!
//! - Table 4: requests and kilobytes of each category.
//! - Section 5.8.3: sizes of single files, among them a video of 11 to 19 MB.
//! - Figure 15: all objects over 12 Mbit/s on reliable streams take 11.68 s.
//!
//! They do not agree with each other: five HTML files of at most 30 KB are not
//! 238 KB, forty images of at least 300 KB are not 815 KB, four sheets of at
//! least 12 KB are not 30 KB, twelve fonts of at least 33 KB are not 338.1 KB,
//! and 1130 to 3778 KB of others have no room for the video. Here table 4 holds
//! for everything but the video, which comes on top; section 5.8.3 holds for the
//! video, for scripts and frames, and for the largest image.
//!
//! How large the video is follows from the figure. 11.68 s at 12 Mbit/s are
//! 17.52 MB on the wire. A packet of quiche carries 1350 bytes, of which some 37
//! are QUIC's (short header and packet number, authentication tag, frame header),
//! in 42 bytes of Ethernet, IPv4 and UDP: 1313 of 1392 bytes are body, in all
//! 16.5 MB. Table 4 has 2.68 MB and, with the middle of their range, 2.45 MB of
//! others: 11.37 MB are left.
//!
//! Ours, because nothing is published of it: how sizes are distributed within a
//! category; how much the versions differ; when objects are asked for and how
//! long they took; and who third parties are: all of Ads/Analytics, 12 of 29
//! scripts and 1 of 4 style sheets. Fonts and images of the site's other domains
//! count as its own, as the thesis counts them apart from third parties.
//!
//! Kilobytes are 1000 bytes.

use pagerace_core::{Duration, Rng};

use super::{Transfer, TransferSequence, extension, file_name};
use crate::Category;

/// How many versions there are; they count from 1.
pub const VERSIONS: u32 = 6;

/// By how much the versions differ from the average, in units of a part's
/// `spread`: which version gets which is drawn. They sum to zero, so that the six
/// average to the thesis's numbers.
const STEPS: [f64; VERSIONS as usize] = [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0];

/// Version 1 to 6 of the page. `seed` decides all that the thesis leaves open.
///
/// # Panics
/// If there is no such version.
pub fn srivastava_page(version: u32, seed: u64) -> TransferSequence {
    assert!(
        (1..=VERSIONS).contains(&version),
        "versions go from 1 to {VERSIONS}, not {version}"
    );
    let mut drawn: Vec<Drawn> = PARTS
        .iter()
        .flat_map(|part| part.draw(version, seed))
        .collect();
    // Equal times are ordered by part.
    drawn.sort_by_key(|object| object.start);
    let numbered = (0..).zip(drawn);
    TransferSequence::sorted(numbered.map(|(id, object)| object.numbered(id)).collect())
}

/// Objects of one kind.
struct Part {
    /// Names its random streams and the folder of its addresses.
    name: &'static str,
    category: Category,
    /// Of its files, in turn.
    extensions: &'static [&'static str],
    /// Requests of an average version.
    count: usize,
    /// Kilobytes of an average version, all together.
    kilobytes: f64,
    /// Kilobytes of a single object, at least and at most.
    range: (f64, f64),
    /// Greatest difference of a version from the average, in bytes and in
    /// requests, as a share.
    spread: f64,
    /// How many of an average version are third parties'.
    third_party: usize,
    /// Milliseconds since the navigation in which they are asked for.
    asked: (f64, f64),
}

const PARTS: [Part; 11] = [
    Part {
        name: "document",
        category: Category::Html,
        extensions: &["html"],
        count: 1,
        // What the frames leave of 238.
        kilobytes: 170.0,
        range: (100.0, 240.0),
        spread: 0.03,
        third_party: 0,
        asked: (0.0, 0.0),
    },
    Part {
        name: "frames",
        category: Category::Html,
        extensions: &["html"],
        count: 4,
        kilobytes: 68.0,
        range: (5.0, 30.0),
        spread: 0.03,
        third_party: 0,
        asked: (1200.0, 2600.0),
    },
    Part {
        name: "css",
        category: Category::Css,
        extensions: &["css"],
        count: 4,
        kilobytes: 30.0,
        range: (3.0, 16.0),
        spread: 0.0,
        third_party: 1,
        asked: (120.0, 300.0),
    },
    Part {
        name: "js",
        category: Category::Javascript,
        extensions: &["js"],
        count: 29,
        kilobytes: 733.5,
        range: (20.0, 45.0),
        spread: 0.02,
        third_party: 12,
        asked: (140.0, 2400.0),
    },
    Part {
        name: "json",
        category: Category::Json,
        extensions: &["json"],
        count: 16,
        kilobytes: 120.0,
        range: (0.5, 30.0),
        spread: 0.05,
        third_party: 0,
        asked: (900.0, 3200.0),
    },
    Part {
        name: "fonts",
        category: Category::Fonts,
        extensions: &["woff2"],
        count: 12,
        kilobytes: 338.1,
        range: (14.0, 86.0),
        spread: 0.0,
        third_party: 0,
        asked: (350.0, 800.0),
    },
    Part {
        name: "lead",
        category: Category::Images,
        extensions: &["jpg"],
        count: 1,
        kilobytes: 310.0,
        range: (300.0, 330.0),
        spread: 0.03,
        third_party: 0,
        asked: (320.0, 400.0),
    },
    Part {
        name: "images",
        category: Category::Images,
        extensions: &["jpg", "webp", "jpg", "png", "webp"],
        count: 39,
        // What the lead image leaves of 815.
        kilobytes: 505.0,
        range: (1.0, 60.0),
        spread: 0.05,
        third_party: 0,
        asked: (400.0, 3000.0),
    },
    Part {
        name: "ads",
        category: Category::Ads,
        extensions: &["js", "gif", "js", "html", "jpg"],
        count: 9,
        kilobytes: 405.0,
        range: (5.0, 130.0),
        spread: 0.05,
        third_party: 9,
        asked: (1500.0, 3600.0),
    },
    Part {
        name: "others",
        category: Category::Others,
        extensions: &["m4s", "bin", "xml"],
        count: 13,
        // The middle of 1130 to 3778.
        kilobytes: 2454.0,
        range: (20.0, 600.0),
        spread: 0.05,
        third_party: 0,
        asked: (1000.0, 4000.0),
    },
    Part {
        name: "video",
        category: Category::Others,
        extensions: &["mp4"],
        count: 1,
        kilobytes: 11_370.0,
        range: (11_000.0, 19_000.0),
        spread: 0.03,
        third_party: 0,
        asked: (1800.0, 2200.0),
    },
];

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
    fn draw(&self, version: u32, seed: u64) -> Vec<Drawn> {
        let count = self.count_of(version, seed);
        let sizes = self.sizes(count, version, seed);
        let mut times = self.stream(seed, &format!("times/{version}"));
        let (first, last) = self.asked;
        let mut starts: Vec<f64> = (0..count)
            .map(|_| first + (last - first) * times.unit())
            .collect();
        // A page asks for its own before others ask for theirs.
        starts.sort_by(f64::total_cmp);
        let foreign = self.third_party * count / self.count;
        let numbered = starts.into_iter().zip(sizes).enumerate();
        numbered
            .map(|(i, (start, size))| {
                let third_party = i >= count - foreign;
                let extension = self.extensions[i % self.extensions.len()];
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

    /// The random stream of one of its aspects.
    fn stream(&self, seed: u64, aspect: &str) -> Rng {
        Rng::new(seed, &format!("srivastava/{}/{aspect}", self.name))
    }

    /// This version's share of what was drawn for all: from `-spread` to `spread`.
    fn difference(&self, version: u32, seed: u64, aspect: &str) -> f64 {
        let mut steps = STEPS;
        shuffle(&mut steps, &mut self.stream(seed, aspect));
        self.spread * steps[version as usize - 1]
    }

    fn count_of(&self, version: u32, seed: u64) -> usize {
        let more = (self.difference(version, seed, "count") * self.count as f64).round();
        self.count.saturating_add_signed(more as isize)
    }

    /// Bytes of each, within the part's range and, all together, its total.
    fn sizes(&self, count: usize, version: u32, seed: u64) -> Vec<u64> {
        let total = self.kilobytes * (1.0 + self.difference(version, seed, "bytes"));
        // The same in all versions, so that an object stays about as large as it was.
        let mut stream = self.stream(seed, "sizes");
        let weights: Vec<f64> = (0..count).map(|_| stream.lognormal(0.6)).collect();
        let sizes = share_out(total, &weights, self.range);
        sizes
            .into_iter()
            .map(|kb| (kb * 1000.0).round() as u64)
            .collect()
    }

    fn url(&self, i: usize, extension: &str, third_party: bool) -> String {
        match (self.name, third_party) {
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
            must_be_whole: extension::must_be_whole(self.extension),
        }
    }
}

/// Milliseconds that an object took when the page was recorded: a round trip and a
/// server's answer, then 50 Mbit/s. For the log only.
fn unthrottled(size: u64, rng: &mut Rng) -> f64 {
    30.0 + 70.0 * rng.unit() + size as f64 * 8.0 / 50_000.0
}

/// Recorders tell no less.
fn whole_micros(millis: f64) -> Duration {
    Duration::from_micros((millis * 1000.0).round() as u64)
}

/// Fisher-Yates.
fn shuffle(steps: &mut [f64], rng: &mut Rng) {
    for i in (1..steps.len()).rev() {
        steps.swap(i, rng.below(i as u64 + 1) as usize);
    }
}

/// `total` in proportion to `weights`, each share within `range`: what a bound
/// cuts off, the others get.
///
/// # Panics
/// If so many shares of that range cannot have that total.
fn share_out(total: f64, weights: &[f64], (least, most): (f64, f64)) -> Vec<f64> {
    let count = weights.len() as f64;
    assert!(
        (least * count..=most * count).contains(&total),
        "{count} shares from {least} to {most} do not sum to {total}"
    );
    let sum = |scale: f64| -> f64 { weights.iter().map(|w| (w * scale).clamp(least, most)).sum() };
    // Bisection: the sum grows with the scale.
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
