//! Places in the document: of elements, of bytes that move there, and of what follows them.

use pagerace_core::Destination;

use crate::model::{Paints, TEXT_RATIO};
use crate::{Page, Resource, ResourceId, Trigger, Wait};

/// Returns the offset behind the element of the document that uses the resource, in encoded bytes.
pub(super) fn of_element(page: &Page, resource: &Resource) -> Result<u64, &'static str> {
    match resource.discovery.trigger {
        Trigger::Markup { parent, offset } if parent == page.document => {
            Ok(resource.used_at.unwrap_or(offset))
        }
        Trigger::Markup { .. } => Err("it belongs to a frame"),
        _ => Err("no element of the document's markup requests it"),
    }
}

/// Lets the document have `bytes` more right behind the element of `of` that ends at the offset
/// `at`. All that follows moves. The work of parsing markup stays what it was.
pub(super) fn grow(page: &mut Page, of: ResourceId, at: u64, bytes: u64) {
    let document = &mut page.resources[page.document.index()];
    let modelled = (document.body_bytes as f64 * TEXT_RATIO).round() as u64;
    document.decoded_bytes.get_or_insert(modelled);
    document.body_bytes += bytes;
    // Other forms were measured of the body as it was.
    document.measured.clear();
    // Compression lets neighbours end at one offset.
    each_offset(page, page.document, |user, offset| {
        let is_behind = match user {
            User::Resource(id) => *offset > at || (*offset == at && id > of),
            User::Hint => *offset > at,
            User::Content => *offset >= at,
        };
        if is_behind {
            *offset += bytes;
        }
    });
}

/// Moves all places in a document whose encoded size becomes this share of what it was.
pub(super) fn scale(page: &mut Page, document: ResourceId, share: f64) {
    let end = page.resource(document).body_bytes;
    each_offset(page, document, |_, offset| {
        *offset = ((*offset as f64 * share).round() as u64).min(end);
    });
}

/// A thing that has a place in a document.
enum User {
    /// An element or inline script that requests a resource.
    Resource(ResourceId),
    /// A hint.
    Hint,
    /// Content, a script inside the document, or the begin of the body.
    Content,
}

/// Changes all offsets in a document, or in that of a frame.
fn each_offset(page: &mut Page, document: ResourceId, mut change: impl FnMut(User, &mut u64)) {
    let is_page = document == page.document;
    for resource in &mut page.resources {
        let id = resource.id;
        if let Trigger::Markup { parent, offset } | Trigger::Inline { parent, offset } =
            &mut resource.discovery.trigger
            && *parent == document
        {
            change(User::Resource(id), offset);
            if let Some(used) = &mut resource.used_at {
                change(User::Resource(id), used);
            }
        }
    }
    if !is_page {
        return;
    }
    for hint in &mut page.hints {
        change(User::Hint, &mut hint.offset);
    }
    let mut content = |offset: &mut u64| change(User::Content, offset);
    match &mut page.paints {
        Paints::Recorded(layout) => {
            let elements = layout.elements.iter_mut();
            let elements = elements.filter_map(|one| one.offset.as_mut());
            elements.for_each(&mut content);
            let scripts = layout.inline_scripts.iter_mut();
            scripts.for_each(|script| content(&mut script.offset));
            layout.body_start.iter_mut().for_each(content);
        }
        Paints::Guessed(guess) => {
            if let Some(stated) = &mut guess.content {
                stated.body_start.iter_mut().for_each(&mut content);
                stated.text.iter_mut().for_each(&mut content);
                stated.inline_scripts.iter_mut().for_each(content);
            }
        }
    }
}

/// Lets the document name a font, an image or a sheet that style sheet `of` names, at an offset of
/// the document. Fonts and images wait for a layout, as those of all styles do.
pub(super) fn name_in_styles(page: &mut Page, id: ResourceId, offset: u64) {
    let document = page.document;
    let resource = &mut page.resources[id.index()];
    resource.discovery.trigger = Trigger::Markup {
        parent: document,
        offset,
    };
    if !matches!(resource.destination, Destination::Font | Destination::Image) {
        return;
    }
    let list = match &mut page.paints {
        Paints::Recorded(layout) => &mut layout.by_layout,
        Paints::Guessed(guess) => match &mut guess.content {
            Some(content) => &mut content.styled,
            None => return,
        },
    };
    if !list.contains(&id) {
        list.push(id);
        list.sort_unstable();
    }
}

/// Lets whatever waits for a resource wait for another one.
pub(super) fn wait_for(page: &mut Page, before: ResourceId, after: ResourceId) {
    for join in &mut page.joins {
        for id in join.iter_mut().filter(|id| **id == before) {
            *id = after;
        }
    }
    each_wait(page, |wait| {
        if *wait == (Wait::Resource { id: before }) {
            *wait = Wait::Resource { id: after };
        }
    });
}

/// Changes all events that requests, elements and tasks of the page wait for.
pub(super) fn each_wait(page: &mut Page, mut change: impl FnMut(&mut Wait)) {
    for resource in &mut page.resources {
        resource.discovery.wait.iter_mut().for_each(&mut change);
    }
    match &mut page.paints {
        Paints::Recorded(layout) => {
            let elements = layout.elements.iter_mut().map(|one| &mut one.after);
            let callbacks = layout.callbacks.iter_mut().map(|one| &mut one.after);
            let covers = [&mut layout.overlay, &mut layout.hidden].into_iter();
            let covers = covers.flatten().map(|one| &mut one.after);
            elements
                .chain(callbacks)
                .chain(covers)
                .for_each(&mut change);
        }
        Paints::Guessed(guess) => {
            let fit = guess.fit.iter_mut();
            fit.for_each(|fit| change(&mut fit.after));
        }
    }
}

/// Returns true if the first screen uses the resource: text uses the font, or an element in the
/// viewport shows the image. Without a recorded layout, all are taken for used.
pub(super) fn is_seen(page: &Page, id: ResourceId) -> bool {
    let Some(layout) = page.layout() else {
        return true;
    };
    layout.elements.iter().any(|element| {
        use crate::ElementKind::{Background, Image, Other, Text};
        let uses = match &element.kind {
            Text { fonts } => fonts.contains(&id),
            Image { resource } | Background { resource } => *resource == id,
            Other => false,
        };
        uses && element.rect.visible_area(layout.viewport) > 0.0
    })
}

/// Returns true if an element, or a request of another kind than scripts, follows the offset.
pub(super) fn has_content_behind(page: &Page, at: u64) -> bool {
    let of_document = |one: &&Resource| {
        let place = one.discovery.trigger.place();
        place.is_some_and(|(parent, offset)| parent == page.document && offset > at)
    };
    let mut named = page.resources.iter().filter(of_document);
    let elements = page
        .layout()
        .into_iter()
        .flat_map(|layout| &layout.elements);
    let mut offsets = elements.filter_map(|element| element.offset);
    let text = page.content().into_iter().flat_map(|content| &content.text);
    named.any(|one| one.destination != Destination::Script)
        || offsets.any(|offset| offset > at)
        || text.into_iter().any(|offset| *offset > at)
}
