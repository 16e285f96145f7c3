//! What is known of each resource before anything is decided.

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use super::{Overrides, PaintEffect, Reason};
use crate::ads::{AdKind, AdMatch, AdMatcher, AdRequest};
use crate::{
    Category, Discovery, Evidence, FontDisplay, OriginId, Page, Resource, ResourceId, Trigger,
    domain,
};

/// The longest answer to a beacon: an empty body, `{}` or `ok`; frames of no more
/// show nothing.
const BEACON_BYTES_MAX: u64 = 64;

/// Images of fewer bytes are pixels that count visits.
const PIXEL_BYTES_MAX: u64 = 100;

/// Names of fewer letters are common to strangers.
const SHORTEST_NAME: usize = 3;

/// What is known of one resource.
#[derive(Debug)]
pub(super) struct Facts {
    /// What the user says.
    pub(super) chosen: Option<Reason>,
    /// What a list says.
    pub(super) listed: Option<AdMatch>,
    /// What paints make of it, if they were asked.
    pub(super) paint: Option<PaintEffect>,
    /// Beacon, icon or prefetch.
    pub(super) aside: Option<Reason>,
    /// The frame around it; `None` is the document.
    pub(super) frame: Option<ResourceId>,
    /// Whether it is on the domain of the document around it.
    pub(super) own: bool,
    /// It comes from a host that is the site's own by all signs but its domain.
    pub(super) built_on: Option<Reason>,
    /// Where it redirects to.
    pub(super) redirects_to: Option<ResourceId>,
    /// Which request it asks leave for.
    pub(super) preflight_of: Option<ResourceId>,
    /// Who asked for it, if that is more than a guess from times.
    pub(super) asked_by: Option<ResourceId>,
    /// It blocks rendering from another host, with so many asked for behind it.
    pub(super) single_point: Option<Reason>,
    /// Its font-display is `block`.
    pub(super) font_blocks: bool,
    render_blocking: bool,
    third_party: bool,
    priority: RequestPriority,
    is_image: bool,
    in_viewport: bool,
}

impl Facts {
    /// Whether it is advertisement or tracker.
    pub(super) fn is_ad(&self) -> bool {
        let kind = self.listed.as_ref().and_then(|found| found.kind);
        kind.is_some_and(AdKind::is_ad)
    }

    /// Whether it is a widget.
    pub(super) fn is_widget(&self) -> bool {
        let kind = self.listed.as_ref().and_then(|found| found.kind);
        kind.is_some_and(|kind| !kind.is_ad())
    }

    /// All of it that is worth telling, strongest first.
    pub(super) fn told(&self) -> Vec<Reason> {
        let paint = self.paint.filter(|effect| !effect.is_none());
        let party = if self.third_party {
            Reason::ThirdParty
        } else {
            Reason::FirstParty
        };
        let place = if self.in_viewport {
            Reason::InViewport
        } else {
            Reason::BelowTheFold
        };
        let all = [
            self.chosen.clone(),
            self.listed.as_ref().map(Reason::of_match),
            paint.map(|effect| Reason::Paint { effect }),
            self.single_point.clone(),
            (self.render_blocking && self.single_point.is_none()).then_some(Reason::RenderBlocking),
            self.aside.clone(),
            (self.is_image && self.aside.is_none()).then_some(place),
            Some(party),
            Some(Reason::Priority {
                priority: self.priority,
            }),
        ];
        all.into_iter().flatten().collect()
    }
}

/// The facts of every resource, in page order.
pub(super) fn collect(
    page: &Page,
    ads: &dyn AdMatcher,
    paints: Option<&[PaintEffect]>,
    overrides: &Overrides,
) -> Vec<Facts> {
    let frames = frames(page);
    let behind = behind(page);
    let redirects = redirects(page);
    let listed: Vec<Option<AdMatch>> = page
        .resources
        .iter()
        .map(|r| listed(page, ads, r))
        .collect();
    let waited = waited_hosts(page, &listed);
    let of = |resource: &Resource| {
        let i = resource.id.index();
        let frame = frames[i];
        let host = |r: &Resource| &page.origin(r.origin).host;
        let own = match frame {
            None => !resource.third_party,
            Some(frame) => !domain::is_third_party(host(resource), host(page.resource(frame))),
        };
        let is_other = resource.origin != page.resource(page.document).origin;
        let is_document = resource.destination == Destination::Document;
        let blocks = resource.render_blocking && !is_document;
        let single_point =
            (blocks && resource.third_party && is_other).then(|| Reason::SinglePoint {
                host: host(resource).clone(),
                behind: behind[i],
            });
        Facts {
            chosen: overrides.reason(page, resource),
            listed: listed[i].clone(),
            paint: paints.map(|paints| paints[i]),
            aside: aside(resource),
            frame,
            own,
            built_on: built_on(page, resource, &waited).filter(|_| !own && listed[i].is_none()),
            redirects_to: redirects[i],
            preflight_of: preflight_of(page, resource),
            asked_by: asked_by(resource.discovery),
            single_point,
            font_blocks: font_blocks(page, resource),
            render_blocking: blocks,
            third_party: resource.third_party,
            priority: resource.priority,
            is_image: resource.destination == Destination::Image,
            in_viewport: resource.in_viewport,
        }
    };
    page.resources.iter().map(of).collect()
}

/// What lists say. An import that found advertisement is not forgotten.
fn listed(page: &Page, ads: &dyn AdMatcher, resource: &Resource) -> Option<AdMatch> {
    let by_import = || {
        (resource.category == Category::Ads).then(|| AdMatch {
            kind: Some(AdKind::AdOrTracker),
            source: "the import".to_owned(),
            rule: "category ads".to_owned(),
        })
    };
    ads.find(&AdRequest::of(page, resource)).or_else(by_import)
}

/// Hosts that the first paint waits for and that no list knows.
fn waited_hosts(page: &Page, listed: &[Option<AdMatch>]) -> Vec<OriginId> {
    let all = page.resources.iter().zip(listed);
    let waits = all.filter(|(r, listed)| {
        let is_code = r.destination != Destination::Document;
        r.render_blocking && r.third_party && is_code && listed.is_none()
    });
    waits.map(|(r, _)| r.origin).collect()
}

/// Whether the site builds on a host of another domain: its domain has the
/// site's name, or the first paint waits for something from there.
fn built_on(page: &Page, resource: &Resource, waited: &[OriginId]) -> Option<Reason> {
    let host = &page.origin(resource.origin).host;
    let home = &page.origin(page.resource(page.document).origin).host;
    if has_name_of(host, home) {
        return Some(Reason::OwnName { host: host.clone() });
    }
    let waits = waited.contains(&resource.origin);
    waits.then(|| Reason::BuiltOn { host: host.clone() })
}

/// Whether the name that was registered for `host` is that of `home`, perhaps
/// with a word more: `site-cdn.test` and `site.net` for `www.site.test`.
fn has_name_of(host: &str, home: &str) -> bool {
    let name = |host| {
        domain::registrable(host)
            .split('.')
            .next()
            .unwrap_or_default()
    };
    let home = name(home);
    home.len() >= SHORTEST_NAME && name(host).split('-').any(|word| word == home)
}

/// Who asked for it; what is only a guess from times leads nowhere.
fn asked_by(discovery: Discovery) -> Option<ResourceId> {
    let known = discovery.evidence <= Evidence::Body;
    match discovery.trigger {
        Trigger::After { .. } => None,
        // Redirects are never guessed.
        Trigger::Redirect { parent } => Some(parent),
        trigger => trigger.parent().filter(|_| known),
    }
}

/// Beacons, icons and what is for later.
fn aside(resource: &Resource) -> Option<Reason> {
    let small = |limit| resource.body_bytes <= limit;
    let method = resource.method.as_str();
    let sends = !matches!(method, "GET" | "OPTIONS");
    match resource.destination {
        Destination::Fetch if sends && small(BEACON_BYTES_MAX) => Some(Reason::Beacon),
        Destination::Fetch if method == "GET" && resource.status == 204 => Some(Reason::Beacon),
        Destination::Iframe if resource.status < 300 && small(BEACON_BYTES_MAX) => {
            Some(Reason::Beacon)
        }
        Destination::Image if is_icon(resource) => Some(Reason::Icon),
        Destination::Image if is_pixel(resource) => Some(Reason::Beacon),
        Destination::Other => Some(Reason::Prefetch),
        _ => None,
    }
}

/// What browsers show in their own frame.
fn is_icon(resource: &Resource) -> bool {
    let path = resource.url.split(['?', '#']).next().unwrap_or_default();
    let path = path.to_ascii_lowercase();
    [".ico", "favicon", "apple-touch-icon"]
        .iter()
        .any(|sign| path.contains(sign))
}

/// An image too small to be one; what failed or redirects is none either.
fn is_pixel(resource: &Resource) -> bool {
    let done = matches!(resource.status, 200 | 204);
    done && !resource.in_viewport && resource.body_bytes <= PIXEL_BYTES_MAX
}

/// The nearest frame that leads to each resource; of a frame, the one around it.
fn frames(page: &Page) -> Vec<Option<ResourceId>> {
    let mut frames: Vec<Option<ResourceId>> = Vec::with_capacity(page.resources.len());
    for resource in &page.resources {
        let frame = match resource.discovery.trigger {
            // Both are the same frame.
            Trigger::Redirect { parent } => frames[parent.index()],
            // The last thing that was there before is no sign of a place.
            Trigger::After { .. } | Trigger::Navigation => None,
            trigger => trigger.parent().and_then(|parent| {
                let parent = page.resource(parent);
                let is_frame = parent.destination == Destination::Iframe;
                if is_frame {
                    Some(parent.id)
                } else {
                    frames[parent.id.index()]
                }
            }),
        };
        frames.push(frame);
    }
    frames
}

/// How many resources a parser finds behind each blocking resource of its
/// document, or what it leads to asks for: they wait for it, but for what the
/// preload scanner finds.
fn behind(page: &Page) -> Vec<usize> {
    let place = |resource: &Resource| match resource.discovery.trigger {
        Trigger::Markup { parent, offset } => Some((parent, offset)),
        _ => None,
    };
    let waits = |resource: &Resource| {
        let Some((parent, offset)) = place(resource).filter(|_| resource.render_blocking) else {
            return 0;
        };
        let later = page.resources.iter().filter_map(place);
        let later = later.filter(|(p, o)| *p == parent && *o > offset).count();
        let led = page
            .resources
            .iter()
            .filter(|r| asked_by(r.discovery) == Some(resource.id));
        later + led.count()
    };
    page.resources.iter().map(waits).collect()
}

/// Where each resource redirects to.
fn redirects(page: &Page) -> Vec<Option<ResourceId>> {
    let mut to = vec![None; page.resources.len()];
    for resource in &page.resources {
        if let Trigger::Redirect { parent } = resource.discovery.trigger {
            to[parent.index()] = Some(resource.id);
        }
    }
    to
}

/// The request that a CORS preflight asks leave for: another one for its URL.
fn preflight_of(page: &Page, resource: &Resource) -> Option<ResourceId> {
    if resource.method != "OPTIONS" {
        return None;
    }
    let same = |r: &&Resource| r.method != "OPTIONS" && r.url == resource.url;
    page.resources.iter().find(same).map(|r| r.id)
}

fn font_blocks(page: &Page, resource: &Resource) -> bool {
    let fonts = page.layout.as_ref().map_or(&[][..], |layout| &layout.fonts);
    let block = |font: &&crate::FontUse| font.display == FontDisplay::Block;
    fonts
        .iter()
        .filter(block)
        .any(|font| font.font == resource.id)
}

/// Whether a script's place in the markup is its place in the order of scripts.
pub(super) fn runs_in_order(resource: &Resource) -> bool {
    let in_markup = matches!(resource.discovery.trigger, Trigger::Markup { .. });
    in_markup
        && matches!(
            resource.script_mode,
            ScriptMode::Blocking | ScriptMode::Defer
        )
}
