//! The fonts that hide text while they are missing.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_page::{Content, FontDisplay, FontUse, Page, ResourceId};

use crate::cause::Ready;
use crate::paint::Layout;

/// The fonts of the page's own document, and the text that waits for them.
#[derive(Debug)]
pub(super) enum Fonts {
    /// The layout is guessed: all text waits for all fonts that were found before the first
    /// layout, except for those that are known not to hide it.
    Common {
        missing: BTreeSet<ResourceId>,
        /// Fonts that hide no text, or for 0.1 s at most: those of icons, and those with
        /// `swap`, `fallback` or `optional`.
        harmless: BTreeSet<ResourceId>,
        /// True if text never waits.
        swaps: bool,
        /// The time at which text stopped waiting.
        since: Option<Ready>,
    },
    /// The layout is recorded: each block waits for the first of its own fonts, according
    /// to its `font-display`.
    Own(BTreeMap<ResourceId, Hold>),
}

/// The state of text in a font.
#[derive(Clone, Copy, Debug)]
pub(super) enum Hold {
    /// The markup requested the font, and no text has used it.
    Preloaded,
    /// Text in the font is invisible.
    Hidden,
    /// Text in the font is visible since this time, in this font or a fallback.
    Shown(Ready),
}

fn harmless(content: &Content) -> BTreeSet<ResourceId> {
    let hides = |font: &&FontUse| matches!(font.display, FontDisplay::Auto | FontDisplay::Block);
    let shown = content.fonts.iter().filter(|font| !hides(font));
    let icons = content.icons.iter().copied();
    shown.map(|font| font.font).chain(icons).collect()
}

impl Fonts {
    pub(super) fn new(page: &Page, layout: &Layout) -> Self {
        let Some(guess) = page.guess() else {
            return Self::Own(BTreeMap::new());
        };
        Self::Common {
            missing: BTreeSet::new(),
            harmless: guess.content.as_ref().map(harmless).unwrap_or_default(),
            swaps: layout.swaps_fonts,
            since: None,
        }
    }

    /// Returns true if `font` hides text, or will hide it from the first layout on.
    pub(super) fn hides(&self, font: ResourceId) -> bool {
        match self {
            Self::Common { missing, .. } => missing.contains(&font),
            Self::Own(holds) => {
                matches!(holds.get(&font), Some(Hold::Preloaded | Hold::Hidden))
            }
        }
    }

    /// Makes text stop waiting for `font`: it has arrived, it never will, or its block period is
    /// over.
    pub(super) fn release(&mut self, now: Ready, font: ResourceId) {
        match self {
            Self::Common { missing, since, .. } => {
                if missing.remove(&font) && missing.is_empty() {
                    *since = Some(now);
                }
            }
            Self::Own(holds) => {
                if let Some(hold @ (Hold::Preloaded | Hold::Hidden)) = holds.get_mut(&font) {
                    *hold = Hold::Shown(now);
                }
            }
        }
    }

    /// Returns true if text in these fonts is visible. Text in several fonts is visible with
    /// the first available font. The space of its other words is laid out already.
    pub(super) fn show(&self, own: &[ResourceId]) -> bool {
        match self {
            Self::Common { missing, .. } => missing.is_empty(),
            Self::Own(_) => own.is_empty() || !own.iter().all(|font| self.hides(*font)),
        }
    }

    /// Returns the time at which text in these fonts stopped waiting, if it has waited.
    pub(super) fn since(&self, own: &[ResourceId]) -> Option<Ready> {
        match self {
            Self::Common { since, .. } => *since,
            Self::Own(holds) => {
                let shown = own.iter().filter_map(|font| match holds.get(font) {
                    Some(Hold::Shown(since)) => Some(*since),
                    _ => None,
                });
                shown.min_by_key(|since| since.at)
            }
        }
    }

    /// Returns true if text waits for one of the broken fonts. The text will appear when
    /// the browser stops waiting.
    pub(super) fn wait_for(&self, broken: impl Fn(&ResourceId) -> bool) -> bool {
        match self {
            Self::Common { missing, .. } => missing.iter().any(broken),
            Self::Own(holds) => holds
                .iter()
                .any(|(font, hold)| matches!(hold, Hold::Hidden) && broken(font)),
        }
    }
}
