//! Resources that the head of the document names (`<link rel=preload>`,
//! <https://html.spec.whatwg.org/#link-type-preload>).

use std::collections::BTreeSet;

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use super::{Edit, Kept, Kind, each};
use crate::model::{FetchPriority, Paints};
use crate::{Evidence, Page, Resource, ResourceId, Trigger, Wait};

/// Requests the resources as soon as the head of the document is there.
pub(super) struct Preload;

impl Kind for Preload {
    fn name(&self) -> &'static str {
        "preload"
    }

    fn summary(&self) -> &'static str {
        "Requests the resources when the head of the document arrives"
    }

    fn example(&self) -> &'static str {
        "preload */hero.jpg"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        let offset = begin(page);
        let document = page.document;
        each(on, page, |page, id| {
            let resource = page.resource(id);
            if let Some(reason) = refusal(resource, offset, document) {
                return Err(reason);
            }
            let used = resource.discovery.trigger.place();
            if resource.destination == Destination::Fetch
                && let Trigger::Script { parent, .. } = resource.discovery.trigger
            {
                let awaited = resource.discovery.wait.into_iter();
                let awaited = awaited.flat_map(|wait| page.awaited(wait));
                let asked = awaited.chain([parent]).collect();
                wait_for_both(page, id, &asked);
            }
            let resource = &mut page.resources[id.index()];
            if let Destination::Script | Destination::Style = resource.destination {
                resource.used_at = used.map(|(_, at)| at);
            }
            resource.priority = class(resource);
            resource.discovery.trigger = Trigger::Markup {
                parent: document,
                offset,
            };
            resource.discovery.evidence = Evidence::Recorded;
            resource.discovery.wait = None;
            match &mut page.paints {
                Paints::Recorded(layout) => layout.by_layout.retain(|one| *one != id),
                Paints::Guessed(guess) => {
                    if let Some(content) = &mut guess.content {
                        content.styled.retain(|one| *one != id);
                        content.lazy.retain(|one| *one != id);
                    }
                }
            }
            Ok(())
        })
    }

    fn edit(&self, _value: &str, resource: &Resource, _: &Page) -> Edit {
        let what = match resource.destination {
            Destination::Font => "font",
            Destination::Script => "script",
            Destination::Style => "style",
            Destination::Fetch => "fetch",
            _ => "image",
        };
        let mut link = format!(
            "<link rel=\"preload\" href=\"{}\" as=\"{what}\"",
            resource.url
        );
        if matches!(resource.destination, Destination::Font | Destination::Fetch)
            || resource.anonymous
        {
            link.push_str(" crossorigin");
        }
        if resource.fetch_priority == FetchPriority::High {
            link.push_str(" fetchpriority=\"high\"");
        }
        Edit::Insert(link + ">")
    }
}

/// Returns the encoded bytes of the document after which the elements of its head begin.
pub(super) fn begin(page: &Page) -> u64 {
    let places = page.resources.iter();
    let places = places.filter_map(|resource| resource.discovery.trigger.place());
    let own = places.filter(|(parent, _)| *parent == page.document);
    let first = own.map(|(_, offset)| offset).min();
    let hint = page.hints.first().map(|hint| hint.offset);
    let all = first.into_iter().chain(hint);
    all.min().unwrap_or(page.resource(page.document).body_bytes)
}

/// Returns the reason why a preload of the resource changes nothing, or cannot be modelled.
fn refusal(resource: &Resource, begin: u64, document: ResourceId) -> Option<&'static str> {
    let is_preloadable = matches!(
        resource.destination,
        Destination::Font
            | Destination::Image
            | Destination::Style
            | Destination::Script
            | Destination::Fetch
    );
    match resource.discovery.trigger {
        _ if !is_preloadable || resource.method != "GET" => Some("it cannot be preloaded"),
        _ if resource.id <= document => Some("it comes before the document"),
        Trigger::Redirect { .. } => Some("another request redirects to it"),
        Trigger::Markup { parent, offset } if parent == document && offset <= begin => {
            Some("the head of the document begins with it already")
        }
        _ if resource.used_at.is_some() => Some("the markup preloads it already"),
        Trigger::Script { .. } | Trigger::After { .. } | Trigger::Inline { .. }
            if matches!(
                resource.destination,
                Destination::Script | Destination::Style
            ) =>
        {
            Some("a script inserts it, and the recording does not tell when it would be used")
        }
        Trigger::After { .. } if resource.destination == Destination::Fetch => {
            Some("the recording does not tell what requests it")
        }
        _ => None,
    }
}

/// Returns the class in which Chromium requests a preloaded resource (`resource_fetcher.cc`,
/// `ComputeLoadPriority`): scripts and data as High, images as Low unless a hint says otherwise,
/// others as ever.
fn class(resource: &Resource) -> RequestPriority {
    match (resource.destination, resource.fetch_priority) {
        (Destination::Image, FetchPriority::High) | (Destination::Fetch, _) => {
            RequestPriority::High
        }
        (Destination::Image, _) => RequestPriority::Low,
        (Destination::Script, FetchPriority::Auto)
            if resource.script_mode != ScriptMode::Inserted =>
        {
            RequestPriority::High
        }
        _ => resource.priority,
    }
}

/// Lets what waits for data wait for all that they were `asked` after, too.
fn wait_for_both(page: &mut Page, data: ResourceId, asked: &BTreeSet<ResourceId>) {
    let alone = Wait::Resource { id: data };
    let both = Wait::Join {
        join: page.joins.len() as u32,
    };
    page.joins.push(vec![data]);
    for join in page.joins.iter_mut().filter(|join| join.contains(&data)) {
        join.extend(asked);
        join.sort_unstable();
        join.dedup();
    }
    for resource in &mut page.resources {
        let discovery = &mut resource.discovery;
        let follows = matches!(discovery.trigger, Trigger::Script { parent, .. } if parent == data);
        if discovery.wait == Some(alone) || (follows && discovery.wait.is_none()) {
            discovery.wait = Some(both);
        }
    }
    if let Paints::Recorded(layout) = &mut page.paints {
        let elements = layout.elements.iter_mut().map(|one| &mut one.after);
        let callbacks = layout.callbacks.iter_mut().map(|one| &mut one.after);
        let covers = [&mut layout.overlay, &mut layout.hidden].into_iter();
        let covers = covers.flatten().map(|one| &mut one.after);
        for after in elements.chain(callbacks).chain(covers) {
            if *after == alone {
                *after = both;
            }
        }
    }
}
