//! `pagerace record`: records a page in Chromium to a file.

mod args;
mod measure;
mod source;
mod summary;

use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, bail};
use clap::Parser as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use pagerace_chromium::record::{Loads, RecordOptions, Recorded, record};
use pagerace_chromium::{Browser, Options};
use pagerace_har::Device;
use pagerace_lab::Progress;
use pagerace_lab::export::file::write_atomically;
use pagerace_lab::unit::percent;
use pagerace_live::link::RunDirectory;
use serde_json::Value;
use url::Url;

use crate::cli::files::check_files;
use crate::cli::groups::ProgressArgs;
use crate::cli::warn::warn;
use crate::progress::{Watch, clean_up_on_interrupt};
use args::RecordArgs;
pub(super) use measure::Measure;
use source::{Served, Source};
use summary::Summary;

pub(crate) fn run(args: &RecordArgs) -> Result<()> {
    check_files(&[&args.output], &[PathBuf::from(&args.source)])?;
    let source = Source::parse(&args.source, args.root.as_deref())?;
    let device = match &args.device {
        Some(name) => Device::named(name)?,
        None => source.device().unwrap_or_else(Device::desktop),
    };
    let site = source.serve(&args.host)?;
    let record_options = RecordOptions {
        keep_secrets: args.keep_secrets,
        settle: args.settle,
        deadline: args.deadline,
        at_once: source.is_files(),
    };
    let chromium = args.chromium.as_deref();
    let progress = args.progress.watch("loads");
    progress.start("recording", 0);
    let har = load(
        source.url(),
        site.as_ref(),
        device,
        chromium,
        &record_options,
        &progress,
    )?;
    write(&args.output, &har)?;
    let deviations = site.map(Served::stop).unwrap_or_default();
    let summary = Summary::of(&har, deviations);
    summary.print(&mut anstream::stdout().lock(), &args.output)?;
    Ok(())
}

/// Returns the recording of a page of the web, or of one that we serve.
fn load(
    url: &Url,
    site: Option<&Served>,
    device: Device,
    chromium: Option<&Path>,
    record_options: &RecordOptions,
    progress: &Watch,
) -> Result<Value> {
    let scratch = Scratch::new()?;
    let mut options = Options::new(&scratch.path);
    options.executable = chromium.map(Path::to_owned);
    options.device = device;
    if let Some(site) = site {
        options.rules.extend(site.rules());
        options.spki = site.keys();
    } else {
        options.online = true;
    }
    let spawn = |mut command: process::Command| command.spawn();
    let launch = || Browser::launch(&options, &spawn);
    let mut tell = |loads: Loads| {
        progress.extend(loads.all);
        let (done, total) = (loads.done, loads.all);
        let _ = progress.tell(Progress { done, total });
    };
    let Recorded { har, disturbed } = record(&launch, url.as_str(), record_options, &mut tell)?;
    progress.clear();
    if let Some(others) = disturbed {
        warn(&format!(
            "{url}: other programs used {} of the processors while the page's work was timed, so its \
             scripts may seem slower than they are; stop other programs and record it again",
            percent(others)
        ));
    }
    Ok(har)
}

/// Records a page of the web with the default options, to a file named after its host in
/// the current directory.
pub(super) fn record_site(url: &str, progress: &ProgressArgs) -> Result<PathBuf> {
    let parsed = Url::parse(url).with_context(|| url.to_owned())?;
    let host = parsed
        .host_str()
        .with_context(|| format!("{url}: has no host"))?;
    let file = format!("{host}.page");
    if Path::new(&file).exists() {
        bail!("{url}: {file} already exists; race that file, or remove it");
    }
    let mut args = RecordArgs::try_parse_from(["record", url, "-o", &file])?;
    args.progress = progress.clone();
    run(&args).with_context(|| format!("{url}: `pagerace record {url} -o {file}` failed"))?;
    Ok(file.into())
}

/// Writes the complete file or none.
fn write(path: &Path, har: &Value) -> Result<()> {
    let compressed = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    write_atomically(path, |out| {
        if compressed {
            let mut encoder = GzEncoder::new(&mut *out, Compression::default());
            serde_json::to_writer(&mut encoder, har)?;
            encoder.finish()?.flush()
        } else {
            serde_json::to_writer_pretty(&mut *out, har)?;
            writeln!(out)
        }
    })?;
    Ok(())
}

/// A folder for the browser's files. On drop or interrupt the browser is killed and the
/// folder removed.
struct Scratch {
    directory: Arc<Mutex<Option<RunDirectory>>>,
    path: PathBuf,
}

impl Scratch {
    fn new() -> Result<Self> {
        let directory = RunDirectory::create()?;
        let path = directory.path().to_owned();
        let directory = Arc::new(Mutex::new(Some(directory)));
        let again = Arc::clone(&directory);
        clean_up_on_interrupt(Some(Box::new(move || remove(&again))));
        Ok(Self { directory, path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.directory);
        clean_up_on_interrupt(None);
    }
}

fn remove(directory: &Mutex<Option<RunDirectory>>) {
    // Hold the lock until the removal is complete, so that the process does not exit
    // earlier.
    let mut directory = directory.lock().unwrap_or_else(PoisonError::into_inner);
    drop(directory.take());
}
