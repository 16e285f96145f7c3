//! `pagerace page --essential`: the essential resources of a page, with reasons.

mod show;

use std::io::Write as _;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use pagerace_browser::BrowserConfig;
use pagerace_page::Page;

use crate::cli::needs::{NeedArgs, Needs};

/// Options of the assessment.
#[derive(Args, Debug)]
pub(crate) struct EssentialArgs {
    /// Show which requests are essential (a reader would miss them), which are useful in
    /// part, and why.
    #[arg(long, help_heading = "Essential")]
    pub(super) essential: bool,
    #[command(flatten, next_help_heading = "Essential")]
    needs: NeedArgs,
}

impl EssentialArgs {
    /// Rejects options that have no effect without `--essential`.
    pub(super) fn check(&self) -> Result<()> {
        if !self.essential && !self.needs.is_empty() {
            bail!("--ad-list, --essential-if and --non-essential-if need --essential; add it");
        }
        Ok(())
    }
}

pub(super) fn run(args: &EssentialArgs, page: Page, json: bool) -> Result<()> {
    let page = Arc::new(page);
    let deciders = args.needs.read()?;
    let Needs { assessments, .. } = deciders.assess(&page, &BrowserConfig::default())?;
    let mut out = anstream::stdout().lock();
    if json {
        let value = show::json(&page, &assessments);
        serde_json::to_writer_pretty(&mut out, &value)
            .context("the assessment cannot be printed")?;
        writeln!(out)?;
    } else {
        show::write(&mut out, &page, &assessments)?;
    }
    Ok(())
}
