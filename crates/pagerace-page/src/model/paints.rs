//! Evidence for the times at which content appears.

use pagerace_core::{Duration, names};
use serde::{Deserialize, Serialize};

use super::{Content, Page, PageLayout, ResourceId, Wait, is_default};

/// Most candidates for the largest element that a sentence names.
const NAMED: usize = 4;

names! {
    /// Source of the knowledge about a page's visible content and its paint times.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum PaintEvidence {
        /// `pagerace record` wrote down the position of each element and the time at which it
        /// appeared.
        Recorded = "recorded",
        /// The recording has paint times but no positions. The visible elements are guessed;
        /// the times at which they can appear are fitted to the recorded paints.
        Fitted = "fitted",
        /// The recording has neither paints nor layout.
        Guessed = "guessed",
    }
}

/// What tells which elements a page shows, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Paints {
    /// The recording holds the positions of the page's elements on the screen.
    Recorded(PageLayout),
    /// The elements are guessed from what the recording tells besides.
    Guessed(Guess),
}

impl Default for Paints {
    fn default() -> Self {
        Self::Guessed(Guess::default())
    }
}

/// Evidence for the elements of a page without a recorded layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Guess {
    /// Content that the recorded bodies state; `None` if the document's body is not recorded.
    #[serde(default, skip_serializing_if = "is_default")]
    pub content: Option<Content>,
    /// Earliest paint times fitted to the recorded paints; `None` if the recording has none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fit: Option<PaintFit>,
    /// Elements that may be the largest, the most probable first.
    /// [`largest_candidates`](Page::largest_candidates) says whether they count.
    #[serde(default, skip_serializing_if = "is_default")]
    pub candidates: Vec<LargestCandidate>,
}

/// Constraints on the paint times of a page without a recorded layout, derived from its
/// recorded paints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaintFit {
    /// Last event before the recording's first paint that may have allowed it.
    pub after: Wait,
    /// Time after that event during which nothing appears; `None` if only render-blocking
    /// resources hold the first paint. A simulated load over the recording's own network
    /// determines the delay.
    pub delay: Option<Duration>,
    /// True if text does not wait for fonts, because some arrived after the first paint.
    pub swaps_fonts: bool,
    /// Element of the largest paint, if the recording tells.
    pub largest: Option<LargestElement>,
}

/// An element that may be the largest of a page without a recorded layout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LargestCandidate {
    /// The element.
    pub element: LargestElement,
    /// Probability that it is the largest, 0 to 1. Those of a page add up to 1, but for rounding.
    pub probability: f64,
}

/// The largest element of a page without a recorded layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub enum LargestElement {
    /// A block of text.
    Text,
    /// An image.
    Image {
        /// The resource that holds the image's bytes.
        id: ResourceId,
    },
}

impl Page {
    /// Returns the recorded layout, if there is one.
    pub const fn layout(&self) -> Option<&PageLayout> {
        match &self.paints {
            Paints::Recorded(layout) => Some(layout),
            Paints::Guessed(_) => None,
        }
    }

    /// Returns the recorded layout, if there is one.
    pub const fn layout_mut(&mut self) -> Option<&mut PageLayout> {
        match &mut self.paints {
            Paints::Recorded(layout) => Some(layout),
            Paints::Guessed(_) => None,
        }
    }

    /// Returns the evidence for guesses, if there is no recorded layout.
    pub const fn guess(&self) -> Option<&Guess> {
        match &self.paints {
            Paints::Recorded(_) => None,
            Paints::Guessed(guess) => Some(guess),
        }
    }

    /// Returns the evidence for guesses, if there is no recorded layout.
    pub const fn guess_mut(&mut self) -> Option<&mut Guess> {
        match &mut self.paints {
            Paints::Recorded(_) => None,
            Paints::Guessed(guess) => Some(guess),
        }
    }

    /// Returns the content that recorded bodies state, if there is no recorded layout.
    pub fn content(&self) -> Option<&Content> {
        self.guess()?.content.as_ref()
    }

    /// Returns the constraints of recorded paints, if there is no recorded layout.
    pub fn fit(&self) -> Option<PaintFit> {
        self.guess()?.fit
    }

    /// Returns the evidence for the page's paints.
    pub const fn paint_evidence(&self) -> PaintEvidence {
        match &self.paints {
            Paints::Recorded(_) => PaintEvidence::Recorded,
            Paints::Guessed(Guess { fit: Some(_), .. }) => PaintEvidence::Fitted,
            Paints::Guessed(_) => PaintEvidence::Guessed,
        }
    }

    /// Describes the processor of the recording in words, if its speed was estimated.
    pub fn processor_in_words(&self) -> Option<String> {
        let slowdown = self.recorded.slowdown.filter(|_| self.layout().is_none())?;
        Some(format!(
            "takes {slowdown:.1} times as long as the modelled desktop, estimated from DOMContentLoaded"
        ))
    }

    /// Returns the elements that may be the largest, the most probable first. Empty if the
    /// recording tells which one is, or tells nothing about them.
    pub fn largest_candidates(&self) -> &[LargestCandidate] {
        let told = |fit: &PaintFit| fit.largest.is_some();
        let open = self
            .guess()
            .filter(|guess| !guess.fit.as_ref().is_some_and(told));
        open.map_or(&[], |guess| &guess.candidates)
    }

    /// Returns the candidate that a load with this draw takes for its largest element, and the
    /// place of the draw in the candidate's share, both from 0 up to 1.
    ///
    /// The candidates take their probabilities of the draws in turn, the most probable first,
    /// so evenly spread draws take each in proportion. `None` if there is no candidate.
    pub fn drawn_largest(&self, draw: f64) -> Option<(LargestElement, f64)> {
        let mut begin = 0.0;
        let mut last = None;
        for candidate in self.largest_candidates() {
            let share = candidate.probability.max(f64::MIN_POSITIVE);
            last = Some((candidate.element, ((draw - begin) / share).clamp(0.0, 1.0)));
            begin += candidate.probability;
            if draw < begin {
                break;
            }
        }
        last
    }

    /// Describes the evidence for the paints, and the largest paint, in words.
    pub fn paints_in_words(&self) -> String {
        if !self.has_navigation() {
            return "no navigation is recorded, so requests are only transferred and nothing is \
                    painted"
                .to_owned();
        }
        let (evidence, largest) = (self.paint_evidence(), self.largest_in_words());
        format!("paints {evidence}; largest paint: {largest}")
    }

    /// Describes the largest paint in words: an image's URL, `text`, the candidates with their
    /// probabilities, or a statement that it is not recorded or not known before a load.
    pub fn largest_in_words(&self) -> String {
        let image = |id: ResourceId| self.resource(id).url.clone();
        let guess = match &self.paints {
            Paints::Recorded(layout) => {
                return match layout.largest {
                    Some(largest) => largest.image.map_or_else(|| "text".to_owned(), image),
                    None => "not recorded".to_owned(),
                };
            }
            Paints::Guessed(guess) => guess,
        };
        match guess.fit.and_then(|fit| fit.largest) {
            Some(LargestElement::Text) => "text".to_owned(),
            Some(LargestElement::Image { id }) => image(id),
            None if guess.candidates.is_empty() => "guessed in each load, by bytes".to_owned(),
            None => self.candidates_in_words(&guess.candidates),
        }
    }

    /// Returns the candidates of at least 5 %, at most [`NAMED`], and the rest as one.
    fn candidates_in_words(&self, candidates: &[LargestCandidate]) -> String {
        let named = candidates.iter().take(NAMED);
        let named = named.take_while(|candidate| candidate.probability >= 0.05);
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let mut rest = 1.0;
        let mut words: Vec<String> = Vec::new();
        for candidate in named {
            rest -= candidate.probability;
            let name = self.element_in_words(candidate.element);
            words.push(format!("{name} {}", percent(candidate.probability)));
        }
        if rest >= 0.005 {
            words.push(format!("others {}", percent(rest)));
        }
        words.join(", ")
    }

    /// Names an element: `text`, or the file of an image.
    pub fn element_in_words(&self, element: LargestElement) -> &str {
        match element {
            LargestElement::Text => "text",
            LargestElement::Image { id } => {
                let url = self.resource(id).url.as_str();
                let path = url.split(['?', '#']).next().unwrap_or(url);
                let file = path.rsplit('/').find(|part| !part.is_empty());
                file.unwrap_or(url)
            }
        }
    }
}
