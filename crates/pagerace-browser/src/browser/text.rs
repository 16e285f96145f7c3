//! Text: the blocks that are available, and their fonts.
//!
//! If the layout is recorded, each block waits for the first of its own fonts, according
//! to its `font-display`. Otherwise all text waits for all fonts, as with
//! `font-display: block`.

use pagerace_core::{Duration, Instant};
use pagerace_page::{FontDisplay, ResourceId, Wait};

use super::Browser;
use super::state::{FontHold, Timer};
use crate::cause::Ready;
use crate::paint::{Block, Size};

/// The time for which text stays invisible while its fonts load: the block period of
/// `font-display: block`, for which CSS Fonts 4 recommends three seconds,
/// <https://www.w3.org/TR/css-fonts-4/#font-display-desc>; Chromium's
/// `kFontLoadWaitLong`.
const FONT_BLOCK_PERIOD: Duration = Duration::from_secs(3);
/// The block period of `font-display: fallback`; Chromium's `kFontLoadWaitShort`.
const FONT_SHORT_PERIOD: Duration = Duration::from_millis(100);
/// The time after the start of the navigation at which Chromium ends the block period of
/// `font-display: auto` (`AlignFontDisplayAutoTimeoutWithLCPGoal`).
const LCP_LIMIT: Duration = Duration::from_secs(2);

impl Browser {
    /// Adds the blocks of text that the parser has passed.
    pub(super) fn reach_text(&mut self) {
        let Some(document) = self.graph.document else {
            return;
        };
        let parsed = self.parsers[document].as_ref().map_or(0, |p| p.parsed);
        let is_passed = |block: &Block| block.end.is_some_and(|end| end <= parsed);
        let next = self.rendering.text_parsed;
        let passed = self.layout.text[next..].iter().take_while(|b| is_passed(b));
        for block in next..next + passed.count() {
            self.rendering.text_parsed += 1;
            self.text_made(block);
        }
    }

    /// Returns the blocks that scripts create after `event`.
    fn made_after(&self, event: Wait) -> Vec<usize> {
        let scripted = self.layout.text.partition_point(|b| b.end.is_some());
        let made = scripted..self.layout.text.len();
        made.filter(|&block| self.layout.text[block].after == event)
            .collect()
    }

    /// Adds the blocks that wait for `event`, now or after their delays.
    pub(super) fn scripts_make_text(&mut self, now: Instant, event: Wait) {
        for block in self.made_after(event) {
            let delay = self.layout.text[block].delay;
            if delay.is_zero() {
                self.text_made(block);
            } else {
                self.schedule(now + delay, Timer::TextMade(block));
            }
        }
    }

    /// Records that text created from `id` never appears.
    pub(super) fn miss_text_of(&mut self, id: ResourceId) {
        for block in self.made_after(Wait::Resource { id }) {
            self.screen.miss(self.layout.text[block].size);
        }
    }

    /// Adds a block of text to the document.
    pub(super) fn text_made(&mut self, block: usize) {
        self.rendering.text_since.insert(block, self.current);
        self.rendering.text_waiting.push(block);
    }

    /// Returns true if there is visible text that no frame has shown.
    pub(super) fn has_text_to_paint(&self) -> bool {
        let waiting = &self.rendering.text_waiting;
        waiting.iter().any(|&block| self.fonts_ready(block))
    }

    /// Takes the blocks that the frame that begins now shows.
    pub(super) fn take_text_to_paint(&mut self) -> Vec<usize> {
        let waiting = std::mem::take(&mut self.rendering.text_waiting);
        let (ready, waiting) = waiting.into_iter().partition(|&b| self.fonts_ready(b));
        self.rendering.text_waiting = waiting;
        ready
    }

    /// Paints the text of the frame. Text whose fonts the layout of this frame requested
    /// stays hidden.
    pub(super) fn paint_text(&mut self, now: Instant, first: bool) {
        for block in std::mem::take(&mut self.rendering.painting_text) {
            if (first || self.layout.recorded) && !self.fonts_ready(block) {
                self.rendering.text_waiting.push(block);
            } else {
                let ready = self.text_ready(block);
                self.screen
                    .paint_text(now, self.layout.text[block].size, ready);
            }
        }
        self.rendering.text_waiting.sort_unstable();
        self.paint_pending_text(now);
    }

    /// Paints text whose fonts are pending. Such text is laid out and invisible, but
    /// makes a paint contentful (<https://www.w3.org/TR/paint-timing/>: "text with
    /// pending web fonts" counts). Pages without a recorded layout skip this, because
    /// there all text waits for all fonts, used or not.
    fn paint_pending_text(&mut self, now: Instant) {
        if !self.layout.recorded || self.screen.first().is_some() {
            return;
        }
        let waiting = self.rendering.text_waiting.iter();
        let contentful = |&&block: &&usize| self.layout.text[block].size.contentful;
        let Some(&block) = waiting.clone().find(contentful) else {
            return;
        };
        let since = self.rendering.layout_since;
        let passed = self.rendering.text_since.get(&block).copied();
        let size = Size {
            area: 0.0,
            element: 0.0,
            contentful: true,
        };
        let ready = passed.map_or(since, |passed| passed.and(since));
        self.screen.paint_text(now, size, ready);
    }

    /// Starts the block periods of the fonts that the first layout uses.
    pub(super) fn first_layout_used_fonts(&mut self, now: Instant) {
        if self.rendering.fonts > 0 {
            self.schedule(now + FONT_BLOCK_PERIOD, Timer::FontBlockOver);
        }
        let preloaded = |(id, hold): (&ResourceId, &FontHold)| {
            matches!(hold, FontHold::Preloaded).then_some(*id)
        };
        let fonts: Vec<ResourceId> = self
            .rendering
            .font_holds
            .iter()
            .filter_map(preloaded)
            .collect();
        for font in fonts {
            self.hide_text(now, font);
        }
    }

    /// Ends the block period of all fonts.
    pub(super) fn font_block_over(&mut self) {
        self.rendering.font_block_over = true;
        if self.rendering.fonts > 0 {
            self.rendering.fonts_since = Some(self.current);
        }
    }

    /// Handles the discovery of a font of the page's own document. Before the first
    /// layout, the markup requests fonts; during and after it, layout does.
    pub(super) fn font_found(&mut self, now: Instant, font: ResourceId) {
        let by_markup = self.graph.nodes[font.index()].anchor.is_some();
        if by_markup && !self.rendering.laid_out {
            self.rendering.font_holds.insert(font, FontHold::Preloaded);
        } else {
            self.hide_text(now, font);
        }
    }

    /// Hides the text of a missing font that layout uses, for the font's block period.
    fn hide_text(&mut self, now: Instant, font: ResourceId) {
        let layout = self.page.layout.as_ref();
        let told = layout.and_then(|l| l.fonts.iter().find(|f| f.font == font));
        let limit = self.started.unwrap_or(now) + LCP_LIMIT;
        let shown = match told.map_or(FontDisplay::Auto, |f| f.display) {
            FontDisplay::Auto => limit.min(now + FONT_BLOCK_PERIOD),
            FontDisplay::Block => now + FONT_BLOCK_PERIOD,
            FontDisplay::Fallback => now + FONT_SHORT_PERIOD,
            FontDisplay::Swap | FontDisplay::Optional => now,
        };
        let hold = if shown <= now {
            FontHold::Shown(self.current)
        } else {
            self.schedule(shown, Timer::FontShown(font));
            FontHold::Hidden
        };
        self.rendering.font_holds.insert(font, hold);
    }

    /// Ends the block period of a font.
    pub(super) fn font_shown(&mut self, font: ResourceId) {
        if let Some(hold @ FontHold::Hidden) = self.rendering.font_holds.get_mut(&font) {
            *hold = FontHold::Shown(self.current);
        }
    }

    fn fonts_ready(&self, block: usize) -> bool {
        if !self.layout.recorded {
            let swaps = self.page.fit.is_some_and(|fit| fit.swaps_fonts);
            return swaps || self.rendering.fonts == 0 || self.rendering.font_block_over;
        }
        let hides = |font: &ResourceId| {
            let hold = self.rendering.font_holds.get(font);
            matches!(hold, Some(FontHold::Hidden | FontHold::Preloaded))
        };
        let block = &self.layout.text[block];
        // A block in several fonts is visible with the first available font. The space of
        // its other words is laid out already.
        let hidden = !block.fonts.is_empty() && block.fonts.iter().all(hides);
        !hidden
    }

    /// Returns the time from which a frame could show the block of text: the block is in
    /// the document, a layout is done, and one of its fonts is available.
    fn text_ready(&self, block: usize) -> Ready {
        let laid_out = self.rendering.layout_since;
        let passed = self.rendering.text_since.get(&block).copied();
        let ready = passed.map_or(laid_out, |passed| passed.and(laid_out));
        let own = self.layout.text[block].fonts.iter();
        let own = own.filter_map(|font| match self.rendering.font_holds.get(font) {
            Some(FontHold::Shown(since)) => Some(*since),
            _ => None,
        });
        let own = own.min_by_key(|since| since.at);
        let fonts = self.rendering.fonts_since.into_iter().chain(own);
        fonts.fold(ready, Ready::and)
    }
}
