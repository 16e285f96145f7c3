//! Live loads, each of which is stored in a file immediately.

use anyhow::{Result, bail};
use pagerace_calibration::Observations;
use pagerace_lab::export::file::check_writable;
use pagerace_lab::{Load, Plan, interleaved};
use pagerace_live::LiveError;

use super::super::live::session::LiveSession;
use super::kept::Kept;
use super::opinion;
use super::pages::Pages;
use super::{CalibrateArgs, pages};
use crate::cli::warn::warn;
use crate::progress::Watch;

/// Number of runs that all parts of the design get before any part gets more.
const RUNS_AT_ONCE: usize = 2;

/// One load of a part of the design.
#[derive(Clone, Copy, Debug)]
struct Step {
    part: usize,
    load: Load,
}

/// Returns the observations of the design: those that are in the file, and those measured now.
/// Keeps the pages' models first.
pub(super) fn observations(
    args: &CalibrateArgs,
    design: &[Plan],
    mut pages: Pages,
    watch: &Watch,
) -> Result<Observations> {
    for part in design {
        part.check()?;
    }
    let models = std::mem::take(&mut pages.models);
    let mut kept = Kept::new(args, &models)?;
    for path in args.models.iter().filter(|_| !args.pages.is_empty()) {
        pages::keep(path, &models)?;
    }
    let wanted = |plan: &Plan| args.offline || pages.are_served(&plan.pages[0].name);
    let wanted: Vec<bool> = design.iter().map(wanted).collect();
    // Changes are judged one by one, so that a part is worth most when it is complete.
    let at_once = match args.changes {
        Some(_) => args.loads.runs() as usize,
        None => RUNS_AT_ONCE,
    };
    let mut missing = missing(design, &wanted, &kept, at_once);
    if !args.offline {
        let all = missing.len();
        missing.retain(|step| !kept.is_of_another_setting(&design[step.part], step.load));
        let elsewhere = all - missing.len();
        if elsewhere > 0 {
            warn(&format!(
                "{elsewhere} loads are skipped: their combinations were measured in another setting \
                 (machine, kernel, --cpu or --no-speed-index), and all loads of a combination share \
                 one"
            ));
        }
    }
    let unasked = if args.lighthouse {
        kept.unasked(design)
    } else {
        Vec::new()
    };
    if missing.is_empty() && unasked.is_empty() {
        return Ok(kept.of(design));
    }
    if args.offline {
        let all: usize = design.iter().map(Plan::loads).sum();
        if missing.len() == all {
            bail!("--offline: the file of --observations holds no load of these pages");
        }
        warn(&format!(
            "{} of {all} loads are not in the file, and are left out of the comparison",
            missing.len()
        ));
        return Ok(kept.of(design));
    }
    if let Some(path) = &args.observations {
        check_writable(path)?;
    }
    for served in &mut pages.served {
        for plan in design {
            if plan.pages[0].name == served.page.name {
                served.prepare(plan)?;
            }
        }
    }
    let mut session = LiveSession::open(pages.served, &args.world)?;
    kept.check_browser(session.browser())?;
    let total = unasked.len();
    watch.start("Lighthouse", total);
    for (index, part) in unasked.into_iter().enumerate() {
        let said = opinion::ask(&mut session, &design[part])?;
        kept.add_opinion(said)?;
        watch.step(index + 1, total)?;
    }
    let total = missing.len();
    watch.start("loading", total);
    let mut done = 0;
    let disturbed = loads(design, &missing, &mut session, &mut kept, watch, &mut done)?;
    // Retry the disturbed loads, as the machine may be quieter now.
    done -= disturbed.len();
    let again = loads(
        design,
        &disturbed,
        &mut session,
        &mut kept,
        watch,
        &mut done,
    )?;
    if !again.is_empty() {
        warn(&format!(
            "{} loads were disturbed twice and are missing; run the same command again to measure \
             them",
            again.len()
        ));
    }
    watch.clear();
    Ok(kept.of(design))
}

/// Runs these loads and returns those that the machine disturbed.
fn loads(
    design: &[Plan],
    steps: &[Step],
    session: &mut LiveSession,
    kept: &mut Kept<'_>,
    watch: &Watch,
    done: &mut usize,
) -> Result<Vec<Step>> {
    let mut disturbed = Vec::new();
    let total = *done + steps.len();
    for &step in steps {
        let plan = &design[step.part];
        match session.load(plan, step.load) {
            Ok(measured) => {
                kept.add(plan, step.load, &measured)?;
                let place = place(plan, step.load);
                watch.log(&format!("{place}: {}", kept.say(plan, step.load)));
            }
            Err(error) if is_disturbance(&error) => {
                watch.log(&format!(
                    "{}: left for later: {error:#}",
                    place(plan, step.load)
                ));
                disturbed.push(step);
            }
            Err(error) => return Err(error),
        }
        *done += 1;
        watch.step(*done, total)?;
    }
    Ok(disturbed)
}

fn is_disturbance(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(LiveError::Disturbed { .. }))
}

/// Returns text such as "shop, cable, h3 cubic cold sequential, run 2".
fn place(plan: &Plan, load: Load) -> String {
    format!(
        "{}, {}, {}, run {}",
        plan.pages[load.page].name,
        plan.networks[load.network].name,
        plan.contenders[load.contender],
        load.run + 1
    )
}

/// Returns the loads that are missing of the `wanted` parts: some runs of all parts, then more.
/// Within a part contenders take turns run by run, so that drift affects all of them equally.
fn missing(design: &[Plan], wanted: &[bool], kept: &Kept<'_>, at_once: usize) -> Vec<Step> {
    let runs = design.iter().map(|plan| plan.runs as usize).max();
    let rounds = (0..runs.unwrap_or(0)).step_by(at_once);
    let of_part = |(part, plan): (usize, &Plan), from: usize| {
        let loads = interleaved(plan);
        let here = loads.filter(|load| (from..from + at_once).contains(&load.run));
        let steps = here.map(|load| Step { part, load });
        let new = steps.filter(|step| !kept.has(plan, step.load));
        new.collect::<Vec<Step>>()
    };
    rounds
        .flat_map(|from| {
            let parts = design.iter().enumerate();
            let parts = parts.filter(|(part, _)| wanted[*part]);
            parts.flat_map(move |part| of_part(part, from))
        })
        .collect()
}
