//! Elements that scripts put on the page, or reveal, after an event.

use pagerace_core::{Duration, Instant};
use pagerace_page::{ResourceId, Wait};

use super::Browser;
use super::state::Timer;
use crate::paint::Made;

impl Browser {
    /// Puts the elements that wait for `event` on the page, now or after their delays.
    pub(super) fn scripts_make(&mut self, now: Instant, event: Wait) {
        for (made, delay) in self.made_after(event) {
            self.put_on_page_after(now, made, delay);
        }
    }

    /// Puts the images on the page that wait for `id`, which has failed. The event is inferred from
    /// times, so a failure may be another one than that of the script that shows the image.
    pub(super) fn place_images_of(&mut self, now: Instant, id: ResourceId) {
        for (made, delay) in self.made_after(Wait::Resource { id }) {
            if matches!(made, Made::Image(_)) {
                self.put_on_page_after(now, made, delay);
            }
        }
    }

    fn put_on_page_after(&mut self, now: Instant, made: Made, delay: Duration) {
        if delay.is_zero() {
            self.put_on_page(now, made);
        } else {
            self.schedule(now + delay, Timer::Made(made));
        }
    }

    /// Records that elements made from `id` never appear.
    pub(super) fn miss_elements_of(&mut self, id: ResourceId) {
        let events = std::iter::once(Wait::Resource { id }).chain(self.joins_of(id));
        let made: Vec<_> = events.flat_map(|event| self.made_after(event)).collect();
        for (made, _) in made {
            let size = match made {
                Made::Text(block) => Some(self.layout.text[block].size),
                Made::Image(id) => self.layout.images[id.index()].map(|image| image.size),
            };
            if let Some(size) = size {
                self.screen.miss(size);
            }
        }
    }

    /// Puts an element on the page.
    pub(super) fn put_on_page(&mut self, now: Instant, made: Made) {
        let id = match made {
            Made::Text(block) => return self.text_made(block),
            Made::Image(id) => id,
        };
        self.rendering.placed_images.insert(id, now);
        for mut image in self
            .rendering
            .unplaced_images
            .remove(&id)
            .unwrap_or_default()
        {
            image.ready = image.ready.and(self.current);
            self.rendering.ready_images.push(image);
        }
    }

    /// Returns the elements that scripts make after `event`, and their delays.
    fn made_after(&self, event: Wait) -> Vec<(Made, Duration)> {
        let made = &self.layout.made;
        let first = made.partition_point(|(after, ..)| *after < event);
        let waiting = made[first..]
            .iter()
            .take_while(|(after, ..)| *after == event);
        waiting.map(|(_, made, delay)| (*made, *delay)).collect()
    }
}
