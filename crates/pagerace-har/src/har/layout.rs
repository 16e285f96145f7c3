//! Positions of a recorded page's elements on the screen, from the page's
//! `_pagerace.layout`.

mod callbacks;
mod scripted;

use std::collections::BTreeSet;

use pagerace_core::{Destination, Duration};

use self::scripted::Told;
use super::causes::Events;
use super::discovery::{self, Link};
use super::markup::{self, Element as Markup};
use super::recording::{Recording, upgraded};
use super::thresholds::BEACON_BYTES;
use super::waits::Joins;
use crate::extension::{self, Cover, DocumentEvent, LargestKind, Ms};
use pagerace_page::model::{MAX_AREA, MAX_ELEMENTS, MAX_TIME};
use pagerace_page::{
    Element, ElementKind, FontUse, ImageShare, InlineScript, Largest, Overlay, PageLayout,
    PictureShares, Pictures, Rect, RenderingTime, ResourceId, Wait,
};

/// Returns the layout of the page; `None` if the recording has none.
pub(super) fn read(
    recording: &Recording,
    links: &[Option<Link>],
    joins: &mut Joins,
) -> Option<PageLayout> {
    let own = recording.page.own.as_ref()?;
    let layout = own.layout.as_ref()?;
    let viewport = layout
        .viewport
        .and_then(|(width, height)| pixels(width, height));
    let viewport = viewport.or_else(|| {
        let device = recording.page.device()?;
        Some((device.width, device.height))
    })?;
    let document = Document::new(recording);
    let elements = layout.elements.iter().take(MAX_ELEMENTS);
    let events = Events::new(recording);
    let (mut elements, told): (Vec<Element>, Vec<Told>) = elements
        .filter_map(|e| {
            let shown = element(recording, links, &document, e)?;
            let player = (e.kind == extension::ElementKind::Video).then(|| player(&shown));
            let all = std::iter::once(shown).chain(player);
            let told = Told::new(e, recording, joins);
            Some(all.map(move |shown| (shown, told.clone())))
        })
        .flatten()
        .unzip();
    let loaded = recording.parsed;
    let lasting = told.iter().take_while(|told| !told.transient).count();
    let largest = largest(recording, &own.paints, &elements[..lasting], viewport);
    if let Some(loaded) = loaded {
        scripted::forget_places(&mut elements, &told, viewport, largest, recording, loaded);
        if let Some(events) = &events {
            scripted::wait(&mut elements, &told, largest, recording, events);
        }
        scripted::date(&mut elements, &told, viewport, largest, recording, loaded);
    }
    let rendering = rendering(recording, &own.rendering);
    let presentation = rendering.and_then(|r| r.presentation).unwrap_or_default();
    let hidden = layout.hidden.map(overlay);
    let hidden = hidden.filter(|o| !was_seen(*o, recording, presentation));
    let hidden_by = layout.hidden_by.as_ref().and_then(|told| {
        let script = recording.waits.find(std::slice::from_ref(&told.request));
        Some(Overlay {
            after: joins.event(&script)?,
            delay: Duration::ZERO,
            limit: told.limit_ms.map(|ms| Duration::from_millis_f64(ms.0)),
        })
    });
    Some(PageLayout {
        viewport,
        scale: recording.page.device().map(|device| device.scale),
        elements,
        fonts: fonts(recording),
        by_layout: by_layout(recording, links),
        body_start: document.body_start(recording),
        largest,
        rendering,
        processors: own.processors.filter(|n| (1..=100_000).contains(n)),
        callbacks: events.map_or_else(Vec::new, |events| {
            callbacks::read(recording, &events, joins)
        }),
        shares: layout.shares.as_ref().map(|told| shares(recording, told)),
        inline_scripts: inline_scripts(recording, &document),
        overlay: layout.overlay.map(overlay),
        hidden: hidden_by.or(hidden),
        measured_in: None,
        pictures: pictures(layout.pictures.as_ref(), lasting).map(Box::new),
    })
}

/// Returns the pictures of the page. What is no WebP file in base64 counts as missing.
fn pictures(told: Option<&extension::Pictures>, elements: usize) -> Option<Pictures> {
    let checked = |text: &String| {
        let is_base64 = |c: u8| c.is_ascii_alphanumeric() || b"+/=".contains(&c);
        // The bytes "RIFF", of which the last two bits are in the sixth letter.
        let is_webp = text.starts_with("UklGR") && text.bytes().all(is_base64);
        is_webp.then(|| text.clone())
    };
    let told = told?;
    let part = |text: &Option<String>| text.as_ref().and_then(checked);
    Some(Pictures {
        whole: checked(&told.whole)?,
        textless: part(&told.textless),
        imageless: part(&told.imageless),
        bare: part(&told.bare),
        canvas: part(&told.canvas),
        elements,
    })
}

/// Checks that a screen has at least one pixel and at most 100,000 pixels per side.
fn pixels(width: f64, height: f64) -> Option<(u32, u32)> {
    let sane = |n: f64| (1.0..=100_000.0).contains(&n);
    (sane(width) && sane(height)).then_some((width as u32, height as u32))
}

fn element(
    recording: &Recording,
    links: &[Option<Link>],
    document: &Document,
    told: &extension::Element,
) -> Option<Element> {
    use extension::ElementKind as Kind;
    let rect = rect(told.rect)?;
    let url = told.url.as_deref();
    let resource = url.and_then(|url| find(recording, url));
    // The bytes of an embedded image come with the document.
    let embedded = url.is_some_and(|url| url.starts_with("data:"));
    let (kind, contentful) = match (told.kind, resource) {
        (Kind::Text, _) => {
            let fonts = told.fonts.iter();
            let mut fonts: Vec<_> = fonts.filter_map(|url| find(recording, url)).collect();
            fonts.sort_unstable();
            fonts.dedup();
            (ElementKind::Text { fonts }, true)
        }
        // A video shows its poster before it plays; without one, it shows nothing.
        (Kind::Image | Kind::Video, Some(resource)) => (ElementKind::Image { resource }, true),
        (Kind::Background, Some(resource)) => (ElementKind::Background { resource }, true),
        (Kind::Image | Kind::Background, None) if embedded => (ElementKind::Other, true),
        (Kind::Background, None) if url.is_none() => (ElementKind::Other, false),
        // Contents of frames are not paints of the page's own document.
        (Kind::Iframe, Some(_)) => (ElementKind::Other, false),
        (Kind::Svg | Kind::Canvas, _) => (ElementKind::Other, true),
        // An image that never arrived is not visible.
        _ => return None,
    };
    let is_frame = told.kind == Kind::Iframe;
    let frame = resource.filter(|_| is_frame);
    let frame = frame.map(|id| Wait::Resource {
        id: picture_of(recording, links, id),
    });
    let offset = told.offset.filter(|_| !is_frame);
    Some(Element {
        kind,
        rect,
        offset: offset.and_then(|offset| document.encoded(offset)),
        after: frame.unwrap_or(Wait::ContentLoaded),
        delay: None,
        motion: Duration::ZERO,
        fade: Duration::ZERO,
        contentful,
        natural: told.natural.and_then(natural),
        unreserved: told.unreserved && told.kind == Kind::Image,
        share: told.share.0,
    })
}

/// Returns what determines when a frame looks as recorded: its largest image, or else its document.
fn picture_of(recording: &Recording, links: &[Option<Link>], frame: ResourceId) -> ResourceId {
    let up = |i: &usize| links[*i].as_ref().map(|link| link.parent);
    let is_below = |i: usize| std::iter::successors(Some(i), up).any(|i| i == frame.index());
    let images = (frame.index()..links.len()).filter(|&i| {
        recording.destinations[i] == Destination::Image
            && recording.bodies[i] >= BEACON_BYTES
            && !recording.has_failed(i)
            && is_below(i)
    });
    let largest = images.max_by_key(|&i| (recording.bodies[i], std::cmp::Reverse(i)));
    largest.map_or(frame, |i| ResourceId(i as u32))
}

/// Returns the player of a video with a poster, which counts as content before its poster arrives.
fn player(video: &Element) -> Element {
    Element {
        kind: ElementKind::Other,
        natural: None,
        unreserved: false,
        share: 0.0,
        ..video.clone()
    }
}

/// Returns the measured shares of visual progress.
fn shares(recording: &Recording, told: &extension::Shares) -> PictureShares {
    let image = |told: &extension::ImageShare| {
        let rows = told.rows.map(|rows| rows.map(|part| part.0));
        Some(ImageShare {
            image: find(recording, &told.url)?,
            share: told.share.0,
            rows: rows.filter(|rows| rows.is_sorted()),
        })
    };
    PictureShares {
        canvas: told.canvas.0,
        canvas_scripted: told.canvas_scripted,
        images: told.images.iter().filter_map(image).collect(),
        other_images: told.other_images.0,
    }
}

/// Returns the scripts inside the document. They share its recorded script time by length. Modules
/// run at its end.
fn inline_scripts(recording: &Recording, document: &Document) -> Vec<InlineScript> {
    let own = &recording.entries[recording.document].own;
    let (Some(html), Some(ms)) = (document.text, own.cpu.script_ms) else {
        return Vec::new();
    };
    let scripts = markup::inline_scripts(html);
    let all: u64 = scripts.iter().map(|script| script.length).sum();
    let script = |script: markup::Inline| {
        let ms = ms.0 * script.length as f64 / all as f64;
        let end = if script.is_module {
            html.len() as u64
        } else {
            script.end
        };
        Some(InlineScript {
            offset: document.encoded(end)?,
            cost: Duration::from_millis_f64(ms),
        })
    };
    let scripts = scripts.into_iter().filter_map(script);
    scripts.take(MAX_ELEMENTS).collect()
}

/// Returns what keeps the page from being seen.
fn overlay(told: Cover) -> Overlay {
    Overlay {
        after: match told.after {
            DocumentEvent::DomContentLoaded => Wait::ContentLoaded,
            DocumentEvent::Load => Wait::Loaded,
        },
        delay: Duration::from_millis_f64(told.ms.0),
        limit: None,
    }
}

/// Returns true if a frame of the recording shows content before the time at which the page is said
/// to be shown: scripts hide it late, or Chromium counts elements that are about to fade in. The
/// event and that time come from two loads, so the middle between them decides. `presentation` is
/// the time that the first frame took to the screen.
fn was_seen(hidden: Overlay, recording: &Recording, presentation: Duration) -> bool {
    let event = match hidden.after {
        Wait::Loaded => recording.loaded,
        _ => recording.parsed,
    };
    let Some((first, event)) = recording.first_paint().zip(event) else {
        return false;
    };
    first - presentation.as_millis_f64() < event + hidden.delay.as_millis_f64() / 2.0
}

/// Returns the text of the largest paint: the one that overlaps its recorded rectangle
/// most, or else the one nearest to it in size.
fn largest_text(
    elements: &[Element],
    viewport: (u32, u32),
    size: f64,
    told: Option<Rect>,
) -> Option<usize> {
    let area = |e: &Element| e.rect.visible_area(viewport);
    let is_text = |e: &Element| matches!(e.kind, ElementKind::Text { .. }) && area(e) > 0.0;
    let texts = || elements.iter().enumerate().filter(|(_, e)| is_text(e));
    let best = |fits: &dyn Fn(&Element) -> f64| {
        texts().max_by(|(i, a), (j, b)| fits(a).total_cmp(&fits(b)).then(j.cmp(i)))
    };
    let shared = told.and_then(|told| {
        let shared = |e: &Element| e.rect.shared_area(told);
        best(&shared).filter(|(_, e)| shared(e) > 0.0)
    });
    let near = || best(&|e| -(area(e) - size).abs());
    Some(shared.or_else(near)?.0)
}

/// Returns a plausible natural width and height of an image.
fn natural((width, height): (f64, f64)) -> Option<(f32, f32)> {
    let sane = |n: f64| (1.0..=1e6).contains(&n).then_some(n as f32);
    Some((sane(width)?, sane(height)?))
}

/// Returns a rectangle; `None` for empty or excessive ones.
fn rect(told: extension::Rect) -> Option<Rect> {
    let sane = told.iter().all(|n| n.abs() <= 1e7);
    let [x, y, width, height] = told.map(|n| n as f32);
    let rect = Rect {
        x,
        y,
        width,
        height,
    };
    (sane && width > 0.0 && height > 0.0).then_some(rect)
}

fn find(recording: &Recording, url: &str) -> Option<ResourceId> {
    recording.find(url).map(|i| ResourceId(i as u32))
}

/// The main document's body, for conversion of positions.
pub(super) struct Document<'a> {
    /// Decoded text of the document, if recorded.
    pub(super) text: Option<&'a str>,
    decoded: u64,
    encoded: u64,
}

impl<'a> Document<'a> {
    pub(super) fn new(recording: &'a Recording) -> Self {
        let entry = &recording.entries[recording.document];
        let text = entry.body.as_deref();
        Self {
            text,
            decoded: text
                .map(|t| t.len() as u64)
                .or(entry.content_size)
                .unwrap_or(0),
            encoded: recording.bodies[recording.document],
        }
    }

    /// Converts a decoded offset to an encoded one in proportion; `None` if the document
    /// is shorter or its length is unknown.
    pub(super) fn encoded(&self, offset: u64) -> Option<u64> {
        if self.decoded == 0 || offset > self.decoded {
            return None;
        }
        let share = offset as f64 / self.decoded as f64;
        Some(((share * self.encoded as f64).ceil() as u64).min(self.encoded))
    }

    pub(super) fn body_start(&self, recording: &Recording) -> Option<u64> {
        let url = recording.entries[recording.document].url.as_ref()?;
        self.encoded(markup::body_start(self.text?, url)?)
    }
}

fn fonts(recording: &Recording) -> Vec<FontUse> {
    let told = recording.entries.iter().enumerate();
    told.filter_map(|(i, entry)| {
        Some(FontUse {
            font: ResourceId(i as u32),
            display: entry.own.font_display?,
        })
    })
    .collect()
}

/// Returns the images that every reference in the main document's markup marks as lazy.
pub(super) fn lazy(recording: &Recording, links: &[Option<Link>]) -> Vec<usize> {
    let is_lazy = |r: &markup::Reference| matches!(r.element, Markup::Image { lazy: true });
    in_markup(recording, links)
        .filter(|(_, named)| !named.is_empty() && named.iter().all(|r| is_lazy(r)))
        .map(|(i, _)| i)
        .collect()
}

/// Returns the images and fonts that only the main document's styles can have named.
pub(super) fn styled(recording: &Recording, links: &[Option<Link>]) -> Vec<usize> {
    // `pagerace record` tells itself which requests are those of inline styles.
    let searched = (!recording.own).then_some(recording.document);
    let found = searched.map(|document| discovery::in_styles(recording, document));
    let in_styles: BTreeSet<String> = found.into_iter().flatten().map(|(url, _)| url).collect();
    let by_style = |i: usize, named: &[&markup::Reference]| {
        let entry = &recording.entries[i];
        let kind = matches!(
            recording.destinations[i],
            Destination::Image | Destination::Font
        );
        let recorded = entry.own.initiator_offset.is_some() && !entry.preload;
        let stated = || recording.url(i).is_some_and(|url| in_styles.contains(&url));
        kind && named.is_empty() && (entry.own.inline_style || recorded || stated())
    };
    in_markup(recording, links)
        .filter(|(i, named)| by_style(*i, named))
        .map(|(i, _)| i)
        .collect()
}

/// Returns the resources that layout requests although the document names them.
fn by_layout(recording: &Recording, links: &[Option<Link>]) -> Vec<ResourceId> {
    let mut all = lazy(recording, links);
    all.extend(styled(recording, links));
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|i| ResourceId(i as u32)).collect()
}

/// Returns the entries that the main document's parser requested, with the references to
/// them in its markup; empty if the document's body is not recorded.
fn in_markup<'a>(
    recording: &'a Recording,
    links: &'a [Option<Link>],
) -> impl Iterator<Item = (usize, Vec<&'a markup::Reference>)> {
    let references = recording.references.get(&recording.document);
    let is_linked = |link: &Link| link.is_in_markup_of(recording.document);
    let linked = (0..links.len()).filter(move |&i| links[i].as_ref().is_some_and(is_linked));
    references.into_iter().flat_map(move |references| {
        let url = |i: usize| recording.url(i).unwrap_or_default();
        linked.clone().map(move |i| {
            let url = url(i);
            let names = |r: &&markup::Reference| {
                r.url == url || upgraded(&r.url).is_some_and(|upgraded| upgraded == url)
            };
            (i, references.iter().filter(names).collect())
        })
    })
}

fn largest(
    recording: &Recording,
    paints: &extension::Paints,
    elements: &[Element],
    viewport: (u32, u32),
) -> Option<Largest> {
    let size = paints
        .lcp_size
        .filter(|size| *size > 0.0 && *size <= MAX_AREA)?;
    let (image, text) = match paints.lcp_kind? {
        LargestKind::Image => (Some(find(recording, paints.lcp_url.as_deref()?)?), None),
        LargestKind::Text => {
            let place = paints.lcp_rect.and_then(rect);
            (None, largest_text(elements, viewport, size, place))
        }
    };
    // A script that ran before the first frame does not delay the paint.
    let is_late = recording.largest_paint().zip(recording.parsed);
    let is_late = is_late.is_some_and(|(at, loaded)| at > loaded);
    Some(Largest {
        size,
        image,
        text,
        rebuilt: is_late && paints.lcp_rebuilt,
    })
}

/// Returns the times of frames: those that the recording tells. What it does not tell of style,
/// layout and paint follows from the tasks before and after the first contentful paint.
fn rendering(recording: &Recording, told: &extension::Rendering) -> Option<RenderingTime> {
    let first_paint = recording.first_paint()?;
    let of = |early: bool| {
        let rendering = recording.tasks.iter().filter(|t| t.kind.is_rendering());
        // A task that ends after the paint belongs to a later frame.
        rendering.filter(move |t| (t.end <= first_paint) == early)
    };
    let sum = |early: bool| of(early).map(|t| t.cost).sum::<f64>();
    let time = |ms: f64| Duration::from_millis_f64(ms).min(MAX_TIME);
    let told_time = |ms: Option<Ms>| ms.map(|ms| time(ms.0));
    let first = (of(true).count() > 0).then(|| time(sum(true)));
    let count = of(false).count();
    let later = (count > 0).then(|| time(sum(false) / count as f64));
    Some(RenderingTime {
        first: told_time(told.first_ms).or(first)?,
        first_style: told_time(told.first_style_ms),
        later: told_time(told.later_ms).or(later),
        presentation: told_time(told.presentation_ms),
        later_presentation: told_time(told.later_presentation_ms),
    })
}

#[cfg(test)]
mod tests;
