//! `pagerace corpus`: who serves a corpus of pages over which version of HTTP, and the gain of
//! HTTP/3 there.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Error, Result, bail};
use clap::{Arg, Parser, value_parser};
use pagerace_core::Words as _;
use pagerace_corpus::row::CorpusRow;
use pagerace_corpus::{Corpus, CorpusPage, Experiment, Findings, Http3Hosts};
use pagerace_har::{ImportOptions, Survey};
use pagerace_lab::VERSION;
use pagerace_lab::export::file::write_atomically;
use pagerace_page::PaintEvidence;
use pagerace_papers::zhou::NETWORKS;
use pagerace_sim::{H3Discovery, LoadSettings, OriginRtt};
use pagerace_study::columns::TableWriter;
use pagerace_study::store::{PAGES, VERSION_KEY, facts_of};
use pagerace_study::{self as study, Key};
use serde_json::{Value, json};

use crate::cli::files::{check_files, say, write_text};
use crate::cli::groups::{ControllerArgs, LoadArgs, WorkArgs, excluding};
use crate::cli::inputs::{controller, distinguish, fit, networks, readable, skipped};
use crate::cli::model::word;
use crate::cli::sections::SectionArgs;
use crate::cli::simulate::load;
use crate::cli::words;
use crate::failed::{Failed, Interrupted};
use crate::progress::{Watch, end_soon_on_interrupt};
use crate::text;

mod sections;

const EXAMPLES: &str = "\
Who serves the pages is read from the recordings. The gain of HTTP/3 is that of pairs of simulated
loads: over HTTP/2, and over HTTP/3 where the host speaks it.

Examples:
  pagerace corpus recordings/*.har.gz -o corpus.parquet --report corpus.html
      the share of each provider and version; pairs of loads at 0, 0.5 and 1 % loss, first and
      consecutive visits; a row for each request; the figures

  pagerace corpus recordings/*.har --no-loads
      the shares alone

  pagerace corpus recordings/*.har --http3 providers -n cable,slow-4g
      as if every provider that offers HTTP/3 spoke it, on two networks";

/// The key of the settings in the metadata of Parquet files.
const CORPUS_KEY: &str = "pagerace.corpus";
/// The name of the section of Markdown files.
const SECTION: &str = "corpus";

const NETWORKS_HELP: &str = "Networks, by name or description, separated by commas; the first is \
    that of consecutive visits. [default: 100 Mbit/s and 30 ms with 0, 0.5 and 1 % loss]";
const RUNS: &str = "Number of pairs of loads of each page, network and kind of visit";

/// Returns true if an argument says how pages are loaded.
fn decides_loads(arg: &Arg) -> bool {
    match arg.get_id().as_str() {
        "loads" => true,
        "no_progress" => false,
        _ => arg.get_help_heading() == Some("Loads"),
    }
}

/// Show who serves recorded pages over which version of HTTP, and the gain of HTTP/3 there.
#[derive(Debug, Parser)]
#[command(
    name = "corpus",
    after_long_help = EXAMPLES,
    next_help_heading = "Loads",
    mut_arg("cc", |arg| arg.help("Congestion controller. [default: cubic]").value_name("NAME")),
    mut_arg("network", |arg| arg.help(NETWORKS_HELP)),
    mut_arg("runs", |arg| arg.help(RUNS).default_value("5")
        .value_parser(value_parser!(u32).range(1..=1_000))),
    mut_args(excluding("no_loads", decides_loads))
)]
pub(crate) struct CorpusArgs {
    /// Recordings (HAR files, also with gzip), one page each.
    #[arg(value_name = "FILES", required = true, help_heading = None)]
    files: Vec<PathBuf>,

    /// Hosts that speak HTTP/3.
    #[arg(long, value_name = "HOSTS", value_parser = word::<Http3Hosts>(),
        default_value = Http3Hosts::default().word(), help_heading = None)]
    http3: Http3Hosts,

    /// Do not load the pages.
    #[arg(long, help_heading = None)]
    no_loads: bool,

    #[command(flatten)]
    controller: ControllerArgs,

    #[command(flatten)]
    load: LoadArgs,

    /// Round trips of servers beyond the network's: the same for all, or as recorded.
    #[arg(long, value_name = "WAY", value_parser = word::<OriginRtt>(),
        default_value = OriginRtt::default().word())]
    origin_rtt: OriginRtt,

    /// Way in which the browser learns that a server speaks HTTP/3, and which connections it tries then.
    #[arg(long, value_name = "WAY", value_parser = word::<H3Discovery>(),
        default_value = H3Discovery::default().word())]
    h3_discovery: H3Discovery,

    #[command(flatten, next_help_heading = "Loads")]
    work: WorkArgs,

    /// Write a row for each request as Parquet.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Write a row for each load of first visits as Parquet, for `pagerace recommend` and
    /// `pagerace study table`.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    loads: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Output")]
    sections: SectionArgs,
}

pub(crate) fn run(args: &CorpusArgs) -> Result<()> {
    let outputs: Vec<&PathBuf> = args.outputs().collect();
    check_files(&outputs, &args.files)?;
    args.sections.check(SECTION)?;
    end_soon_on_interrupt();
    let watch = args.work.watch("pairs");
    let surveyed = Surveyed::of(args, &watch, true)?;
    let findings = &surveyed.findings;
    let content = surveyed.content();
    content.print(&mut anstream::stdout().lock())?;
    if let Some(path) = &args.output {
        let rows = surveyed.rows();
        let metadata = [
            (VERSION_KEY, VERSION.to_owned()),
            (CORPUS_KEY, surveyed.settings().to_string()),
        ];
        write_atomically(path, |out| {
            let mut writer = TableWriter::new::<CorpusRow<'_>>(out)?;
            writer.write(&rows)?;
            Ok(writer.close(&metadata)?)
        })?;
        say(path)?;
    }
    if let Some(path) = &args.loads {
        let metadata = [
            (VERSION_KEY, VERSION.to_owned()),
            (PAGES, Value::from(surveyed.page_facts()).to_string()),
            (CORPUS_KEY, surveyed.settings().to_string()),
        ];
        let rows = surveyed.loads();
        write_atomically(path, |out| {
            let mut writer = TableWriter::new::<study::Row>(out)?;
            writer.write(&rows)?;
            Ok(writer.close(&metadata)?)
        })?;
        say(path)?;
    }
    if let Some(path) = &args.sections.json {
        write_text(path, &surveyed.json())?;
    }
    let command = "pagerace corpus --markdown";
    (args.sections).write(SECTION, command, &|| content.markdown(), &|| {
        content.report()
    })?;
    if let Some(text) = skipped(args.files.len(), surveyed.corpus.pages.len()) {
        text::say(&mut anstream::stdout(), &text)?;
    }
    match &findings.reductions {
        Some(reductions) if reductions.none_finished() => {
            let loads = 2 * reductions.failed.2;
            Err(Failed::all(loads, "loads", &["no pair finished"]).into())
        }
        _ => Ok(()),
    }
}

/// A corpus with its findings.
pub(crate) struct Surveyed {
    corpus: Corpus,
    findings: Findings,
    /// The pairs of loads, if there are any.
    experiment: Option<Experiment>,
    http3: Http3Hosts,
}

impl Surveyed {
    /// Reads the recordings and loads their pages. If `lenient`, one that cannot be read is
    /// reported on standard error and left out, if there are others.
    ///
    /// # Errors
    /// Names the file or option and the mistake; or the user interrupted.
    pub(crate) fn of(args: &CorpusArgs, watch: &Watch, lenient: bool) -> Result<Self> {
        let experiment = (!args.no_loads).then(|| args.experiment()).transpose()?;
        let fitted = experiment.is_some().then_some(&args.work);
        let corpus = read(&args.files, fitted, lenient)?;
        let ran = match &experiment {
            None => None,
            Some(experiment) => {
                watch.start("loading", experiment.pairs(&corpus));
                let tell = |progress| watch.tell(progress);
                let jobs = args.work.jobs();
                let pairs = experiment.run(&corpus, &load, jobs, &tell);
                let interrupted = || Interrupted("; nothing was written".to_owned());
                let pairs = pairs.map_err(Error::msg)?.ok_or_else(interrupted)?;
                Some((experiment, pairs))
            }
        };
        watch.clear();
        Ok(Self {
            findings: Findings::of(&corpus, args.http3, ran),
            corpus,
            experiment,
            http3: args.http3,
        })
    }

    /// Returns a row for each request.
    pub(crate) fn rows(&self) -> Vec<CorpusRow<'_>> {
        CorpusRow::all(&self.corpus, self.http3, &self.findings)
    }

    /// Returns a row for each load of first visits. The contenders are HTTP/2, and HTTP/3 where
    /// the host speaks it.
    fn loads(&self) -> Vec<study::Row> {
        let Some(experiment) = &self.experiment else {
            return Vec::new();
        };
        let plan = experiment.plan();
        let [h2, h3] = [0, 1].map(|side| Key::of_contender(&plan.contenders[side]));
        let mut rows = Vec::new();
        for page in &self.findings.pages {
            for (network, pairs) in plan.networks.iter().zip(&page.pairs) {
                let key = |side: &Key| {
                    Arc::new(Key {
                        race: SECTION.to_owned(),
                        page: page.name.clone(),
                        network: network.name.clone(),
                        ..side.clone()
                    })
                };
                let (h2, h3) = (key(&h2), key(&h3));
                for (run, (over_h2, over_h3)) in pairs.loads.iter().enumerate() {
                    let seed = plan.run_seed(run);
                    for (key, load) in [(&h2, over_h2), (&h3, over_h3)] {
                        rows.push(study::Row::new(Arc::clone(key), run as u32, seed, load));
                    }
                }
            }
        }
        rows
    }

    /// Returns facts about the pages, for recommendations.
    fn page_facts(&self) -> Vec<Value> {
        let facts = |page: &CorpusPage| {
            let mut facts = facts_of("", &page.page.name, &page.page);
            facts["providers"] = page.providers().len().into();
            facts
        };
        self.corpus.pages.iter().map(facts).collect()
    }

    /// Returns the file that `--json` writes.
    pub(crate) fn json(&self) -> String {
        let all = json!({
            "pagerace": VERSION,
            "settings": self.settings(),
            "findings": self.findings,
        });
        let text = serde_json::to_string_pretty(&all).expect("findings are plain data");
        format!("{text}\n")
    }

    /// Returns the answer that the command prints, without colours.
    pub(crate) fn answer(&self) -> String {
        let mut out = anstream::StripStream::new(Vec::new());
        let content = self.content();
        content.print(&mut out).expect("memory takes everything");
        String::from_utf8_lossy(&out.into_inner()).into_owned()
    }

    fn content(&self) -> sections::Content<'_> {
        sections::Content {
            findings: &self.findings,
            experiment: self.experiment.as_ref(),
            which: self.http3,
            evidence: self.worst_evidence(),
        }
    }

    /// Returns the worst evidence of paints among the pages.
    fn worst_evidence(&self) -> PaintEvidence {
        let pages = self.corpus.pages.iter();
        let all = pages.map(|page| page.page.paint_evidence());
        let order = [
            PaintEvidence::Recorded,
            PaintEvidence::Fitted,
            PaintEvidence::Guessed,
        ];
        let worst = all.max_by_key(|one| order.iter().position(|other| other == one));
        worst.unwrap_or(PaintEvidence::Guessed)
    }

    /// Returns the settings; null where no loads ran.
    fn settings(&self) -> Value {
        let loads = self.experiment.as_ref().map(|experiment| {
            let plan = experiment.plan();
            json!({
                "networks": plan.networks,
                "runs": plan.runs,
                "seed": plan.seed,
                "cc": experiment.congestion,
                "browser": plan.browser,
                "settings": plan.settings,
            })
        });
        json!({ "http3": self.http3, "loads": loads })
    }
}

/// Reads the recordings and gives each page a name of its own. Fits the pages as `fitted`
/// tells, or not at all, since only loads need it. If `lenient`, leaves out files as [`readable`]
/// does.
fn read(files: &[PathBuf], fitted: Option<&WorkArgs>, lenient: bool) -> Result<Corpus> {
    let options = ImportOptions::default();
    let mut surveys = readable(files, lenient, |file| {
        Ok(pagerace_har::survey(file, &options)?)
    })?;
    let named = surveys
        .iter_mut()
        .map(|(file, survey)| (*file, &mut survey.page.name));
    distinguish(named.collect());
    let mut surveys: Vec<Survey> = surveys.into_iter().map(|(_, survey)| survey).collect();
    if let Some(work) = fitted {
        let pages = surveys.iter_mut().map(|survey| &mut survey.page);
        fit(pages.collect(), work.jobs(), work.progress.shown())?;
    }
    Ok(Corpus::new(surveys))
}

impl CorpusArgs {
    /// Reads arguments as on the command line, of which none writes a file.
    ///
    /// # Errors
    /// Names the option and the mistake.
    pub(crate) fn of_words(arguments: Vec<String>) -> Result<Self> {
        let mut args: Self = words::read(arguments)?;
        if args.outputs().next().is_some() {
            bail!("options that write files are for the command line");
        }
        args.work.progress.no_progress = true;
        Ok(args)
    }

    /// Returns the files to write.
    fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.output, &self.loads];
        files.into_iter().flatten().chain(self.sections.files())
    }

    fn experiment(&self) -> Result<Experiment> {
        let networks = networks(&self.load.network, &NETWORKS)?;
        for (i, network) in networks.iter().enumerate() {
            if networks[..i].iter().any(|other| other.name == network.name) {
                bail!("--network: {} is given twice", network.name);
            }
        }
        Ok(Experiment {
            networks,
            runs: self.load.runs(),
            seed: self.load.random.seed,
            congestion: controller(&self.controller.cc)?,
            http3: self.http3,
            settings: LoadSettings {
                origin_rtt: self.origin_rtt,
                h3_discovery: self.h3_discovery,
                ..LoadSettings::default()
            },
        })
    }
}
