//! Options that studies and recommendations share.

use std::path::PathBuf;

use clap::Args;
use pagerace_study::frame::Filter;

/// Loads of some groups.
#[derive(Args, Clone, Debug)]
pub(crate) struct FilterArgs {
    /// Only loads with this value of a column; may be given several times.
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition)]
    conditions: Vec<(String, String)>,
}

impl FilterArgs {
    /// Returns the values that each column may have.
    pub(crate) fn filter(&self) -> Filter {
        let mut filter = Filter::new();
        for (column, value) in &self.conditions {
            let values = filter.entry(column.clone()).or_default();
            values.push(value.clone());
        }
        filter
    }
}

/// Parses an item of `--where`.
fn condition(text: &str) -> Result<(String, String), String> {
    let (column, value) = text
        .split_once('=')
        .ok_or_else(|| "write it as network=cable: a column and its value".to_owned())?;
    Ok((column.to_owned(), value.to_owned()))
}

/// Recordings for a plan.
#[derive(Args, Clone, Debug)]
pub(crate) struct PagesArgs {
    /// Recordings in place of the plan's pages; may be given several times, as in
    /// 'small=pages/small/*.har' --pages 'large=pages/large/*.har'.
    #[arg(long, value_name = "[GROUP=]FILES")]
    pub(crate) pages: Vec<String>,
}

/// The results of a plan.
#[derive(Args, Clone, Debug)]
pub(crate) struct FolderArgs {
    /// Folder of the plan's results. [default: results, beside the plan]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
