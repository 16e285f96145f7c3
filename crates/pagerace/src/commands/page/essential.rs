//! `pagerace page --essential`: what of a page is essential, and why.

mod paints;
mod show;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use pagerace_browser::BrowserConfig;
use pagerace_page::Page;
use pagerace_page::ads::Matchers;
use pagerace_page::essential::{Overrides, assess};
use pagerace_page::intervention::Selector;

use crate::commands::ad_list::AdLists;
use crate::commands::warn::warn;
use crate::lists::split_all;

/// What decides which resources are essential.
#[derive(Args, Debug)]
pub(crate) struct EssentialArgs {
    /// Tell what of the page is essential: what a reader would miss; what is of use
    /// in part; and why.
    #[arg(long, help_heading = "Essential")]
    pub(super) essential: bool,
    /// A filter list of ad blockers, or a hosts file; may be given several times.
    /// What it excepts is no advertisement.
    #[arg(
        long,
        value_name = "FILE",
        requires = "essential",
        help_heading = "Essential"
    )]
    ad_list: Vec<PathBuf>,
    /// Take for essential, by category, host or URL, separated by commas: fonts,
    /// cdn.example, "*/app.js*".
    #[arg(
        long,
        value_name = "LIST",
        requires = "essential",
        help_heading = "Essential"
    )]
    essential_if: Vec<String>,
    /// Take for not essential, likewise; what --essential-if selects, too, is
    /// essential. The document always is.
    #[arg(
        long,
        value_name = "LIST",
        requires = "essential",
        help_heading = "Essential"
    )]
    non_essential_if: Vec<String>,
}

pub(super) fn run(args: &EssentialArgs, page: Page, json: bool) -> Result<()> {
    let overrides = Overrides {
        essential: selectors("essential-if", &args.essential_if)?,
        non_essential: selectors("non-essential-if", &args.non_essential_if)?,
    };
    let mut ads = Matchers::built_in();
    if !args.ad_list.is_empty() {
        ads = ads.after(AdLists::read(&args.ad_list).context("--ad-list")?);
    }
    for selector in overrides.unmatched(&page) {
        warn(&format!("{selector} selects nothing of {}", page.name));
    }
    // Mistakes are told before the long work.
    assess(&page, &ads, None, &overrides).context("--non-essential-if")?;
    let page = Arc::new(page);
    let effects = paints::effects(&page, &BrowserConfig::default());
    let assessments =
        assess(&page, &ads, Some(&effects), &overrides).context("--non-essential-if")?;
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

fn selectors(option: &str, values: &[String]) -> Result<Vec<Selector>> {
    let read =
        |text: String| -> Result<Selector> { text.parse().with_context(|| format!("--{option}")) };
    split_all(option, values)?.into_iter().map(read).collect()
}
