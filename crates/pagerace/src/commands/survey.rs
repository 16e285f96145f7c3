//! `pagerace survey`: asks people which load of a page they prefer.

mod films;
mod new;
mod print;

use std::fs;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser};
use pagerace_survey::{Server, Store, Survey, analyse, csv};

use crate::cli::files::{check_files, write, write_text};
use crate::cli::warn::warn;
use new::NewArgs;

const EXAMPLES: &str = "\
Examples:
  pagerace survey new examples/pages/tours.page.gz --what-if thesis \\
      -n \"rate 9mbit rtt 60ms loss 5%\" -o survey
      a survey about fonts, style sheets and third-party scripts that come later

  pagerace survey serve survey --address 0.0.0.0
      shows it to people in this network, and keeps their answers in survey/answers.sqlite

  pagerace survey report survey --csv answers.csv
      what they prefer, how sure that is, and which metrics agree";

/// Ask people which load of a page they prefer.
#[derive(Debug, Parser)]
#[command(name = "survey", after_long_help = EXAMPLES)]
pub(crate) enum SurveyCommand {
    /// Make a survey: films of a page's loads, and questions about them.
    #[command(after_long_help = new::EXAMPLES)]
    New(Box<NewArgs>),
    /// Serve a survey to people's browsers, and keep their answers.
    Serve(ServeArgs),
    /// Tell what people answered, and how sure that is.
    Report(ReportArgs),
}

#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// Folder of the survey.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Port; 0 for a free one.
    #[arg(short, long, value_name = "N", default_value_t = 8480)]
    port: u16,

    /// Address to listen on; 0.0.0.0 (IPv4) or :: (IPv6) for all interfaces.
    #[arg(short, long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: IpAddr,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// Folder of the survey.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Write all findings as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Write all answers as CSV, with those of people who are left out.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub(crate) fn run(command: &SurveyCommand) -> Result<()> {
    match command {
        SurveyCommand::New(args) => new::run(args),
        SurveyCommand::Serve(args) => serve(args),
        SurveyCommand::Report(args) => report(args),
    }
}

fn serve(args: &ServeArgs) -> Result<()> {
    let server = Server::bind(&args.folder, SocketAddr::new(args.address, args.port))?;
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    ctrlc::set_handler(move || stopped.store(true, Ordering::Relaxed))
        .context("cannot listen for Ctrl-C")?;
    let people = Store::open(&args.folder)?.people()?.len();
    let mut out = anstream::stdout();
    let mut address = server.address()?;
    let everywhere = address.ip().is_unspecified();
    if everywhere {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    writeln!(
        out,
        "{} is at http://{address}/{} ({} of at most {} so far); press Ctrl-C to stop.",
        args.folder.display(),
        if everywhere {
            ", and in the network at this port of this machine's address"
        } else {
            ""
        },
        print::people(people),
        server.survey().limits.people
    )?;
    // The reader of a pipe needs the address before the first request.
    out.flush()?;
    server.run(&stop);
    Ok(())
}

fn report(args: &ReportArgs) -> Result<()> {
    let outputs: Vec<PathBuf> = args.json.iter().chain(&args.csv).cloned().collect();
    check_files(&outputs, &[args.folder.join(pagerace_survey::survey::FILE)])?;
    let survey = Survey::read(&args.folder)?;
    let Some(store) = Store::existing(&args.folder)? else {
        bail!(
            "{}: nobody has answered; `pagerace survey serve {0}` shows the survey to people",
            args.folder.display()
        );
    };
    let people = store.people()?;
    if store
        .first_rules()?
        .is_some_and(|first| first != survey.rules)
    {
        warn("the survey's rules were changed after the first person began");
    }
    let findings = analyse(&survey, &people);
    let mut out = anstream::stdout().lock();
    print::findings(&mut out, &survey, &findings)?;
    drop(out);
    if let Some(path) = &args.json {
        write_text(
            path,
            &format!("{}\n", serde_json::to_string_pretty(&findings)?),
        )?;
    }
    if let Some(path) = &args.csv {
        write(path, |out| csv::write(&survey, &people, out))?;
    }
    Ok(())
}

/// Returns an error unless the folder can be made: it is absent or empty.
fn check_empty(folder: &PathBuf) -> Result<()> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            Some(_) => bail!(
                "{}: is not empty; name another folder with --output, so that no answers are lost",
                folder.display()
            ),
            None => Ok(()),
        },
        Err(_) => fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made a folder", folder.display())),
    }
}
