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
use pagerace_lab::users::{self, User};
use pagerace_net::Network;
use pagerace_page::{Page, RecordedPage};
use pagerace_papers::{NETWORKS, synthetic_page};

use super::groups::WorkArgs;
use crate::failed::report;
use crate::lists::split_all;
use crate::progress::{Watch, end_soon_on_interrupt};

/// Says what a recording with a layout would bring, if one of the pages has a recording without.
pub(crate) fn layout_advice(pages: &[Arc<Page>]) -> Option<&'static str> {
    let was_recorded = |page: &Page| page.recorded != RecordedPage::default();
    let guessed = |page: &Arc<Page>| page.layout().is_none() && was_recorded(page);
    pages.iter().any(guessed).then_some(
        "Paints without a recorded layout are guesses; pagerace record URL -o site.page records it, \
         which makes verdicts surer.",
    )
}

/// Returns the way to a recorded layout, if the page's recording has none but has bodies that a
/// browser can show.
pub(crate) fn layout_hint(page: &Page) -> &'static str {
    if page.content().is_some() {
        " (pagerace record FILE -o NEW.page measures the layout)"
    } else {
        ""
    }
}

/// Parses the items of a repeatable option, or returns `default` if there are none. A
/// repeated item is an error. Errors name the option.
pub(crate) fn list<T>(option: &str, values: &[String], default: &[T]) -> Result<Vec<T>>
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
pub(crate) fn controllers(values: &[String]) -> Result<Vec<String>> {
    // All names are in lower case.
    let values: Vec<String> = values.iter().map(|v| v.to_ascii_lowercase()).collect();
    let names = list("cc", &values, &["cubic".to_owned()])?;
    match names.iter().find(|name| pagerace_cc::find(name).is_none()) {
        None => Ok(names),
        Some(name) => {
            let name = name.clone();
            Err(Error::from(pagerace_cc::UnknownController { name }).context("--cc"))
        }
    }
}

/// Parses the name of one congestion controller; CUBIC if there is none.
#[cfg(any(feature = "live", feature = "study"))]
pub(crate) fn controller(values: &[String]) -> Result<String> {
    match &controllers(values)?[..] {
        [one] => Ok(one.clone()),
        several => bail!(
            "--cc: expected one congestion controller, found {}",
            several.len()
        ),
    }
}

/// Parses networks; `default` if there are none.
pub(crate) fn networks(values: &[String], default: &[&str]) -> Result<Vec<Network>> {
    networks_in(Path::new(""), values, default)
}

/// Parses networks as [`networks`] does. Paths of traces are relative to `folder`.
pub(crate) fn networks_in(
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

/// Reads a file of users.
pub(crate) fn read_users(path: &Path) -> Result<Vec<User>> {
    let place = || path.display().to_string();
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", place()))?;
    users::parse(&text).map_err(Error::msg).with_context(place)
}

/// Loads recorded pages, gives each a unique name, and fits them to their recordings on the threads
/// of `work`, or on this one without a display of progress. Leaves out recordings that
/// [`readable`] leaves out.
pub(crate) fn pages(
    hars: &[PathBuf],
    page: Option<&String>,
    work: Option<&WorkArgs>,
) -> Result<Vec<Arc<Page>>> {
    let options = ImportOptions {
        page: page.cloned(),
    };
    pages_by(hars, work, &|path| Ok(pagerace_har::load(path, &options)?))
}

/// Loads pages as [`pages`] does. `load` reads a recording.
pub(crate) fn pages_by(
    hars: &[PathBuf],
    work: Option<&WorkArgs>,
    load: &dyn Fn(&Path) -> Result<Page>,
) -> Result<Vec<Arc<Page>>> {
    if work.is_some() {
        end_soon_on_interrupt();
    }
    let mut pages = readable(hars, true, |path| match sequence(path)? {
        Some(page) => Ok(page),
        None => load(path),
    })?;
    let named = pages.iter_mut().map(|(path, page)| (*path, &mut page.name));
    distinguish(named.collect());
    let mut pages: Vec<Page> = pages.into_iter().map(|(_, page)| page).collect();
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

/// Reads each of these files. Reports a file that is no recording of a page on standard error, and
/// leaves it out if there are others and if `lenient`.
///
/// # Errors
/// A file cannot be opened, or the only one, or all of them, are no recordings.
pub(crate) fn readable<T>(
    files: &[PathBuf],
    lenient: bool,
    read: impl Fn(&Path) -> Result<T>,
) -> Result<Vec<(&Path, T)>> {
    let lenient = lenient && files.len() > 1;
    let mut all = Vec::new();
    for path in files {
        match read(path) {
            Ok(one) => all.push((path.as_path(), one)),
            Err(error) if lenient && path.is_file() => report(&error),
            Err(error) => return Err(error),
        }
    }
    if all.is_empty() && lenient {
        bail!(
            "none of the {} files can be read as a recording",
            files.len()
        );
    }
    Ok(all)
}

/// Returns how many of these files were left out, if any were.
pub(crate) fn skipped(files: usize, read: usize) -> Option<String> {
    let skipped = files - read;
    let verb = if skipped == 1 { "was" } else { "were" };
    (skipped > 0).then(|| {
        format!("{skipped} of {files} recordings {verb} skipped; standard error says why.")
    })
}

/// Makes the names of pages distinct: those that several files have, by their folders, and those of
/// files that are given twice, by numbers.
pub(crate) fn distinguish(mut named: Vec<(&Path, &mut String)>) {
    add_folders(&mut named);
    for i in 0..named.len() {
        let (before, rest) = named.split_at_mut(i);
        let others = before.iter().map(|(_, name)| name.as_str());
        *rest[0].1 = free_name(&others, rest[0].1);
    }
}

/// Adds the names of folders to names of pages that several files have, until they differ.
pub(crate) fn add_folders(named: &mut [(&Path, &mut String)]) {
    let stems: Vec<String> = named.iter().map(|(_, name)| (*name).clone()).collect();
    for (i, stem) in stems.iter().enumerate() {
        let alike = |j: &usize| stems[*j] == *stem;
        let twins: Vec<&Path> = (0..stems.len()).filter(alike).map(|j| named[j].0).collect();
        let own = named[i].0;
        let told = |depth: &usize| {
            let here = folders(own, *depth);
            twins
                .iter()
                .all(|other| *other == own || folders(other, *depth) != here)
        };
        // A file that is given twice has no folders of its own.
        let depth = (0..=own.components().count()).find(told).unwrap_or(0);
        *named[i].1 = folders(own, depth) + stem;
    }
}

/// Returns the last `depth` folders of a file's path, each with a slash.
fn folders(path: &Path, depth: usize) -> String {
    let folder = path.parent().unwrap_or(Path::new(""));
    let all: Vec<_> = folder.iter().map(|name| name.to_string_lossy()).collect();
    let last = &all[all.len().saturating_sub(depth)..];
    last.iter().flat_map(|name| [name.as_ref(), "/"]).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_named_by_folders_where_files_share_a_name() {
        let named = |files: &[&str]| -> Vec<String> {
            let names = files.iter().map(|file| pagerace_har::page_name(file));
            let mut names: Vec<String> = names.map(str::to_owned).collect();
            distinguish(files.iter().map(Path::new).zip(&mut names).collect());
            names
        };
        assert_eq!(named(&["x/news.har", "shop.har.gz"]), ["news", "shop"]);
        assert_eq!(
            named(&["old/news.har", "new/news.page.gz", "b.har"]),
            ["old/news", "new/news", "b"]
        );
        assert_eq!(named(&["news.har", "new/news.har"]), ["news", "new/news"]);
        assert_eq!(
            named(&["a/x/news.har", "b/x/news.har"]),
            ["a/x/news", "b/x/news"]
        );
        assert_eq!(named(&["news.har", "news.har"]), ["news", "news (2)"]);
        assert_eq!(
            named(&["x/news.har", "x/news.page", "y/news.har"]),
            ["news", "news (2)", "y/news"]
        );
    }
}
