//! A page without some of its resources.

use pagerace_core::Duration;

use crate::model::{
    Content, ElementKind, Guess, LargestElement, Page, PageLayout, PaintFit, Paints, ResourceId,
    Trigger, Wait,
};

/// Where the resources of a page are after a change: the place of each, or `None` if it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept(Vec<Option<ResourceId>>);

/// The events that still happen after a change.
struct Events<'a> {
    kept: &'a Kept,
    /// The joins of the page before the change.
    joins: Vec<Vec<ResourceId>>,
}

impl Events<'_> {
    /// Returns the event after the change; `None` if it never happens.
    fn place(&self, wait: Wait) -> Option<Wait> {
        match wait {
            Wait::Resource { id } => Some(Wait::Resource {
                id: self.kept.place(id)?,
            }),
            Wait::Join { join } => {
                let mut all = self.joins[join as usize].iter();
                all.all(|id| self.kept.place(*id).is_some()).then_some(wait)
            }
            Wait::ContentLoaded | Wait::Loaded => Some(wait),
        }
    }
}

impl Kept {
    /// Returns the places of `count` resources that stay where they are.
    pub fn all(count: usize) -> Self {
        Self((0..count).map(|i| Some(ResourceId(i as u32))).collect())
    }

    /// Returns the place of a resource.
    pub fn place(&self, id: ResourceId) -> Option<ResourceId> {
        self.0[id.index()]
    }

    /// Returns the places after another change.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let place = |place: &Option<ResourceId>| place.and_then(|id| next.place(id));
        Self(self.0.iter().map(place).collect())
    }

    /// Returns the place before of each resource that is still there.
    pub fn before(&self) -> Vec<ResourceId> {
        let all = (0..self.0.len()).filter(|i| self.0[*i].is_some());
        all.map(|i| ResourceId(i as u32)).collect()
    }

    /// Returns `values`, one for each resource now, at the places before.
    pub fn spread<T>(&self, values: Vec<Option<T>>) -> Vec<Option<T>> {
        let mut values = values.into_iter();
        let next = |place: &Option<ResourceId>| place.and_then(|_| values.next()).flatten();
        self.0.iter().map(next).collect()
    }

    /// Returns those of `values`, one for each resource before, whose resource is still there.
    pub fn select<T: Clone>(&self, values: &[T]) -> Vec<T> {
        let both = values.iter().zip(&self.0);
        both.filter(|(_, place)| place.is_some())
            .map(|(value, _)| value.clone())
            .collect()
    }

    fn ids(&self, ids: &mut Vec<ResourceId>) {
        *ids = ids.iter().filter_map(|id| self.place(*id)).collect();
    }
}

impl Page {
    /// Removes all resources but those that `stays` accepts, and what depends on them: elements
    /// that show them or that their scripts make, and tasks of their scripts. Requests whose
    /// cause is not known follow what led to the removed resource instead.
    pub(super) fn retain(&mut self, stays: impl Fn(ResourceId) -> bool) -> Kept {
        let mut next = 0;
        let place = |i: usize| {
            stays(ResourceId(i as u32)).then(|| {
                next += 1;
                ResourceId(next - 1)
            })
        };
        let kept = Kept((0..self.resources.len()).map(place).collect());
        if kept.0.iter().all(Option::is_some) {
            return kept;
        }
        let parents: Vec<Option<ResourceId>> = self
            .resources
            .iter()
            .map(|resource| resource.discovery.trigger.parent())
            .collect();
        // The nearest resource before that stays; the navigation always does.
        let ancestor = |mut id: ResourceId| loop {
            match (kept.place(id), parents[id.index()]) {
                (Some(place), _) => return place,
                (None, Some(parent)) => id = parent,
                (None, None) => return ResourceId(0),
            }
        };
        let joins = self.joins.clone();
        let events = Events { kept: &kept, joins };
        self.joins.iter_mut().for_each(|join| kept.ids(join));
        self.hints.retain_mut(|hint| {
            let place = kept.place(hint.of);
            hint.of = place.unwrap_or(hint.of);
            place.is_some()
        });
        let resources = std::mem::take(&mut self.resources).into_iter();
        self.resources = resources
            .filter_map(|mut resource| {
                resource.id = kept.place(resource.id)?;
                let discovery = &mut resource.discovery;
                discovery.trigger = moved(discovery.trigger, &kept, &ancestor);
                discovery.wait = discovery.wait.and_then(|wait| events.place(wait));
                Some(resource)
            })
            .collect();
        self.document = ancestor(self.document);
        match &mut self.paints {
            Paints::Recorded(layout) => retain_layout(layout, &events),
            Paints::Guessed(guess) => {
                if let Some(PaintFit {
                    after: Wait::Resource { id },
                    ..
                }) = &mut guess.fit
                {
                    *id = ancestor(*id);
                }
                retain_guess(guess, &kept);
            }
        }
        kept
    }
}

/// Returns a trigger after the change. If its parent is gone, `ancestor` of the parent takes its
/// place, and the cause is not known.
fn moved(trigger: Trigger, kept: &Kept, ancestor: &impl Fn(ResourceId) -> ResourceId) -> Trigger {
    let Some(before) = trigger.parent() else {
        return trigger;
    };
    let Some(parent) = kept.place(before) else {
        let delay = match trigger {
            Trigger::Script { delay, .. } | Trigger::After { delay, .. } => delay,
            _ => Duration::ZERO,
        };
        let parent = ancestor(before);
        return Trigger::After { parent, delay };
    };
    match trigger {
        Trigger::Navigation => Trigger::Navigation,
        Trigger::Redirect { .. } => Trigger::Redirect { parent },
        Trigger::Markup { offset, .. } => Trigger::Markup { parent, offset },
        Trigger::Inline { offset, .. } => Trigger::Inline { parent, offset },
        Trigger::Style { .. } => Trigger::Style { parent },
        Trigger::Script { delay, .. } => Trigger::Script { parent, delay },
        Trigger::After { delay, .. } => Trigger::After { parent, delay },
    }
}

fn element(largest: LargestElement, kept: &Kept) -> Option<LargestElement> {
    Some(match largest {
        LargestElement::Text => LargestElement::Text,
        LargestElement::Image { id } => LargestElement::Image {
            id: kept.place(id)?,
        },
    })
}

fn retain_layout(layout: &mut PageLayout, events: &Events<'_>) {
    let kept = events.kept;
    let mut places: Vec<Option<usize>> = Vec::new();
    let mut count = 0;
    layout.elements.retain_mut(|element| {
        let shown = match &mut element.kind {
            ElementKind::Text { fonts } => {
                kept.ids(fonts);
                true
            }
            ElementKind::Image { resource } | ElementKind::Background { resource } => {
                let place = kept.place(*resource);
                *resource = place.unwrap_or(*resource);
                place.is_some()
            }
            ElementKind::Other => true,
        };
        let after = events.place(element.after);
        element.after = after.unwrap_or(element.after);
        let stays = shown && after.is_some();
        places.push(stays.then_some(count));
        count += usize::from(stays);
        stays
    });
    layout.fonts.retain_mut(|font| {
        let place = kept.place(font.font);
        font.font = place.unwrap_or(font.font);
        place.is_some()
    });
    kept.ids(&mut layout.by_layout);
    layout.callbacks.retain_mut(|callback| {
        let after = events.place(callback.after);
        callback.after = after.unwrap_or(callback.after);
        after.is_some()
    });
    for cover in [&mut layout.overlay, &mut layout.hidden] {
        *cover = cover.take().and_then(|mut cover| {
            cover.after = events.place(cover.after)?;
            Some(cover)
        });
    }
    layout.largest = layout.largest.and_then(|mut largest| {
        if let Some(id) = largest.image {
            largest.image = Some(kept.place(id)?);
        }
        if let Some(text) = largest.text {
            largest.text = Some(places[text]?);
        }
        Some(largest)
    });
    if let Some(shares) = &mut layout.shares {
        shares.images.retain_mut(|share| {
            let place = kept.place(share.image);
            share.image = place.unwrap_or(share.image);
            place.is_some()
        });
    }
}

fn retain_guess(guess: &mut Guess, kept: &Kept) {
    if let Some(fit) = &mut guess.fit {
        fit.largest = fit.largest.and_then(|largest| element(largest, kept));
    }
    guess.candidates.retain_mut(|candidate| {
        let found = element(candidate.element, kept);
        candidate.element = found.unwrap_or(candidate.element);
        found.is_some()
    });
    let sum: f64 = guess.candidates.iter().map(|one| one.probability).sum();
    for candidate in &mut guess.candidates {
        candidate.probability /= sum.max(f64::MIN_POSITIVE);
    }
    if let Some(content) = &mut guess.content {
        retain_content(content, kept);
    }
}

fn retain_content(content: &mut Content, kept: &Kept) {
    content.fonts.retain_mut(|font| {
        let place = kept.place(font.font);
        font.font = place.unwrap_or(font.font);
        place.is_some()
    });
    kept.ids(&mut content.icons);
    kept.ids(&mut content.styled);
    kept.ids(&mut content.lazy);
}
