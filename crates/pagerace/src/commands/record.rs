//! `pagerace record`: a page, as Chromium loads it, into a file.

mod source;
mod summary;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use pagerace_chromium::record::{RecordOptions, record};
use pagerace_chromium::{Browser, Device, Options};
use pagerace_lab::export::file::{check_writable, write_atomically};
use serde_json::Value;

use crate::cli::record::RecordArgs;
use source::Source;
use summary::Summary;

pub(crate) fn run(args: &RecordArgs) -> Result<()> {
    check_writable(&args.output)?;
    let source = Source::parse(&args.source, args.root.as_deref())?;
    let site = source.serve()?;
    let scratch = Scratch::new()?;
    let mut options = Options::new(&scratch.0);
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

/// A folder for the browser's files, removed when it is dropped or the command
/// is interrupted.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let name = format!("pagerace-record-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)
            .with_context(|| format!("{}: cannot be made", path.display()))?;
        let again = path.clone();
        // Without a handler an interruption leaves files behind, no more.
        let _ = ctrlc::set_handler(move || {
            // The browser ends with us, as its pipe closes.
            let _ = std::fs::remove_dir_all(&again);
            std::process::exit(130);
        });
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
