//! Places in the document: of elements, of bytes that move there, and of what follows them.

use pagerace_core::Destination;

use crate::model::Paints;
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

/// Lets the document have `bytes` more, `decoded` when decoded, right behind the element of `of`
/// that ends at the offset `at`. All that follows moves.
pub(super) fn grow(page: &mut Page, of: ResourceId, at: u64, bytes: u64, decoded: u64) {
    let id = page.document;
    let document = &mut page.resources[id.index()];
    document.body_bytes += bytes;
    document.decoded_bytes = document.decoded_bytes.map(|before| before + decoded);
    let moved = |offset: &mut u64| {
        if *offset >= at {
            *offset += bytes;
        }
    };
    for resource in &mut page.resources {
        // Compression lets neighbours end at one offset.
        let precedes = resource.id <= of;
        let behind = |offset: &mut u64| {
            if *offset > at || (*offset == at && !precedes) {
                *offset += bytes;
            }
        };
        if let Trigger::Markup { parent, offset } | Trigger::Inline { parent, offset } =
            &mut resource.discovery.trigger
            && *parent == id
        {
            behind(offset);
            resource.used_at.iter_mut().for_each(behind);
        }
    }
    page.hints.iter_mut().for_each(|hint| {
        if hint.offset > at {
            hint.offset += bytes;
        }
    });
    match &mut page.paints {
        Paints::Recorded(layout) => {
            let elements = layout.elements.iter_mut();
            elements
                .filter_map(|one| one.offset.as_mut())
                .for_each(moved);
            layout
                .inline_scripts
                .iter_mut()
                .for_each(|script| moved(&mut script.offset));
            layout.body_start.iter_mut().for_each(moved);
        }
        Paints::Guessed(guess) => {
            if let Some(content) = &mut guess.content {
                content.body_start.iter_mut().for_each(moved);
                content.text.iter_mut().for_each(moved);
                content.inline_scripts.iter_mut().for_each(moved);
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
