//! Pages, networks and contenders from arguments.

use std::fmt::Display;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context as _, Error, Result, bail};
use pagerace_core::parallel;
use pagerace_har::{ImportOptions, TransferSequence};
use pagerace_lab::Progress;
use pagerace_net::Network;
use pagerace_page::Page;
use pagerace_papers::{NETWORKS, synthetic_page};

use crate::cli::WorkArgs;
use crate::lists::split_all;
use crate::progress::Watch;

/// Returns the way to a recorded layout, if the page's recording has none but has bodies that a
/// browser can show.
pub(super) fn layout_hint(page: &Page) -> &'static str {
    if page.content.is_some() {
        " (pagerace record FILE -o NEW.page measures the layout)"
    } else {
        ""
    }
}

/// Returns the number of threads: the requested one, or all cores.
pub(crate) fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(
        || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    )
}

/// Parses the items of a repeatable option, or returns `default` if there are none. A
/// repeated item is an error. Errors name the option.
pub(super) fn list<T>(option: &str, values: &[String], default: &[T]) -> Result<Vec<T>>
where
    T: FromStr + PartialEq + Display + Clone,
    Error: From<T::Err>,
{
    let mut items: Vec<T> = Vec::new();
    for text in split_all(option, values)? {
        let item: T = text
            .parse()
            .map_err(Error::from)
            .with_context(|| format!("--{option}"))?;
        if items.contains(&item) {
            bail!("--{option}: {item} is given twice");
        }
        items.push(item);
    }
    Ok(if items.is_empty() {
        default.to_vec()
    } else {
        items
    })
}

/// Parses names of congestion controllers; CUBIC if there are none.
pub(super) fn controllers(values: &[String]) -> Result<Vec<String>> {
    let names = list("cc", values, &["cubic".to_owned()])?;
    let known = |name: &String| pagerace_cc::registry().iter().any(|info| info.name == name);
    match names.iter().find(|name| !known(name)) {
        None => Ok(names),
        Some(name) => {
            let name = name.clone();
            Err(Error::from(pagerace_cc::UnknownController { name }).context("--cc"))
        }
    }
}

/// Parses the name of one congestion controller; CUBIC if there is none.
#[cfg(any(feature = "live", feature = "study"))]
pub(super) fn controller(values: &[String]) -> Result<String> {
    match &controllers(values)?[..] {
        [one] => Ok(one.clone()),
        several => bail!(
            "--cc: expected one congestion controller, found {}",
            several.len()
        ),
    }
}

/// Parses networks; `default` if there are none.
pub(super) fn networks(values: &[String], default: &[&str]) -> Result<Vec<Network>> {
    networks_in(Path::new(""), values, default)
}

/// Parses networks as [`networks`] does. Paths of traces are relative to `folder`.
pub(super) fn networks_in(
    folder: &Path,
    values: &[String],
    default: &[&str],
) -> Result<Vec<Network>> {
    let mut names = split_all("network", values)?;
    if names.is_empty() {
        names = default.iter().map(|name| (*name).to_owned()).collect();
    }
    names
        .iter()
        .map(|name| {
            Network::parse_with(name, &NETWORKS, folder)
                .context("--network (all names: pagerace list networks)")
        })
        .collect()
}

/// Loads recorded pages, gives each a unique name, and fits them to their recordings on the threads
/// of `work`, or on this one without a display of progress.
pub(crate) fn pages(
    hars: &[PathBuf],
    page: Option<&String>,
    work: Option<&WorkArgs>,
) -> Result<Vec<Arc<Page>>> {
    let options = ImportOptions {
        page: page.cloned(),
    };
    let mut pages: Vec<Page> = Vec::new();
    for path in hars {
        let mut page = match sequence(path)? {
            Some(page) => page,
            None => pagerace_har::load(path, &options)?,
        };
        page.name = free_name(&pages.iter().map(|page| page.name.as_str()), &page.name);
        pages.push(page);
    }
    let jobs = work.map_or(1, WorkArgs::jobs);
    let shown = work.is_some_and(|work| work.progress.shown());
    fit(pages.iter_mut().collect(), jobs, shown)?;
    Ok(pages.into_iter().map(Arc::new).collect())
}

/// Fits pages to their recordings on `jobs` threads. `shown` tells whether to show progress.
pub(crate) fn fit(pages: Vec<&mut Page>, jobs: usize, shown: bool) -> Result<()> {
    let watch = Watch::spinner(shown, "recordings");
    let total = pages.len();
    watch.start("fitting pages to their recordings", total);
    let fitted = |(): &mut (), i: usize| {
        let mut page = Page::clone(pages[i]);
        pagerace_sim::fit(&mut page).map(|()| page)
    };
    let tell = |done| watch.tell(Progress { done, total });
    let fitted = parallel::map(jobs, total, &fitted, &tell).expect("a spinner takes no interrupts");
    for (page, fitted) in pages.into_iter().zip(fitted) {
        *page = fitted?;
    }
    Ok(())
}

/// Loads a transfer sequence as a page, if `path` is a JSON file with an array. The name
/// of a study's page is accepted, too, unless there is a file of that name.
fn sequence(path: &Path) -> Result<Option<Page>> {
    let name = path.to_string_lossy();
    if !path.exists()
        && let Some(sequence) = synthetic_page(&name).map_err(Error::msg)?
    {
        return Ok(Some(sequence.to_page(&name)));
    }
    let mut head = [0; 64];
    let read = File::open(path).and_then(|mut file| file.read(&mut head));
    // The importer reports a file that cannot be read.
    let text = head[..read.unwrap_or(0)].trim_ascii_start();
    if !text.starts_with(b"[") {
        return Ok(None);
    }
    let sequence = TransferSequence::load(path)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // Exports have fixed file names. The folder has the name of the page.
    let folder = path.parent().and_then(Path::file_name);
    let name = folder.map_or(stem.clone(), |folder| folder.to_string_lossy());
    let name = if stem == "transfer_sequence" {
        name
    } else {
        stem
    };
    Ok(Some(sequence.to_page(&name)))
}

/// Returns `name`, or `name (2)` and so on if another page has it.
pub(crate) fn free_name<'a>(
    others: &(impl Iterator<Item = &'a str> + Clone),
    name: &str,
) -> String {
    let taken = |candidate: &str| others.clone().any(|other| other == candidate);
    let mut numbered = (2..).map(|number| format!("{name} ({number})"));
    if taken(name) {
        numbered
            .find(|candidate| !taken(candidate))
            .expect("numbers do not end")
    } else {
        name.to_owned()
    }
}
