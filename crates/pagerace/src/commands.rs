//! The commands. Each is a folder or a file here, with its arguments, its examples and what it
//! does, and a line in [`table`].

use anyhow::Result;
use clap::builder::Styles;
use clap::{ArgMatches, Parser};

use crate::cli::groups::brief;

pub(crate) mod advise;
pub(crate) mod bulk;
#[cfg(feature = "live")]
pub(crate) mod calibrate;
#[cfg(feature = "study")]
pub(crate) mod corpus;
pub(crate) mod explain;
pub(crate) mod list;
#[cfg(feature = "live")]
pub(crate) mod live;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
pub(crate) mod objects;
pub(crate) mod page;
#[cfg(feature = "live")]
pub(crate) mod probe;
pub(crate) mod race;
#[cfg(feature = "study")]
pub(crate) mod recommend;
#[cfg(feature = "live")]
pub(crate) mod record;
#[cfg(feature = "scan")]
pub(crate) mod scan;
#[cfg(feature = "live")]
pub(crate) mod serve;
#[cfg(feature = "study")]
pub(crate) mod study;
#[cfg(feature = "survey")]
pub(crate) mod survey;
pub(crate) mod tune;

/// Returns the commands of this build, in the order of the help, by what people want.
fn table() -> Vec<(&'static str, Vec<Entry>)> {
    vec![
        (
            "Ask about a page",
            vec![
                entry(race::run),
                entry(advise::run),
                entry(tune::run),
                entry(explain::run),
                entry(bulk::run),
                entry(page::run),
                entry(objects::run),
                entry(list::run),
                #[cfg(feature = "mcp")]
                entry(mcp::run),
            ],
        ),
        #[cfg(feature = "live")]
        (
            "Record a page, and test predictions in a real browser",
            vec![entry(record::run), entry(live::run), entry(calibrate::run)],
        ),
        #[cfg(feature = "survey")]
        ("Ask people", vec![entry(survey::run)]),
        #[cfg(feature = "study")]
        (
            "Ask about many pages",
            vec![entry(study::run), entry(recommend::run), entry(corpus::run)],
        ),
        #[cfg(any(feature = "live", feature = "scan"))]
        (
            "Run or examine real servers",
            vec![
                #[cfg(feature = "live")]
                entry(serve::run),
                #[cfg(feature = "live")]
                entry(probe::run),
                #[cfg(feature = "scan")]
                entry(scan::run),
            ],
        ),
    ]
}

/// A command, and what reads its arguments and runs it.
type Entry = (clap::Command, Box<dyn Fn(&ArgMatches) -> Result<()>>);

fn entry<A: Parser + 'static>(run: fn(&A) -> Result<()>) -> Entry {
    let run = move |matches: &ArgMatches| {
        run(&A::from_arg_matches(matches).unwrap_or_else(|error| error.exit()))
    };
    (finish(A::command()), Box::new(run))
}

/// Runs the command that the words of this process name. Prints an error, a help or the version,
/// and ends, if they ask for that.
pub(crate) fn run() -> Result<()> {
    let table = table();
    let matches = program(&table).get_matches();
    let (name, matches) = matches.subcommand().expect("a command is required");
    let mut entries = table.iter().flat_map(|(_, entries)| entries);
    let entry = entries.find(|(command, _)| command.get_name() == name);
    (entry.expect("it is in the table").1)(matches)
}

/// Returns the program with its commands.
fn program(table: &[(&str, Vec<Entry>)]) -> clap::Command {
    let commands = table.iter().flat_map(|(_, entries)| entries);
    let program = clap::Command::new("pagerace")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .about(
            "Compares ways to deliver a web page by loading it in virtual time: versions of HTTP, \
             priorities, congestion controllers, warm and cold visits. Tells which one wins, by \
             how much, with what confidence, and why.",
        )
        .help_template(template(table))
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(commands.map(|(command, _)| command.clone()));
    if cfg!(feature = "live") {
        return program;
    }
    program.after_help(
        "This build lacks record, live, calibrate, serve and probe: build the feature live.",
    )
}

/// Returns the help of the program: its commands in groups, which clap does not know.
fn template(table: &[(&str, Vec<Entry>)]) -> String {
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let line = |(command, _): &Entry| {
        let (name, about) = (command.get_name(), command.get_about());
        let about = about.map(ToString::to_string).unwrap_or_default();
        format!("  {literal}{name:<9}{literal:#}  {about}\n")
    };
    let groups = table.iter().map(|(title, entries)| {
        let lines: String = entries.iter().map(line).collect();
        format!("{header}{title}:{header:#}\n{lines}\n")
    });
    let groups: String = groups.collect();
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}{header}Options:{header:#}\n\
         {{options}}{{after-help}}"
    )
}

/// Gives a command what all have: the version of the program, and helps that tell defaults.
fn finish(command: clap::Command) -> clap::Command {
    let command = command
        .display_name("pagerace")
        .mut_args(brief)
        .mut_subcommands(finish);
    if command.get_after_long_help().is_none() {
        return command;
    }
    command.after_help("See --help for all options and examples.")
}

#[cfg(test)]
#[cfg(all(feature = "live", feature = "study"))]
mod tests;
