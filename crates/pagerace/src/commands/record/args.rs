//! Arguments of `pagerace record`.

use std::path::PathBuf;

use clap::Parser;
use pagerace_core::Duration;

use super::source::OtherHost;
use crate::cli::groups::ProgressArgs;
use crate::cli::values::duration;

const EXAMPLES: &str = "\
Examples:
  pagerace record https://site.example -o site.page.gz --device mobile --settle 5s
      a page of the web as a phone sees it, until nothing was loaded for 5 s; compressed

  pagerace record site/blog/post.html --root site -o post.page
      a page of a folder, served as https://site.test/; no other host is reached

  pagerace record site -o site.page --host cdn.example=vendor --host ads.example=ads
      a page that refers to other hosts, whose files are in folders as well

  pagerace record devtools.har -o site.page
      the page that a HAR with content holds; measures its layout, which HARs lack";

/// Record a page with Chromium, for races and for replay.
#[derive(Debug, Parser)]
#[command(name = "record", after_long_help = EXAMPLES)]
pub(crate) struct RecordArgs {
    /// The address of a page, an HTML file, a folder with an index.html, or a HAR with content.
    #[arg(value_name = "URL|FILE|FOLDER")]
    pub(crate) source: String,

    /// The recording: HAR 1.2 with bodies, compressed if the name ends in .gz.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Device to emulate. [default: the one of FILE if it states one, else desktop]
    #[arg(long, value_name = "NAME", value_parser = ["desktop", "mobile", "tablet"])]
    pub(crate) device: Option<String>,

    /// Root folder of the site that an HTML file belongs to. [default: the folder of FILE]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// Further host to serve from a folder, such as cdn.example=vendor; may be given
    /// several times. Other hosts cannot be reached.
    #[arg(long, value_name = "NAME=FOLDER")]
    pub(crate) host: Vec<OtherHost>,

    /// Chromium to use. [default: `$PAGERACE_CHROMIUM`, else the installed one]
    #[arg(long, value_name = "PATH")]
    pub(crate) chromium: Option<PathBuf>,

    /// Keep cookies, authorisation fields, passwords in URLs, and request bodies. Query
    /// strings are always kept.
    #[arg(long)]
    pub(crate) keep_secrets: bool,

    /// Time without requests after the load event that ends the recording.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = duration)]
    pub(crate) settle: Duration,

    /// Time after which the recording ends in any case.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) deadline: Duration,

    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}
