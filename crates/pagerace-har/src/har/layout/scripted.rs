//! Appearance times of elements that scripts create, and the events that the scripts
//! waited for.
//!
//! The recording has two paints. The first contentful paint dates the elements that
//! scripts created only if all contentful elements are among them. The largest paint
//! dates its own text; the recording names the scripts that made this text, and the text
//! waits for the data that they requested. All other elements wait for the event that called
//! the script that put them on the page, or for `DOMContentLoaded` if the recording does not tell
//! when that was.

use pagerace_core::Duration;

use crate::extension;
use crate::har::causes::{self, Events, frame_of};
use crate::har::recording::Recording;
use crate::har::thresholds::{FIRST_MOTION_MS, HORIZON_MS};
use crate::har::waits::Joins;
use pagerace_page::{Element, ElementKind, Largest, ResourceId, Wait};

/// Facts of the recording on an element; times in milliseconds since the navigation.
#[derive(Clone)]
pub(super) struct Told {
    /// The scripts and data that the element waits for, and when they were over.
    data: Option<(Wait, f64)>,
    /// True if it is known which held responses the element waits for.
    is_known: bool,
    /// True if a script reveals the element.
    revealed: bool,
    /// True if a script removes the element again. Such elements come last.
    pub(super) transient: bool,
    /// Start of the task that put the element on the page.
    made: Option<f64>,
    /// Begin of each motion of the element, when the element counts as visible, and the end, in
    /// order.
    motions: Vec<[f64; 3]>,
}

impl Told {
    pub(super) fn new(
        element: &extension::Element,
        recording: &Recording,
        joins: &mut Joins,
    ) -> Self {
        let data = element.waits_for.as_ref();
        let data = data.map_or_else(Vec::new, |data| recording.waits.find(data));
        let last = recording.last_of(&data).and_then(|i| recording.over(i));
        let motions = element.motions_ms.iter();
        let motions = motions.map(|times| times.map(|time| time.0));
        Self {
            data: joins.event(&data).zip(last),
            is_known: element.waits_for.is_some(),
            revealed: element.scripted,
            transient: element.transient,
            made: element.made_ms.map(|ms| ms.0),
            motions: motions.filter(|[begin, seen, _]| begin <= seen).collect(),
        }
    }
}

/// Lets elements that scripts put on the page wait for the event that called the script, and take
/// their time to fade in or to move. What scripts do before `DOMContentLoaded` counts as done then.
pub(super) fn wait(
    elements: &mut [Element],
    told: &[Told],
    largest: Option<Largest>,
    recording: &Recording,
    events: &Events,
) {
    let first = recording
        .first_paint()
        .map_or(0.0, |fcp| fcp + FIRST_MOTION_MS);
    for (i, (element, told)) in elements.iter_mut().zip(told).enumerate() {
        // A frame waits for its own picture.
        if element.after != Wait::ContentLoaded {
            continue;
        }
        let is_scripted = element.offset.is_none();
        // An element of the markup that moves later has been seen before.
        let horizon = if is_scripted {
            events.loaded + HORIZON_MS
        } else {
            first
        };
        let motion = told.motions.iter().rfind(|[from, ..]| *from <= horizon);
        let image = shown(element);
        let made = told.made.filter(|_| image.is_none());
        let begin = made
            .into_iter()
            .chain(motion.map(|m| m[0]))
            .reduce(f64::max);
        let is_largest = |l: Largest| l.text == Some(i) || (image.is_some() && l.image == image);
        let paint = largest.filter(|l| is_largest(*l));
        let paint = paint.and_then(|_| recording.largest_paint());
        // Chromium notes the paint of an element that a style sheet fades in from full transparency
        // when the fade ends, and that of any other motion when it begins.
        let fade = motion.filter(|[begin, _, end]| {
            let at_end = *end..*end + FIRST_MOTION_MS;
            begin < end && paint.is_some_and(|paint| at_end.contains(&paint))
        });
        if let Some([begin, _, end]) = fade {
            element.fade = Duration::from_millis_f64(end - begin);
        }
        if let Some((data, at)) = told.data.filter(|_| is_scripted || told.revealed) {
            element.offset = None;
            element.after = data;
            let delay = begin.map(|begin| Duration::from_millis_f64(events.idle(at, begin)));
            element.delay = delay.filter(|delay| !delay.is_zero());
            if let Some([begin, seen, _]) = motion {
                element.motion = Duration::from_millis_f64(seen - begin);
            }
            continue;
        }
        let Some(mut begin) = begin else { continue };
        // Chromium may count an element before it has faded in, and images before their last
        // motion.
        if is_scripted
            && let Some(paint) = paint.filter(|_| motion.is_some() && fade.is_none())
            && !(begin..begin + FIRST_MOTION_MS).contains(&paint)
        {
            begin = frame_of(&recording.tasks, 0.0, paint);
        }
        if is_scripted {
            begin = begin.max(events.parsed);
        }
        if let Some([_, seen, _]) = motion {
            element.motion = Duration::from_millis_f64((seen - begin).max(0.0));
        }
        if let Some([_, _, end]) = fade {
            element.fade = Duration::from_millis_f64((end - begin).max(0.0));
        }
        if !is_scripted || begin <= events.parsed {
            continue;
        }
        let called = match motion {
            Some(_) => events.mover(begin, image, told.is_known),
            None if told.is_known => events.maker(begin),
            None => events.caller(begin),
        };
        if let Some((after, delay)) = called {
            element.after = after;
            element.delay = Some(Duration::from_millis_f64(delay)).filter(|delay| !delay.is_zero());
        }
    }
}

/// Removes the markup position of elements that a script revealed, because they depend on the
/// script like elements that it creates. Elements that the recording shows before
/// `DOMContentLoaded`, at `loaded`, keep their position, because a script in the head revealed
/// them.
pub(super) fn forget_places(
    elements: &mut [Element],
    told: &[Told],
    viewport: (u32, u32),
    largest: Option<Largest>,
    recording: &Recording,
    loaded: f64,
) {
    let early = |paint: Option<f64>| paint.is_some_and(|paint| paint <= loaded);
    let seen = |e: &Element| e.contentful && e.rect.visible_area(viewport) > 0.0;
    let plain = |(e, told): (&Element, &Told)| seen(e) && is_in_markup(e) && !told.revealed;
    if early(recording.first_paint()) && !elements.iter().zip(told).any(plain) {
        return;
    }
    // The largest element keeps its position if it was painted before `DOMContentLoaded`.
    let largest = largest.filter(|_| early(recording.largest_paint()));
    let is_largest = |l: Largest, i, e: &Element| {
        l.text.is_some_and(|text| text == i) || (l.image.is_some() && l.image == shown(e))
    };
    for (i, element) in elements.iter_mut().enumerate() {
        if told[i].revealed && !largest.is_some_and(|l| is_largest(l, i, element)) {
            element.offset = None;
        }
    }
}

/// Dates the elements with the recorded paints. `loaded` is the time of `DOMContentLoaded`.
pub(super) fn date(
    elements: &mut [Element],
    told: &[Told],
    viewport: (u32, u32),
    largest: Option<Largest>,
    recording: &Recording,
    loaded: f64,
) {
    let since = |paint: Option<f64>, at: f64| {
        let paint = paint.filter(|paint| *paint > at)?;
        // The model itself adds the last rendering and the presentation of the frame.
        let frame = frame_of(&recording.tasks, at, paint);
        // The model also adds all tasks before it.
        let idle = recording.idle(at, frame);
        Some(Duration::from_millis_f64(idle.max(0.0)))
    };
    let area = |e: &Element| e.rect.visible_area(viewport);
    let seen = |e: &Element| e.contentful && area(e) > 0.0;
    let all_made = !elements.iter().any(|e| seen(e) && is_in_markup(e));
    let first = since(recording.first_paint(), loaded).filter(|_| all_made);
    let scripted =
        |e: &&mut Element| !is_in_markup(e) && e.after == Wait::ContentLoaded && e.delay.is_none();
    for element in elements.iter_mut().filter(scripted) {
        element.delay = first;
        element.motion = element.motion.saturating_sub(first.unwrap_or_default());
    }
    if let Some(text) = largest.and_then(|l| l.text)
        && let element = &mut elements[text]
        && !is_in_markup(element)
        && element.fade.is_zero()
    {
        let data = told[text].data;
        let cause = data.or_else(|| causes::largest_text(recording, loaded));
        let (after, at) = cause.unwrap_or((Wait::ContentLoaded, loaded));
        element.after = after;
        element.delay = since(recording.largest_paint(), at);
    }
}

/// Returns the image that the element shows.
fn shown(element: &Element) -> Option<ResourceId> {
    match element.kind {
        ElementKind::Image { resource } | ElementKind::Background { resource } => Some(resource),
        _ => None,
    }
}

/// Returns true if the document delivers the element. Images count as delivered, because
/// their own bytes determine their time.
fn is_in_markup(element: &Element) -> bool {
    element.offset.is_some() || shown(element).is_some()
}
