//! Arguments of `pagerace record`.

use std::path::PathBuf;

use clap::Args;
use pagerace_core::Duration;

use super::model::duration;
use crate::commands::record::OtherHost;

pub(crate) const EXAMPLES: &str = "\
Examples:
  pagerace record https://site.example -o site.page
      a page of the web, as a desktop browser sees it

  pagerace record https://site.example -o site.page.gz --device mobile --settle 5s
      as a phone sees it; waits until nothing was loaded for 5 s; compressed

  pagerace record site/index.html -o site.page
  pagerace record site/blog/post.html --root site -o post.page
      pages of a folder, served by Pagerace as https://site.test/; nothing else is reached

  pagerace record site -o site.page --host cdn.example=vendor --host ads.example=ads
      a page that refers to other hosts, whose files lie in folders, too";

/// What to record, how, and where it goes.
#[derive(Args, Debug)]
pub(crate) struct RecordArgs {
    /// The address of a page, an HTML file, or a folder with an index.html.
    #[arg(value_name = "URL|FILE|FOLDER")]
    pub(crate) source: String,

    /// The recording: HAR 1.2 with bodies, compressed if the name ends in .gz.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// What the page believes it runs on: desktop, mobile or tablet.
    #[arg(long, value_name = "NAME", default_value = "desktop",
        value_parser = ["desktop", "mobile", "tablet"])]
    pub(crate) device: String,

    /// The folder that is the root of the site of a FILE. [default: the file's]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// A further host, served from a folder of its own, such as
    /// cdn.example=vendor; may be given several times. Hosts that are not served
    /// cannot be reached.
    #[arg(long, value_name = "NAME=FOLDER")]
    pub(crate) host: Vec<OtherHost>,

    /// Which Chromium. [default: `$PAGERACE_CHROMIUM`, else what is installed]
    #[arg(long, value_name = "PATH")]
    pub(crate) chromium: Option<PathBuf>,

    /// Keep cookies, authorisation fields, passwords of URLs and what was posted.
    /// Query strings are kept in any case.
    #[arg(long)]
    pub(crate) keep_secrets: bool,

    /// How long nothing must be loaded after the load event.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = duration)]
    pub(crate) settle: Duration,

    /// After this long the page is recorded as it is.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) deadline: Duration,
}
