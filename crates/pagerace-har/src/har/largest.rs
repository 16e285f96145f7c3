//! The elements that may be the largest of a page without a recorded layout.
//!
//! Each image has a score, and text has the score 0; the probabilities are the softmax of the
//! scores. The weights were fitted to 131 pages with a recorded layout, of which 51 have an image
//! as the largest element: maximum likelihood, tested on each page with the weights of the
//! others. The most probable candidate is the largest element on 73 % of the pages (72 % without
//! final priorities), and one of the three most probable ones on 92 %.

use pagerace_core::{Destination, RequestPriority};

use super::entry::Entry;
use super::recording::Recording;
use super::thresholds::BEACON_BYTES;
use super::viewport;
use pagerace_page::{LargestCandidate, LargestElement, ResourceId};

/// Candidates with a smaller probability are left out.
const PROBABILITY_MIN: f64 = 0.01;
/// Bytes of an image whose size does not change its score.
const TYPICAL_BYTES: f64 = 20_000.0;
/// Words in the paths of images that are rarely the largest element.
const SMALL: [&str; 26] = [
    "logo",
    "icon",
    "sprite",
    "avatar",
    "profile",
    "face",
    "team",
    "user",
    "thumb",
    "badge",
    "btn",
    "button",
    "flag",
    "arrow",
    "loader",
    "loading",
    "pixel",
    "blank",
    "brand",
    "shape",
    "pattern",
    "texture",
    "client",
    "testimonial",
    "small",
    "sign",
];
/// Words in the paths of images that often are.
const LARGE: [&str; 16] = [
    "hero",
    "banner",
    "cover",
    "slide",
    "header",
    "masthead",
    "background",
    "jumbotron",
    "bg",
    "carousel",
    "main",
    "intro",
    "large",
    "full",
    "poster",
    "landing",
];

/// Weights of the evidence.
struct Weights {
    image: f64,
    /// For each factor of e in bytes.
    bytes: f64,
    /// For each factor of e in the place among the document's images, from 1.
    place: f64,
    background: f64,
    small: f64,
    large: f64,
    vector: f64,
    high: f64,
    low: f64,
    late: f64,
}

/// Weights if the last priorities are recorded.
const WITH_PRIORITIES: Weights = Weights {
    image: -0.2,
    bytes: 0.65,
    place: -1.6,
    background: -2.7,
    small: -2.3,
    large: 0.6,
    vector: 0.9,
    high: 1.45,
    low: -0.8,
    late: -5.0,
};
/// Weights without them.
const WITHOUT_PRIORITIES: Weights = Weights {
    image: 0.0,
    bytes: 0.65,
    place: -1.65,
    background: -2.0,
    small: -2.3,
    large: 1.0,
    vector: 0.0,
    high: 0.0,
    low: 0.0,
    late: -5.0,
};

/// Facts on the images that the importer knows besides the recording: for each entry, whether it
/// cannot be a candidate, its place among the document's images, and whether a style names it.
pub(super) struct Known<'a> {
    pub(super) excluded: &'a [bool],
    pub(super) places: &'a [Option<usize>],
    pub(super) backgrounds: &'a [bool],
}

/// Returns the candidates, the most probable first.
pub(super) fn candidates(recording: &Recording, known: &Known) -> Vec<LargestCandidate> {
    let entries = recording.entries;
    let may_be = |i: &usize| {
        let entry = &entries[*i];
        recording.destinations[*i] == Destination::Image
            && !known.excluded[*i]
            && !viewport::is_icon(entry)
            && recording.redirects.to[*i].is_none()
            && entry.status < 400
            && recording.bodies[*i] >= BEACON_BYTES
    };
    let images: Vec<usize> = (0..entries.len()).filter(may_be).collect();
    let prioritised = images.iter().any(|&i| entries[i].final_priority.is_some());
    let weights = if prioritised {
        &WITH_PRIORITIES
    } else {
        &WITHOUT_PRIORITIES
    };
    let image = |(requested_before, &i): (usize, &usize)| {
        let id = ResourceId(i as u32);
        // An image that a script requests stands behind those that were requested before.
        let other = if known.backgrounds[i] {
            0
        } else {
            requested_before
        };
        let place = known.places[i].unwrap_or(other);
        let score = score(recording, known, weights, (i, place));
        (LargestElement::Image { id }, libm::exp(score))
    };
    let odds =
        std::iter::once((LargestElement::Text, 1.0)).chain(images.iter().enumerate().map(image));
    shares(odds.collect())
}

/// Returns the score of image `i` at this place.
fn score(
    recording: &Recording,
    known: &Known,
    weights: &Weights,
    (i, place): (usize, usize),
) -> f64 {
    let entry = &recording.entries[i];
    let priority = entry.final_priority;
    let is_late = recording.loaded.zip(entry.asked);
    let is_late = is_late.is_some_and(|(loaded, asked)| asked >= loaded);
    let path = path(entry);
    let says = |words: &[&str]| words.iter().any(|word| path.contains(word));
    let is_high = priority.is_some_and(|p| p <= RequestPriority::High);
    let is_low = priority.is_some_and(|p| p >= RequestPriority::Low);
    let flags = [
        (weights.background, known.backgrounds[i]),
        (weights.small, says(&SMALL)),
        (weights.large, says(&LARGE)),
        (weights.vector, entry.mime == "image/svg+xml"),
        (weights.high, is_high),
        (weights.low, is_low),
        (weights.late, is_late),
    ];
    let flags = flags.iter().filter(|(_, holds)| *holds);
    weights.image
        + weights.bytes * libm::log(recording.bodies[i] as f64 / TYPICAL_BYTES)
        + weights.place * libm::log1p(place as f64)
        + flags.map(|(weight, _)| weight).sum::<f64>()
}

/// Returns the path of the URL in lower case.
fn path(entry: &Entry) -> String {
    let path = entry.url.as_ref().map(url::Url::path);
    path.unwrap_or_default().to_ascii_lowercase()
}

/// Returns the share of each element in the sum of the odds, in whole per mille and descending.
/// Elements of less than a hundredth are left out.
fn shares(mut odds: Vec<(LargestElement, f64)>) -> Vec<LargestCandidate> {
    let sum = |odds: &[(LargestElement, f64)]| odds.iter().map(|(_, odds)| odds).sum::<f64>();
    let all = sum(&odds);
    odds.retain(|(_, odds)| *odds >= PROBABILITY_MIN * all);
    let all = sum(&odds);
    // The element that was requested first precedes another with the same odds.
    odds.sort_by(|a, b| b.1.total_cmp(&a.1));
    let share = |(element, odds): (LargestElement, f64)| LargestCandidate {
        element,
        probability: (odds / all * 1e3).round() / 1e3,
    };
    odds.into_iter().map(share).collect()
}

#[cfg(test)]
mod tests;
