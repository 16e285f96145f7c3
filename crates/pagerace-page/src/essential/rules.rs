//! The rules in their order.
//!
//! Parents stand before their children, so one pass down sees every parent's
//! verdict; what leads to something essential becomes essential in a pass up.
//! That may make data and parts of programs essential that depend on it, so both
//! are repeated until nothing changes: verdicts only ever turn to essential.

use pagerace_core::{Destination, RequestPriority};

use super::facts::{Facts, runs_in_order};
use super::whole::is_media;
use super::{PaintEffect, Reason};
use crate::{Page, Resource, ResourceId, Trigger};

/// What was decided, and by what.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) essential: bool,
    pub(super) reason: Reason,
    /// Nothing that follows from others changes it.
    fixed: bool,
}

impl Verdict {
    fn yes(reason: Reason) -> Self {
        Self {
            essential: true,
            reason,
            fixed: false,
        }
    }

    fn no(reason: Reason) -> Self {
        Self {
            essential: false,
            reason,
            fixed: false,
        }
    }
}

/// The verdict on every resource, in page order.
pub(super) fn decide(page: &Page, facts: &[Facts]) -> Vec<Verdict> {
    let mut led: Vec<Option<Reason>> = vec![None; facts.len()];
    loop {
        let mut verdicts: Vec<Verdict> = Vec::with_capacity(facts.len());
        for (resource, led) in page.resources.iter().zip(&led) {
            let mut verdict = own(page, facts, &verdicts, resource);
            if let Some(reason) = led
                .as_ref()
                .filter(|_| !verdict.essential && !verdict.fixed)
            {
                verdict = Verdict::yes(reason.clone());
            }
            verdicts.push(verdict);
        }
        let found = leads(page, facts, &verdicts);
        let mut changed = false;
        for (led, found) in led.iter_mut().zip(found) {
            if led.is_none() && found.is_some() {
                *led = found;
                changed = true;
            }
        }
        if !changed {
            return verdicts;
        }
    }
}

/// What leads to something essential and is not essential by itself.
fn leads(page: &Page, facts: &[Facts], verdicts: &[Verdict]) -> Vec<Option<Reason>> {
    let mut led: Vec<Option<Reason>> = vec![None; facts.len()];
    for resource in page.resources.iter().rev() {
        let i = resource.id.index();
        // Of several preflights for one URL, who asked for which is not known.
        let is_preflight = facts[i].preflight_of.is_some();
        if is_preflight || (!verdicts[i].essential && led[i].is_none()) {
            continue;
        }
        lead(&mut led, verdicts, facts[i].asked_by, resource.id);
    }
    // A preflight may come before or behind its request.
    for resource in &page.resources {
        let of = facts[resource.id.index()].preflight_of;
        if let Some(of) = of.filter(|of| verdicts[of.index()].essential) {
            lead(&mut led, verdicts, Some(resource.id), of);
        }
    }
    led
}

/// `from`, if nothing else has made it essential, leads to `to`.
fn lead(
    led: &mut [Option<Reason>],
    verdicts: &[Verdict],
    from: Option<ResourceId>,
    to: ResourceId,
) {
    let open = |from: &ResourceId| {
        let verdict = &verdicts[from.index()];
        !verdict.essential && !verdict.fixed
    };
    if let Some(from) = from.filter(open) {
        led[from.index()].get_or_insert(Reason::LeadsTo { to });
    }
}

/// What a resource's own facts and its parents' verdicts say.
fn own(page: &Page, facts: &[Facts], above: &[Verdict], resource: &Resource) -> Verdict {
    let fact = &facts[resource.id.index()];
    if resource.destination == Destination::Document {
        let reason = if resource.id == page.document {
            Reason::Document
        } else {
            Reason::RedirectsToDocument
        };
        return Verdict {
            fixed: true,
            ..Verdict::yes(reason)
        };
    }
    if let Some(chosen) = &fact.chosen {
        let essential = matches!(
            chosen,
            Reason::Chosen {
                essential: true,
                ..
            }
        );
        return Verdict {
            essential,
            reason: chosen.clone(),
            fixed: true,
        };
    }
    if let Some(found) = fact.listed.as_ref().filter(|_| fact.is_ad()) {
        return Verdict::no(Reason::of_match(found));
    }
    // That text waits for a font is no need of it: it is shown without.
    let is_font = resource.destination == Destination::Font;
    let needs = |effect: &PaintEffect| effect.is_worse_without() || (effect.needs() && !is_font);
    if let Some(effect) = fact.paint.filter(needs) {
        return Verdict::yes(Reason::Paint { effect });
    }
    if fact.redirects_to.is_some() {
        return Verdict::no(Reason::RedirectsToNonEssential);
    }
    if let Some(of) = fact.preflight_of {
        return Verdict::no(Reason::Preflight { of });
    }
    if let Some(aside) = &fact.aside {
        return Verdict::no(aside.clone());
    }
    if let Some(frame) = fact.frame.filter(|frame| !above[frame.index()].essential) {
        return Verdict::no(Reason::InFrame { frame });
    }
    // Tag managers and test tools also load what the site is made of, and those
    // that watch requests are recorded as the ones who make them.
    let is_code = matches!(
        resource.destination,
        Destination::Script | Destination::Style | Destination::Iframe
    );
    let own_code = is_code && fact.own;
    let asked_by = fact.asked_by.filter(|_| !own_code);
    if let Some(by) = asked_by.filter(|by| is_refused_ad(facts, above, *by)) {
        return Verdict::no(Reason::AskedByAd { by });
    }
    if let Some(found) = fact.listed.as_ref().filter(|_| fact.is_widget())
        && resource.destination != Destination::Image
    {
        return Verdict::no(Reason::of_match(found));
    }
    by_category(page, facts, above, resource)
}

/// Whether `by` is advertisement, or stands below one, and is not essential.
fn is_refused_ad(facts: &[Facts], above: &[Verdict], by: ResourceId) -> bool {
    let verdict = &above[by.index()];
    let below_ad = matches!(verdict.reason, Reason::AskedByAd { .. });
    !verdict.essential && (facts[by.index()].is_ad() || below_ad)
}

/// What a category makes of party and place.
fn by_category(page: &Page, facts: &[Facts], above: &[Verdict], resource: &Resource) -> Verdict {
    let fact = &facts[resource.id.index()];
    let asked_by = fact.asked_by.filter(|by| above[by.index()].essential);
    if resource.render_blocking {
        let reason = fact.single_point.clone();
        return Verdict::yes(reason.unwrap_or(Reason::RenderBlocking));
    }
    match resource.destination {
        // Players fetch it piece by piece.
        Destination::Fetch if is_media(resource) => Verdict::no(Reason::Media),
        Destination::Style => {
            if resource.priority == RequestPriority::VeryLow {
                Verdict::no(Reason::OtherMedium)
            } else if fact.own || asked_by.is_some() {
                Verdict::yes(Reason::Style)
            } else {
                let built_on = fact.built_on.clone();
                built_on.map_or_else(|| Verdict::no(Reason::StyleOfOthers), Verdict::yes)
            }
        }
        Destination::Script if fact.own => Verdict::yes(Reason::OwnScript),
        Destination::Script => {
            if let Some(built_on) = &fact.built_on {
                return Verdict::yes(built_on.clone());
            }
            if runs_in_order(resource) {
                return Verdict::yes(Reason::ScriptInOrder);
            }
            let same_host = |by: &ResourceId| {
                let by = page.resource(*by);
                by.destination == Destination::Script && by.origin == resource.origin
            };
            let part_of = asked_by.filter(same_host);
            part_of.map_or_else(
                || Verdict::no(Reason::ScriptAnyTime),
                |script| Verdict::yes(Reason::PartOf { script }),
            )
        }
        Destination::Font if fact.font_blocks => Verdict::yes(Reason::FontBlocks),
        Destination::Font => Verdict::no(Reason::FontFallsBack),
        // Paints were asked and do not need it.
        Destination::Image if resource.in_viewport && fact.paint.is_some() => {
            Verdict::no(Reason::NothingSeen)
        }
        Destination::Image if resource.in_viewport => Verdict::yes(Reason::InViewport),
        Destination::Image => Verdict::no(Reason::BelowTheFold),
        Destination::Iframe if fact.own => Verdict::yes(Reason::OwnFrame),
        Destination::Iframe => {
            if matches!(resource.discovery.trigger, Trigger::Markup { .. }) {
                Verdict::yes(Reason::FrameInMarkup)
            } else {
                Verdict::no(Reason::FrameByScript)
            }
        }
        Destination::Fetch => match asked_by {
            Some(by) => Verdict::yes(Reason::DataFor { by }),
            None if fact.own => Verdict::yes(Reason::OwnData),
            None if let Some(built_on) = &fact.built_on => Verdict::yes(built_on.clone()),
            None => Verdict::no(Reason::OthersData),
        },
        Destination::Media => Verdict::no(Reason::Media),
        Destination::Document | Destination::Other => Verdict::no(Reason::OtherFile),
    }
}
