//! Requirements of pages on their objects, for reliability policies.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use pagerace_browser::BrowserConfig;
use pagerace_core::parallel;
use pagerace_essential::ads::Matchers;
use pagerace_essential::{Assessment, Overrides, assess};
use pagerace_lab::Plan;
use pagerace_page::intervention::Selector;
use pagerace_page::{Page, PaintEffect, ResourceId};
use pagerace_sim::{Counterfactuals, ObjectNeed};

#[cfg(feature = "filter-lists")]
use super::ad_list::AdLists;
use super::groups::jobs;
use super::warn::warn;
use crate::lists::split_all;

/// Options that decide which resources are essential.
#[derive(Args, Clone, Debug)]
pub(crate) struct NeedArgs {
    /// Filter list of an ad blocker, or a hosts file; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) ad_list: Vec<PathBuf>,

    /// Requests to treat as essential, by category, host or URL: fonts, cdn.example, "*/app.js*".
    #[arg(long, value_name = "LIST")]
    pub(crate) essential_if: Vec<String>,

    /// Requests to treat as not essential. --essential-if takes precedence.
    #[arg(long, value_name = "LIST")]
    pub(crate) non_essential_if: Vec<String>,
}

/// The parsed options that decide which resources are essential.
pub(crate) struct Deciders {
    pub(crate) overrides: Overrides,
    pub(crate) ads: Matchers,
}

impl NeedArgs {
    /// Returns true if no option is given.
    pub(crate) fn is_empty(&self) -> bool {
        let lists = [&self.essential_if, &self.non_essential_if];
        self.ad_list.is_empty() && lists.iter().all(|list| list.is_empty())
    }

    /// Reads the lists and parses the selectors.
    pub(crate) fn read(&self) -> Result<Deciders> {
        let overrides = Overrides {
            essential: selectors("essential-if", &self.essential_if)?,
            non_essential: selectors("non-essential-if", &self.non_essential_if)?,
        };
        let ads = if self.ad_list.is_empty() {
            Matchers::built_in()
        } else {
            self.matchers().context("--ad-list")?
        };
        Ok(Deciders { overrides, ads })
    }

    #[cfg(feature = "filter-lists")]
    fn matchers(&self) -> Result<Matchers> {
        Ok(Matchers::built_in().after(AdLists::read(&self.ad_list)?))
    }

    #[cfg(not(feature = "filter-lists"))]
    fn matchers(&self) -> Result<Matchers> {
        let first = self.ad_list[0].display();
        anyhow::bail!("{first}: this build reads no filter lists; build the feature filter-lists")
    }
}

/// The requirements of a page.
pub(crate) struct Needs {
    /// Assessments of the resources, in page order.
    pub(crate) assessments: Vec<Assessment>,
    /// Effects of each resource on the paints, in page order.
    effects: Vec<PaintEffect>,
}

impl Deciders {
    /// Adds the requirements of its pages to a plan whose policies ask for them.
    pub(crate) fn add_to(&self, plan: &mut Plan) -> Result<()> {
        if plan.has_policies() {
            plan.needs = needs(&plan.pages, self, &plan.browser)?;
        } else {
            plan.pages
                .iter()
                .for_each(|page| self.warn_of_unmatched(page));
        }
        Ok(())
    }

    fn warn_of_unmatched(&self, page: &Page) {
        for selector in self.overrides.unmatched(page) {
            warn(&format!("{selector} selects no request of {}", page.name));
        }
    }

    /// Assesses `page`. Errors in overrides are reported before the long computation.
    pub(crate) fn assess(&self, page: &Arc<Page>, browser: &BrowserConfig) -> Result<Needs> {
        let Self { overrides, ads } = self;
        self.warn_of_unmatched(page);
        let told = "--non-essential-if";
        assess(page, ads, None, overrides).context(told)?;
        let effects = effects(page, browser);
        let assessments = assess(page, ads, Some(&effects), overrides).context(told)?;
        Ok(Needs {
            assessments,
            effects,
        })
    }
}

/// Returns whether paints need each resource, in page order. Computes on all cores.
fn effects(page: &Arc<Page>, browser: &BrowserConfig) -> Vec<PaintEffect> {
    let loads = Counterfactuals::new(page, browser);
    let ids = page.resources.iter().map(|r| r.id);
    let ids: Vec<ResourceId> = ids.filter(|id| loads.matters(*id)).collect();
    let found = parallel::all(jobs(None), ids.len(), |i| loads.effect(ids[i]));
    let mut effects = vec![PaintEffect::default(); page.resources.len()];
    for (id, effect) in ids.into_iter().zip(found) {
        effects[id.index()] = effect;
    }
    effects
}

/// Returns the requirements of each page by resource.
fn needs(
    pages: &[Arc<Page>],
    deciders: &Deciders,
    browser: &BrowserConfig,
) -> Result<Vec<Arc<Vec<ObjectNeed>>>> {
    let of = |page: &Arc<Page>| -> Result<Arc<Vec<ObjectNeed>>> {
        let needs = deciders.assess(page, browser)?;
        let need = |(a, effect): (&Assessment, &PaintEffect)| ObjectNeed {
            essential: a.essential,
            whole: a.whole,
            seen: effect.is_seen(),
        };
        let all = needs.assessments.iter().zip(&needs.effects).map(need);
        Ok(Arc::new(all.collect()))
    };
    pages.iter().map(of).collect()
}

fn selectors(option: &str, values: &[String]) -> Result<Vec<Selector>> {
    let read =
        |text: String| -> Result<Selector> { text.parse().with_context(|| format!("--{option}")) };
    split_all(option, values)?.into_iter().map(read).collect()
}
