//! `pagerace objects`: exports files of the sizes and types of a page's responses, a log
//! of their transfers, and the sequence of their requests.

mod folder;
mod log;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use pagerace_har::load;
use pagerace_har::sequence::{TransferSequence, Urls, stand_in};
use pagerace_lab::Progress;

use crate::cli::groups::PageChoice;
use crate::cli::values::size;
use crate::failed::Interrupted;
use crate::progress::Watch;
use folder::Folder;

/// Names of the files beside the objects.
const SEQUENCE: &str = "transfer_sequence.json";
const LOG: &str = "transfer_log.csv";

const EXAMPLES: &str = "\
Examples:
  pagerace objects examples/pages/shop.har -o objects
      objects/object-0000.html and so on, transfer_log.csv and transfer_sequence.json

  pagerace objects examples/pages/news.har -o objects --force --max-bytes 2GB
      another page, in place of the earlier export, with up to 2 GB";

/// Export files of the sizes and types of a page's objects, with a log of their transfers.
#[derive(Debug, Parser)]
#[command(name = "objects", after_long_help = EXAMPLES)]
pub(crate) struct ObjectsArgs {
    /// The recording (.page, .har or .har.gz).
    har: PathBuf,

    /// Folder to create; its parent must exist.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    #[command(flatten)]
    choice: PageChoice,

    /// Maximum size of all objects together; a larger page is refused.
    #[arg(long, value_name = "SIZE", default_value = "200MB", value_parser = size)]
    max_bytes: u64,

    /// Keep the query and the fragment of URLs, which may identify a visitor.
    #[arg(long)]
    keep_queries: bool,

    /// Replace an earlier export; a folder with other files is never replaced.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &ObjectsArgs) -> Result<()> {
    folder::check(&args.output, args.force)?;
    let page = load(&args.har, &args.choice.options())?;
    let urls = if args.keep_queries {
        Urls::Whole
    } else {
        Urls::WithoutQueries
    };
    let sequence = TransferSequence::of(&page, urls);
    check_size(&args.har, &sequence, args.max_bytes)?;
    let folder = Folder::create(&args.output)?;
    fill(folder.path(), &sequence)?;
    folder.publish(args.force)?;
    writeln!(
        anstream::stdout(),
        "Wrote {}: {} objects of {} bytes, {LOG}, {SEQUENCE}",
        args.output.display(),
        sequence.transfers().len(),
        sequence.bytes(),
    )?;
    Ok(())
}

fn check_size(har: &Path, sequence: &TransferSequence, most: u64) -> Result<()> {
    let bytes = sequence.bytes();
    if bytes <= most {
        return Ok(());
    }
    let transfers = sequence.transfers().iter();
    let largest = transfers.max_by_key(|transfer| transfer.size);
    let largest = largest.expect("a sequence is never empty");
    bail!(
        "{}: its objects have {bytes} bytes, more than the {most} of --max-bytes; the largest, \
         resource {} ({}), has {}; allow it with --max-bytes {}MB",
        har.display(),
        largest.id,
        largest.url.as_deref().unwrap_or("no address"),
        largest.size,
        bytes.div_ceil(1_000_000),
    );
}

/// Writes all files into the existing empty folder `path`.
fn fill(path: &Path, sequence: &TransferSequence) -> Result<()> {
    let total = sequence.transfers().len();
    let watch = Watch::new(true, "objects");
    watch.start("writing", total);
    for (done, transfer) in sequence.transfers().iter().enumerate() {
        if watch.tell(Progress { done, total }).is_break() {
            let text = format!(" after {done} of {total} objects; nothing was written");
            return Err(Interrupted(text).into());
        }
        file(&path.join(&transfer.file_name), |out| {
            stand_in::write(&transfer.extension, transfer.size, out)
        })?;
    }
    file(&path.join(LOG), |out| log::write(sequence, out))?;
    file(&path.join(SEQUENCE), |out| {
        out.write_all(sequence.to_json().as_bytes())
    })
}

fn file(
    path: &Path,
    content: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<()> {
    let write = || {
        let mut out = BufWriter::new(File::create_new(path)?);
        content(&mut out)?;
        out.into_inner()
            .map_err(std::io::IntoInnerError::into_error)
    };
    let written = write().map(drop);
    written.with_context(|| format!("{}: cannot be written", path.display()))
}
