//! The calibration of films.

use anyhow::{Result, bail};
use pagerace_calibration::films::{Beside, beside, design, sections};
use pagerace_calibration::markdown::page;
use pagerace_calibration::tables::Extent;
use pagerace_lab::Plan;

use super::kept::{Kept, is_of};
use super::pages::Pages;
use super::{CalibrateArgs, measure, pages, print_sections};
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
    for part in &design {
        part.check()?;
    }
    let kept = Kept::new(args, &pages.models)?;
    for path in args.models.iter().filter(|_| !args.pages.is_empty()) {
        pages::keep(path, &pages.models)?;
    }
    let watch = args.progress.watch("loads");
    let observations = measure::observations(args, &design, pages, kept, &watch)?;

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
    print_sections(&sections(
        &compared,
        &observations,
        &command,
        Extent::Terminal,
    ))?;
    if let Some(path) = &args.output {
        write_text(
            path,
            &page(&sections(&compared, &observations, &command, Extent::Page)),
        )?;
    }
    Ok(())
}
