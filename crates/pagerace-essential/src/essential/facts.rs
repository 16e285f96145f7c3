//! Facts about each resource, collected before the rules apply.

use pagerace_core::{Destination, ScriptMode};

use pagerace_page::PaintEffect;

use super::{Overrides, Reason};
use crate::ads::{AdKind, AdMatch, AdMatcher, AdRequest};
use pagerace_har::domain;
use pagerace_page::{
    Category, Discovery, Evidence, FontDisplay, OriginId, Page, Resource, ResourceId, Trigger,
};

/// Maximum body size of the answer to a beacon: an empty body, `{}` or `ok`. A frame of
/// this size shows nothing.
const BEACON_BYTES_MAX: u64 = 64;

/// Maximum body size of a tracking pixel.
const PIXEL_BYTES_MAX: u64 = 100;

/// Minimum length of a site's name for matching; shorter names occur on unrelated sites.
const SHORTEST_NAME: usize = 3;

/// Facts about one resource.
#[derive(Debug)]
pub(super) struct Facts {
    /// The user's choice.
    pub(super) chosen: Option<Reason>,
    /// Match of an advertisement list.
    pub(super) listed: Option<AdMatch>,
    /// Effect on paints, if it was computed.
    pub(super) paint: Option<PaintEffect>,
    /// Reason why the resource is a beacon, icon or prefetch.
    pub(super) aside: Option<Reason>,
    /// Frame that contains the resource; `None` for the main document.
    pub(super) frame: Option<ResourceId>,
    /// True if the registrable domain is that of the surrounding document.
    pub(super) own: bool,
    /// Reason why the host belongs to the site despite its different domain.
    pub(super) built_on: Option<Reason>,
    /// Target of the redirect.
    pub(super) redirects_to: Option<ResourceId>,
    /// Request that this preflight precedes.
    pub(super) preflight_of: Option<ResourceId>,
    /// Resource that made the request; `None` if only times or a fixed rule indicate it.
    pub(super) asked_by: Option<ResourceId>,
    /// Single point of failure: the resource blocks rendering from a third-party origin.
    pub(super) single_point: Option<Reason>,
    /// True if the `font-display` of the font is `block`.
    pub(super) font_blocks: bool,
}

impl Facts {
    /// Returns true if the resource is advertisement or a tracker.
    pub(super) fn is_ad(&self) -> bool {
        let kind = self.listed.as_ref().and_then(|found| found.kind);
        kind.is_some_and(AdKind::is_ad)
    }

    /// Returns true if the resource is a widget.
    pub(super) fn is_widget(&self) -> bool {
        let kind = self.listed.as_ref().and_then(|found| found.kind);
        kind.is_some_and(|kind| !kind.is_ad())
    }

    /// Returns all reasons worth reporting about the resource, strongest first.
    pub(super) fn told(&self, resource: &Resource) -> Vec<Reason> {
        let paint = self.paint.filter(|effect| !effect.is_none());
        let party = if resource.third_party {
            Reason::ThirdParty
        } else {
            Reason::FirstParty
        };
        let place = if resource.in_viewport {
            Reason::InViewport
        } else {
            Reason::BelowTheFold
        };
        let is_image = resource.destination == Destination::Image;
        let all = [
            self.chosen.clone(),
            self.listed.as_ref().map(Reason::of_match),
            paint.map(|effect| Reason::Paint { effect }),
            self.single_point.clone(),
            (blocks(resource) && self.single_point.is_none()).then_some(Reason::RenderBlocking),
            self.aside.clone(),
            (is_image && self.aside.is_none()).then_some(place),
            Some(party),
            Some(Reason::Priority {
                priority: resource.priority,
            }),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Returns the facts of every resource, in page order.
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
        let single_point =
            (blocks(resource) && resource.third_party && is_other).then(|| Reason::SinglePoint {
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
        }
    };
    page.resources.iter().map(of).collect()
}

/// Returns true if the first paint waits for the resource besides the document.
fn blocks(resource: &Resource) -> bool {
    resource.render_blocking && resource.destination != Destination::Document
}

/// Returns the match of the lists, or else the category that the importer assigned.
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

/// Returns the third-party origins of render-blocking resources that no list knows.
fn waited_hosts(page: &Page, listed: &[Option<AdMatch>]) -> Vec<OriginId> {
    let all = page.resources.iter().zip(listed);
    let waits = all.filter(|(r, listed)| blocks(r) && r.third_party && listed.is_none());
    waits.map(|(r, _)| r.origin).collect()
}

/// Returns the reason why a host of another domain belongs to the site: its domain
/// carries the site's name, or the first paint waits for a resource of that origin.
fn built_on(page: &Page, resource: &Resource, waited: &[OriginId]) -> Option<Reason> {
    let host = &page.origin(resource.origin).host;
    let home = &page.origin(page.resource(page.document).origin).host;
    if has_name_of(host, home) {
        return Some(Reason::OwnName { host: host.clone() });
    }
    let waits = waited.contains(&resource.origin);
    waits.then(|| Reason::BuiltOn { host: host.clone() })
}

/// Returns true if the registered name of `host` has the registered name of `home` as one
/// of its hyphen-separated words: `site-cdn.test` and `site.net` for `www.site.test`.
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

/// Returns the resource that made the request, unless only times or a fixed rule indicate
/// it.
fn asked_by(discovery: Discovery) -> Option<ResourceId> {
    let known = discovery.evidence <= Evidence::Body;
    match discovery.trigger {
        Trigger::After { .. } if discovery.evidence != Evidence::Body => None,
        // Redirects are never inferred from times.
        Trigger::Redirect { parent } => Some(parent),
        trigger => trigger.parent().filter(|_| known),
    }
}

/// Returns the reason if the resource is a beacon, an icon or a prefetch.
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

/// Returns true for icons, which the browser shows outside the page.
fn is_icon(resource: &Resource) -> bool {
    let path = resource.url.split(['?', '#']).next().unwrap_or_default();
    let path = path.to_ascii_lowercase();
    [".ico", "favicon", "apple-touch-icon"]
        .iter()
        .any(|sign| path.contains(sign))
}

/// Returns true for tracking pixels: successfully fetched tiny images outside the first
/// viewport.
fn is_pixel(resource: &Resource) -> bool {
    let done = matches!(resource.status, 200 | 204);
    done && !resource.in_viewport && resource.body_bytes <= PIXEL_BYTES_MAX
}

/// Returns the innermost frame around each resource; for a frame, the one that contains
/// it.
fn frames(page: &Page) -> Vec<Option<ResourceId>> {
    let mut frames: Vec<Option<ResourceId>> = Vec::with_capacity(page.resources.len());
    for resource in &page.resources {
        let frame = match resource.discovery.trigger {
            // A redirect and its target load into the same frame.
            Trigger::Redirect { parent } => frames[parent.index()],
            // The next source of a font, which a sheet names behind `parent`.
            Trigger::After { parent, .. } if resource.discovery.evidence == Evidence::Body => {
                frames[parent.index()]
            }
            // Otherwise the parent of `After` merely precedes the request, so it does not
            // indicate a frame.
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

/// For each render-blocking resource of a document's markup, counts the resources that
/// the same markup names after it and those that it requests itself. They wait for it,
/// except those that the preload scanner finds.
fn behind(page: &Page) -> Vec<usize> {
    let place = |resource: &Resource| resource.discovery.trigger.place();
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

/// Returns the redirect target of each resource.
fn redirects(page: &Page) -> Vec<Option<ResourceId>> {
    let mut to = vec![None; page.resources.len()];
    for resource in &page.resources {
        if let Trigger::Redirect { parent } = resource.discovery.trigger {
            to[parent.index()] = Some(resource.id);
        }
    }
    to
}

/// Returns the request that a CORS preflight precedes: one with the same URL and another
/// method.
fn preflight_of(page: &Page, resource: &Resource) -> Option<ResourceId> {
    if resource.method != "OPTIONS" {
        return None;
    }
    let same = |r: &&Resource| r.method != "OPTIONS" && r.url == resource.url;
    page.resources.iter().find(same).map(|r| r.id)
}

fn font_blocks(page: &Page, resource: &Resource) -> bool {
    let fonts = page.layout().map_or(&[][..], |layout| &layout.fonts);
    let block = |font: &&pagerace_page::FontUse| font.display == FontDisplay::Block;
    fonts
        .iter()
        .filter(block)
        .any(|font| font.font == resource.id)
}

/// Returns true if the script runs at its position among the document's scripts.
pub(super) fn runs_in_order(resource: &Resource) -> bool {
    let in_markup = matches!(resource.discovery.trigger, Trigger::Markup { .. });
    in_markup
        && matches!(
            resource.script_mode,
            ScriptMode::Blocking | ScriptMode::Defer
        )
}
