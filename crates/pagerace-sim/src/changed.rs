//! Loads of pages that were changed before.

use std::borrow::Cow;
use std::sync::Arc;

use pagerace_page::change::Kept;
use pagerace_page::timeline::{Paint, Part};
use pagerace_page::{Changes, Element, ElementKind, Page, ResourceId};

use crate::explain::Step;
use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// A scenario whose changes were made.
pub(crate) struct Changed<'a> {
    scenario: Cow<'a, Scenario>,
    /// The page before the changes.
    before: &'a Page,
    kept: Option<Kept>,
}

impl<'a> Changed<'a> {
    pub(crate) fn new(scenario: &'a Scenario) -> Self {
        let changes = Some(&scenario.changes).filter(|changes| !changes.is_empty());
        let Some(Ok(changed)) = changes.map(|changes| changes.apply(&scenario.page)) else {
            return Self {
                scenario: Cow::Borrowed(scenario),
                before: &scenario.page,
                kept: None,
            };
        };
        let before = &scenario.page;
        let scenario = Scenario {
            page: Arc::new(changed.page),
            changes: Changes::default(),
            needs: Arc::new(changed.kept.select(&scenario.needs)),
            ..scenario.clone()
        };
        Self {
            scenario: Cow::Owned(scenario),
            before,
            kept: Some(changed.kept),
        }
    }

    /// Returns the scenario after the changes.
    pub(crate) fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Returns the outcome with the places of the page before the changes.
    pub(crate) fn restore(&self, mut outcome: Outcome) -> Outcome {
        let Some(kept) = &self.kept else {
            return outcome;
        };
        outcome.resources = kept.spread(outcome.resources);
        outcome.objects = kept.spread(outcome.objects);
        let before = kept.before();
        let back = |id: &mut ResourceId| *id = before[id.index()];
        outcome.unanswered.iter_mut().for_each(back);
        if let Some(trace) = &mut outcome.trace {
            trace
                .frames
                .iter_mut()
                .for_each(|frame| back(&mut frame.resource));
            trace
                .hol_gaps
                .iter_mut()
                .for_each(|gap| back(&mut gap.resource));
            let elements = elements_before(self.before, &self.scenario.page);
            for Paint { part, .. } in &mut trace.paints {
                match part {
                    Part::Image(resource) => back(resource),
                    Part::Block(number) => {
                        *number = elements.get(*number as usize).copied().unwrap_or(*number);
                    }
                }
            }
        }
        outcome
    }

    /// Returns the path with the places of the page before the changes.
    pub(crate) fn restore_path(&self, mut path: Vec<Step>) -> Vec<Step> {
        if let Some(kept) = &self.kept {
            let before = kept.before();
            for step in &mut path {
                step.resource = before[step.resource.index()];
            }
        }
        path
    }
}

/// Returns the places, in the layout before changes, of the elements that are still there. Changes
/// keep the order of elements, and where they are.
fn elements_before(before: &Page, after: &Page) -> Vec<u32> {
    let elements = |page: &Page| page.layout().map_or_else(Vec::new, |l| l.elements.clone());
    let (before, after) = (elements(before), elements(after));
    let kind = |element: &Element| std::mem::discriminant::<ElementKind>(&element.kind);
    let mut all = before.iter().zip(0_u32..);
    let same = after.iter().map_while(|element| {
        let all = all.by_ref();
        all.find(|(one, _)| one.rect == element.rect && kind(one) == kind(element))
    });
    same.map(|(_, place)| place).collect()
}
