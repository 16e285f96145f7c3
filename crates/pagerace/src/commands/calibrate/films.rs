//! The calibration of films.

use anyhow::{Result, bail};
use pagerace_calibration::films::{Beside, beside, design, sections};
use pagerace_calibration::markdown::page;
use pagerace_lab::Plan;

use super::kept::is_of;
use super::pages::Pages;
use super::{CalibrateArgs, measure, print_sections};
use crate::cli::files::{rerun, write_text};
use crate::cli::groups::jobs;
use crate::cli::simulate::load;

pub(super) fn run(args: &CalibrateArgs, all: &Plan, pages: Pages) -> Result<()> {
    let mut bare = all.pages.iter();
    let is_bare = |page: &pagerace_page::Page| page.layout().is_none_or(|l| l.pictures.is_none());
    if let Some(page) = bare.find(|page| is_bare(page)) {
        bail!(
            "{}: the recording has no pictures, of which a film is made; record the page again with \
             `pagerace record`",
            page.name
        );
    }
    let design = design(all);
    let watch = args.progress.watch("loads");
    let observations = measure::observations(args, &design, pages, &watch)?;

    watch.start("filming", design.len());
    let mut compared: Vec<Beside> = Vec::new();
    for (index, plan) in design.iter().enumerate() {
        let mut own = observations.observations.iter();
        if let Some(own) = own.find(|one| is_of(plan, 0, one)) {
            let mut plan = plan.clone();
            plan.browser.cpu = observations.settings[own.setting].cpu;
            compared.extend(beside(&plan, own, jobs(None), &load, &|_| watch.go_on())?);
        }
        watch.step(index + 1, design.len())?;
    }
    watch.clear();
    if compared.is_empty() {
        bail!("no load has screenshots; measure again with --films, into another file");
    }
    let command = rerun();
    let (mut all, further) = sections(&compared, &observations, &command);
    print_sections(&all)?;
    if let Some(path) = &args.output {
        all.extend(further);
        write_text(path, &page(&all))?;
    }
    Ok(())
}
