//! `pagerace record`: a page, as Chromium loads it, into a file.

mod source;
mod summary;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use pagerace_chromium::record::{RecordOptions, record};
use pagerace_chromium::{Browser, Device, Options};
use pagerace_lab::export::file::{check_writable, write_atomically};
use pagerace_live::link::RunDirectory;
use serde_json::Value;

use crate::cli::record::RecordArgs;
use source::Source;
use summary::Summary;

pub(crate) fn run(args: &RecordArgs) -> Result<()> {
    check_writable(&args.output)?;
    let source = Source::parse(&args.source, args.root.as_deref())?;
    let site = source.serve()?;
    let scratch = Scratch::new()?;
    let mut options = Options::new(&scratch.path);
    options.executable.clone_from(&args.chromium);
    options.device = Device::named(&args.device)?;
    if let Some(site) = &site {
        options.rules.push(site.rule());
        options.spki = site.keys();
    } else {
        options.online = true;
    }
    let record_options = RecordOptions {
        keep_secrets: args.keep_secrets,
        settle: args.settle,
        deadline: args.deadline,
    };
    let mut browser = Browser::launch(&options, &|mut command: Command| command.spawn())?;
    let har = record(&mut browser, source.url().as_str(), &record_options)?;
    browser.close();
    let unknown = site.map(source::Served::stop).unwrap_or_default();
    write(&args.output, &har)?;
    let summary = Summary::of(&har, unknown);
    summary.print(&mut anstream::stdout().lock(), &args.output)?;
    Ok(())
}

/// The whole file or none.
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

/// A folder for the browser's files. It is removed, and the browser ended, when
/// it is dropped or the command is interrupted.
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
        // Without a handler the next run clears away what an interrupted one left.
        let _ = ctrlc::set_handler(move || {
            remove(&again);
            std::process::exit(130);
        });
        Ok(Self { directory, path })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.directory);
    }
}

fn remove(directory: &Mutex<Option<RunDirectory>>) {
    // Held until it is done: the process must not end before.
    let mut directory = directory.lock().unwrap_or_else(PoisonError::into_inner);
    drop(directory.take());
}
