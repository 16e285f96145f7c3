//! Resources that the head of the document names (`<link rel=preload>`,
//! <https://html.spec.whatwg.org/#link-type-preload>).

use std::collections::BTreeSet;

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use super::{Edit, Kept, Kind, Value, each, place};
use crate::model::{FetchPriority, Paints};
use crate::{Evidence, Page, Resource, ResourceId, Trigger, Wait};

/// Requests the resources as soon as the head of the document is there.
pub(super) struct Preload;

/// Requests modules then, also those that others import.
pub(super) struct ModulePreload;

impl Kind for Preload {
    fn name(&self) -> &'static str {
        "preload"
    }

    fn value(&self) -> Value {
        Value::Optional(&Value::Word(&["high"]))
    }

    fn summary(&self) -> &'static str {
        "Requests the resources when the head of the document arrives; `=high` with that fetchpriority"
    }

    fn example(&self) -> &'static str {
        "preload */hero.jpg"
    }

    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        preload(on, page, false, hint(value))
    }

    fn edit(&self, value: &str, resource: &Resource, _: &Page) -> Edit {
        Edit::Insert(link(resource, hint(value)))
    }
}

impl Kind for ModulePreload {
    fn name(&self) -> &'static str {
        "modulepreload"
    }

    fn summary(&self) -> &'static str {
        "Requests modules, and those that they import, when the head of the document arrives"
    }

    fn example(&self) -> &'static str {
        "modulepreload */app.mjs"
    }

    fn apply(&self, _value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String> {
        preload(on, page, true, None)
    }

    fn edit(&self, _value: &str, resource: &Resource, _: &Page) -> Edit {
        let anonymous = if resource.anonymous {
            " crossorigin"
        } else {
            ""
        };
        Edit::Insert(format!(
            "<link rel=\"modulepreload\" href=\"{}\"{anonymous}>",
            resource.url
        ))
    }
}

/// Returns the `fetchpriority` of the link.
fn hint(value: &str) -> Option<FetchPriority> {
    (value == "high").then_some(FetchPriority::High)
}

/// Lets the head of the document name the resources. Modules run when those that import them do.
fn preload(
    on: &[ResourceId],
    page: &mut Page,
    modules: bool,
    hint: Option<FetchPriority>,
) -> Result<Kept, String> {
    let offset = begin(page);
    let document = page.document;
    each(on, page, |page, id| {
        let resource = page.resource(id);
        let is_script = resource.destination == Destination::Script;
        if modules && !is_script {
            return Err("it is no script");
        }
        let is_imported = modules && matches!(resource.discovery.trigger, Trigger::Script { .. });
        let reason = refusal(resource, offset, document).filter(|_| !is_imported);
        reason.map_or(Ok(()), Err)?;
        let used = resource.discovery.trigger.place();
        if is_imported || resource.destination == Destination::Fetch {
            keep_order(page, id);
        }
        let resource = &mut page.resources[id.index()];
        if let Destination::Script | Destination::Style = resource.destination {
            resource.used_at = used.map(|(_, at)| at);
        }
        resource.fetch_priority = hint.unwrap_or(resource.fetch_priority);
        resource.priority = class(resource);
        resource.discovery.trigger = Trigger::Markup {
            parent: document,
            offset,
        };
        resource.discovery.evidence = Evidence::Recorded;
        resource.discovery.wait = None;
        if is_imported {
            // The scanner finds the link.
            resource.script_mode = ScriptMode::Async;
        }
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

/// Returns the parameters of a link that preloads the resource: what it is, and how it is
/// requested.
fn parameters(resource: &Resource) -> (&'static str, bool, bool) {
    let what = match resource.destination {
        Destination::Font => "font",
        Destination::Script => "script",
        Destination::Style => "style",
        Destination::Fetch => "fetch",
        _ => "image",
    };
    let is_anonymous = matches!(resource.destination, Destination::Font | Destination::Fetch)
        || resource.anonymous;
    let is_urgent = resource.fetch_priority == FetchPriority::High;
    (what, is_anonymous, is_urgent)
}

/// Returns the element that preloads the resource.
fn link(resource: &Resource, hint: Option<FetchPriority>) -> String {
    let (what, is_anonymous, is_urgent) = parameters(resource);
    let is_urgent = is_urgent || hint == Some(FetchPriority::High);
    let mut link = format!(
        "<link rel=\"preload\" href=\"{}\" as=\"{what}\"",
        resource.url
    );
    if is_anonymous {
        link.push_str(" crossorigin");
    }
    if is_urgent {
        link.push_str(" fetchpriority=\"high\"");
    }
    link + ">"
}

/// Returns the value of a `Link` field that preloads the resource.
pub(super) fn link_field(resource: &Resource) -> String {
    let (what, is_anonymous, is_urgent) = parameters(resource);
    let anonymous = if is_anonymous { "; crossorigin" } else { "" };
    let urgent = if is_urgent {
        "; fetchpriority=high"
    } else {
        ""
    };
    format!(
        "<{}>; rel=preload; as={what}{anonymous}{urgent}",
        resource.url
    )
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
    match resource.discovery.trigger {
        Trigger::Markup { parent, offset } if parent == document && offset <= begin => {
            Some("the head of the document begins with it already")
        }
        _ if resource.used_at.is_some() => Some("the markup preloads it already"),
        _ => refusal_of_link(resource, document),
    }
}

/// Returns the reason why no link can preload the resource.
pub(super) fn refusal_of_link(resource: &Resource, document: ResourceId) -> Option<&'static str> {
    let is_known = matches!(
        resource.destination,
        Destination::Font
            | Destination::Image
            | Destination::Style
            | Destination::Script
            | Destination::Fetch
    );
    match resource.discovery.trigger {
        _ if !is_known || resource.method != "GET" => Some("it cannot be preloaded"),
        _ if resource.id <= document => Some("it comes before the document"),
        Trigger::Redirect { .. } => Some("another request redirects to it"),
        Trigger::Markup { parent, .. } | Trigger::Inline { parent, .. } if parent != document => {
            Some("a frame uses it, which does not share the preloads of the page")
        }
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
pub(super) fn class(resource: &Resource) -> RequestPriority {
    match (resource.destination, resource.fetch_priority) {
        (Destination::Image | Destination::Script, FetchPriority::High)
        | (Destination::Fetch, _) => RequestPriority::High,
        (Destination::Image, _) => RequestPriority::Low,
        (Destination::Script, FetchPriority::Auto)
            if resource.script_mode != ScriptMode::Inserted =>
        {
            RequestPriority::High
        }
        _ => resource.priority,
    }
}

/// Lets what waits for the response to a script's request still wait for the script, too.
pub(super) fn keep_order(page: &mut Page, id: ResourceId) {
    let discovery = page.resource(id).discovery;
    if let Trigger::Script { parent, .. } = discovery.trigger {
        let awaited = discovery.wait.into_iter();
        let awaited = awaited.flat_map(|wait| page.awaited(wait));
        let asked = awaited.chain([parent]).collect();
        wait_for_both(page, id, &asked);
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
        if follows && discovery.wait.is_none() {
            discovery.wait = Some(both);
        }
    }
    place::each_wait(page, |wait| {
        if *wait == alone {
            *wait = both;
        }
    });
}
