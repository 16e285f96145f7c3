//! The rules of [`super::assess`], in order.
//!
//! Parents precede their children, so one forward pass sees every parent's verdict.
//! Resources that lead to an essential one become essential in a backward pass. Data and
//! parts of programs that depend on them may then become essential as well, so both
//! passes repeat until nothing changes. This terminates because verdicts only change to
//! essential.

use pagerace_core::{Destination, RequestPriority};

use super::facts::{Facts, runs_in_order};
use super::whole::is_media;
use pagerace_page::PaintEffect;

use super::Reason;
use pagerace_page::{Page, Resource, ResourceId, Trigger};

/// A decision and its reason.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    pub(super) essential: bool,
    pub(super) reason: Reason,
    /// True if no rule about other resources may change the verdict.
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

/// Returns the verdict on every resource, in page order.
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

/// Returns a reason for each resource that leads to an essential one and is not essential
/// by itself.
fn leads(page: &Page, facts: &[Facts], verdicts: &[Verdict]) -> Vec<Option<Reason>> {
    let mut led: Vec<Option<Reason>> = vec![None; facts.len()];
    for resource in page.resources.iter().rev() {
        let i = resource.id.index();
        // Several requests may share a preflight, so its initiator is unknown.
        let is_preflight = facts[i].preflight_of.is_some();
        if is_preflight || (!verdicts[i].essential && led[i].is_none()) {
            continue;
        }
        lead(&mut led, verdicts, facts[i].asked_by, resource.id);
    }
    // A preflight may stand before or after its request in the list.
    for resource in &page.resources {
        let of = facts[resource.id.index()].preflight_of;
        if let Some(of) = of.filter(|of| verdicts[of.index()].essential) {
            lead(&mut led, verdicts, Some(resource.id), of);
        }
    }
    led
}

/// Records that `from` leads to `to`, unless `from` is essential already.
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

/// Returns the verdict that follows from the resource's own facts and its parents'
/// verdicts.
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
    // Text that waits for a font does not need it: another font shows the text.
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
    // Tag managers and test tools also load the site's own code, and tools that wrap
    // request functions appear as initiators in the recording.
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

/// Returns true if `by` is not essential and is advertisement or was requested by one.
fn is_refused_ad(facts: &[Facts], above: &[Verdict], by: ResourceId) -> bool {
    let verdict = &above[by.index()];
    let below_ad = matches!(verdict.reason, Reason::AskedByAd { .. });
    !verdict.essential && (facts[by.index()].is_ad() || below_ad)
}

/// Returns the verdict by category, party and position.
fn by_category(page: &Page, facts: &[Facts], above: &[Verdict], resource: &Resource) -> Verdict {
    let fact = &facts[resource.id.index()];
    let asked_by = fact.asked_by.filter(|by| above[by.index()].essential);
    if resource.render_blocking {
        let reason = fact.single_point.clone();
        return Verdict::yes(reason.unwrap_or(Reason::RenderBlocking));
    }
    match resource.destination {
        // Players fetch media in segments.
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
        // The effect on paints was computed and shows no need.
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
