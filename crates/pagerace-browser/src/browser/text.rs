//! Text: the blocks that are available, and their fonts.

use pagerace_core::{Duration, Instant};
use pagerace_page::timeline::Part;
use pagerace_page::{FontDisplay, Paints, ResourceId};

use super::Browser;
use super::fonts::{Fonts, Hold};
use super::state::Timer;
use super::tasks::FRAME;
use crate::cause::{Cause, Ready};
use crate::paint::{Block, Shown, Size};

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
/// The time after the start of the navigation from which preloaded fonts hold no frame
/// (`kMaxBlockingTimeMsForRenderBlockingFonts` in Chromium's `features.cc`).
const FONT_PRELOADS_LIMIT: Duration = Duration::from_millis(1500);

impl Browser {
    /// Adds the blocks of text in the first `parsed` bytes, which the parser has passed.
    pub(super) fn reach_text(&mut self, parsed: u64) {
        let is_passed = |block: &Block| block.end.is_some_and(|end| end <= parsed);
        let next = self.rendering.text_parsed;
        let passed = self.layout.text[next..].iter().take_while(|b| is_passed(b));
        for block in next..next + passed.count() {
            self.rendering.text_parsed += 1;
            self.text_made(block);
        }
    }

    /// Adds a block of text to the document. The next layout requests its fonts.
    pub(super) fn text_made(&mut self, block: usize) {
        let rendering = &mut self.rendering;
        rendering.text_waiting.push((block, self.current));
        rendering.used_fonts.extend(&self.layout.text[block].fonts);
        let used = &rendering.used_fonts;
        let unused = &mut rendering.unused_fonts;
        let now_used = unused.extract_if(.., |(font, _)| used.contains(font));
        let now_used = now_used.map(|(font, named)| (font, named.and(self.current)));
        rendering.awaiting_layout.extend(now_used);
    }

    /// Adds a font or an image that a style sheet names. The next layout requests it, a font once
    /// there is text that uses it.
    pub(super) fn named_by_style(&mut self, id: ResourceId) {
        let rendering = &mut self.rendering;
        let uses = |block: &Block| block.fonts.contains(&id);
        if !rendering.used_fonts.contains(&id) && self.layout.text.iter().any(uses) {
            rendering.unused_fonts.push((id, self.current));
        } else {
            rendering.awaiting_layout.push((id, self.current));
        }
    }

    /// Returns true if there is visible text that no frame has shown.
    pub(super) fn has_text_to_paint(&self) -> bool {
        let waiting = &self.rendering.text_waiting;
        waiting.iter().any(|&(block, _)| self.shows(block))
    }

    /// Takes the blocks that the frame that begins now shows.
    pub(super) fn take_text_to_paint(&mut self) -> Vec<(usize, Ready)> {
        let waiting = std::mem::take(&mut self.rendering.text_waiting);
        let (ready, waiting) = waiting.into_iter().partition(|&(b, _)| self.shows(b));
        self.rendering.text_waiting = waiting;
        ready
    }

    /// Paints the text of the frame. Text whose fonts the layout of this frame requested
    /// stays hidden.
    pub(super) fn paint_text(&mut self, now: Instant) {
        let presentation = self.overheads.later_presentation;
        for (block, since) in std::mem::take(&mut self.rendering.painting_text) {
            if self.shows(block) {
                let told = &self.layout.text[block];
                let ready = since.and(self.rendering.layout_since);
                let begin = if told.end.is_some() {
                    now
                } else {
                    ready.at + presentation
                };
                let fonts = self.fonts.since(&told.fonts);
                let ready = fonts.into_iter().fold(ready, Ready::and);
                let size = self.size_now(told.size, told.pushed.as_ref());
                let shown = Shown::whole(told.number.map(Part::Block));
                let counted = match told.fade {
                    Duration::ZERO => now,
                    fade => now + fade + FRAME,
                };
                let times = [begin + told.motion, counted];
                self.screen
                    .paint_moving(now, times, None, shown, size, ready);
            } else {
                self.rendering.text_waiting.push((block, since));
            }
        }
        self.rendering.text_waiting.sort_unstable_by_key(|w| w.0);
        self.paint_pending_text(now);
    }

    /// Paints text whose fonts are pending. Such text is laid out and invisible, but
    /// makes a paint contentful (<https://www.w3.org/TR/paint-timing/>: "text with
    /// pending web fonts" counts).
    fn paint_pending_text(&mut self, now: Instant) {
        if self.screen.has_first() || self.hides_elements() {
            return;
        }
        let mut waiting = self.rendering.text_waiting.iter();
        let contentful = |w: &&(usize, Ready)| self.layout.text[w.0].size.contentful;
        if let Some((_, since)) = waiting.find(contentful) {
            let size = Size {
                contentful: true,
                ..Size::part(0.0)
            };
            let ready = since.and(self.rendering.layout_since);
            self.screen.paint(now, None, size, ready);
        }
    }

    /// Starts the block periods of the fonts that the first layout uses.
    pub(super) fn first_layout_used_fonts(&mut self, now: Instant) {
        let used: Vec<ResourceId> = match &self.fonts {
            Fonts::Common { missing, .. } => missing.iter().copied().collect(),
            Fonts::Own(holds) => {
                let preloaded = holds.iter().filter(|(_, h)| matches!(h, Hold::Preloaded));
                preloaded.map(|(font, _)| *font).collect()
            }
        };
        for font in used {
            self.hide_text(now, font);
        }
    }

    /// Handles the discovery of a font of the page's own document. Before the first
    /// layout, the markup requests fonts; during and after it, layout does.
    pub(super) fn font_found(&mut self, now: Instant, font: ResourceId) {
        let anchor = self.graph.nodes[font.index()].anchor;
        let by_markup = anchor.is_some();
        if anchor.is_some_and(|anchor| anchor <= self.layout.body_start) {
            self.hold_for_preload(now, font);
        }
        match &mut self.fonts {
            Fonts::Common { swaps, .. } if *swaps || self.rendering.laid_out => {}
            Fonts::Common {
                missing, harmless, ..
            } => {
                if !harmless.contains(&font) {
                    missing.insert(font);
                }
            }
            Fonts::Own(holds) if by_markup && !self.rendering.laid_out => {
                holds.insert(font, Hold::Preloaded);
            }
            Fonts::Own(_) => self.hide_text(now, font),
        }
    }

    /// Hides the text of a missing font that layout uses, for the font's block period.
    fn hide_text(&mut self, now: Instant, font: ResourceId) {
        let told = match &self.page.paints {
            Paints::Recorded(layout) => &layout.fonts[..],
            Paints::Guessed(guess) => {
                let content = guess.content.as_ref();
                content.map_or(&[][..], |content| &content.fonts)
            }
        };
        let told = told.iter().find(|told| told.font == font);
        let limit = self.started.unwrap_or(now) + LCP_LIMIT;
        let shown = match told.map_or(FontDisplay::Auto, |told| told.display) {
            FontDisplay::Auto => limit.min(now + FONT_BLOCK_PERIOD),
            FontDisplay::Block => now + FONT_BLOCK_PERIOD,
            FontDisplay::Fallback => now + FONT_SHORT_PERIOD,
            FontDisplay::Swap | FontDisplay::Optional => now,
        };
        if let Fonts::Own(holds) = &mut self.fonts {
            holds.insert(font, Hold::Hidden);
        }
        if shown <= now {
            self.fonts.release(self.current, font);
        } else {
            self.schedule(shown, Timer::BlockPeriodOver(font));
        }
    }

    /// Shows the text that still waits for `font`. Until now, the font held it back.
    pub(super) fn end_block_period(&mut self, now: Instant, font: ResourceId) {
        if !self.fonts.hides(font) {
            return;
        }
        self.blame_font(now, font);
        self.fonts.release(self.current, font);
    }

    /// Lets a font that the head preloads hold the first frame
    /// (`RenderBlockingResourceManager::AddPendingFontPreload` in Chromium).
    fn hold_for_preload(&mut self, now: Instant, font: ResourceId) {
        let limit = self.started.unwrap_or(now) + FONT_PRELOADS_LIMIT;
        if self.profile.font_preloads_hold.is_none() || self.rendering.laid_out || now >= limit {
            return;
        }
        if self.rendering.font_preloads.is_empty() {
            self.schedule(limit, Timer::FontPreloadsOver);
        }
        self.rendering.font_preloads.insert(font);
    }

    /// Returns true if preloaded fonts hold the first frame, which nothing else holds. From now on,
    /// they do so for a limited time.
    pub(super) fn awaits_font_preloads(&mut self, now: Instant) -> bool {
        let Some(time) = self.profile.font_preloads_hold else {
            return false;
        };
        let awaits = !self.rendering.font_preloads.is_empty();
        if awaits && !std::mem::replace(&mut self.rendering.font_preloads_timed, true) {
            self.schedule(now + time, Timer::FontPreloadsOver);
        }
        awaits
    }

    /// Lets the first frame wait for preloaded fonts no longer.
    pub(super) fn end_font_preloads(&mut self, now: Instant) {
        if let Some(font) = std::mem::take(&mut self.rendering.font_preloads).pop_last() {
            self.blame_font(now, font);
        }
    }

    /// Makes a font that is waited for no longer the cause of what follows.
    fn blame_font(&mut self, now: Instant, font: ResourceId) {
        let state = &self.states[font.index()];
        // The page may be too busy to take a font that has arrived. One from the cache has not.
        if state.ended.is_none() || self.requests.requested_at(font).is_some() {
            let cause = Cause {
                resource: font,
                received: state.received,
                ended: state.ended.is_some(),
                at: state.ended.unwrap_or(now),
            };
            self.current = Ready::new(now, Some(cause));
        }
    }

    fn shows(&self, block: usize) -> bool {
        self.fonts.show(&self.layout.text[block].fonts)
    }
}
