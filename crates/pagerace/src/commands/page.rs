//! `pagerace page`: shows how a recorded page was understood.

mod essential;
mod paints;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::PathBuf;

use anstyle::Style;
use anyhow::{Context, Result, bail};
use clap::Parser;
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Table,
    TableStyle, Width,
};
use pagerace_core::{Destination, Duration, ScriptMode};
use pagerace_har::{load, load_recording};
use pagerace_page::{
    Category, Element, ElementKind, Evidence, Page, PageLayout, Resource, ResourceId, Trigger, Wait,
};

use pagerace_report::sections::columns;

use self::essential::EssentialArgs;
use self::paints::Reproduced;
use crate::cli::groups::PageChoice;
use crate::cli::inputs::fit;
use crate::text::counted;

const EXAMPLES: &str = "\
Examples:
  pagerace page examples/pages/shop.har
      origins, categories, and how each request is discovered

  pagerace page examples/pages/shop.har --essential
      the objects that a reader would miss, those that are useful in part, and the reasons

  pagerace page examples/pages/shop.har --essential --non-essential-if third-party \\
      --essential-if pay.wallet.example --json
      the same as JSON, where third parties except one count as not essential

  pagerace page site.page --critical-css > critical.css
      the rules that a <style> element of the document needs for the first screen";

/// Show a recorded page as Pagerace understands it, and which parts are essential.
#[derive(Debug, Parser)]
#[command(name = "page", after_long_help = EXAMPLES)]
pub(crate) struct PageArgs {
    /// The recording (.page, .har or .har.gz).
    har: PathBuf,
    #[command(flatten)]
    choice: PageChoice,
    /// Print the page as JSON; with --essential, the assessment.
    #[arg(long)]
    json: bool,
    /// Print the rules of the page's style sheets that its first screen needs.
    #[arg(long, conflicts_with_all = ["json", "essential"])]
    critical_css: bool,
    #[command(flatten)]
    essential: EssentialArgs,
}

/// Minimum length of a shown URL, however deep in the tree.
const SHORTEST_URL: usize = 24;

/// Width of the output without a terminal.
const DEFAULT_WIDTH: usize = 120;

const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none().junction(' '))
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none().junction(' '));

pub(crate) fn run(args: &PageArgs) -> Result<()> {
    args.essential.check()?;
    if args.critical_css {
        return critical_css(args);
    }
    let mut page = load(&args.har, &args.choice.options())?;
    fit(vec![&mut page], 1, true)?;
    if args.essential.essential {
        return essential::run(&args.essential, page, args.json);
    }
    let mut out = anstream::stdout().lock();
    let reproduced = Reproduced::of(&page)?;
    if args.json {
        let answer = Answer {
            page: &page,
            reproduced: &reproduced,
        };
        serde_json::to_writer_pretty(&mut out, &answer).context("the page cannot be printed")?;
        writeln!(out)?;
        return Ok(());
    }
    write_page(&mut out, &page, &reproduced)?;
    Ok(())
}

/// Prints what the first screen needs of each style sheet.
fn critical_css(args: &PageArgs) -> Result<()> {
    let recording = load_recording(&args.har, &args.choice.options())?;
    let mut out = anstream::stdout().lock();
    let mut is_known = false;
    for (sheet, rules) in recording.first_screen() {
        is_known = true;
        writeln!(out, "/* {sheet} */\n{rules}")?;
    }
    if !is_known {
        bail!(
            "{}: the recording does not tell which styles the first screen needs; record the page with \
             `pagerace record`",
            args.har.display()
        );
    }
    Ok(())
}

/// The page and its reproduction over its own network.
#[derive(serde::Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    page: &'a Page,
    #[serde(flatten)]
    reproduced: &'a Reproduced,
}

fn write_page(out: &mut impl Write, page: &Page, reproduced: &Reproduced) -> io::Result<()> {
    summary(out, page)?;
    paints::write(out, page, reproduced)?;
    heading(out, "Origins")?;
    writeln!(out, "{}", origins(page))?;
    heading(out, "Categories")?;
    writeln!(out, "{}", categories(page))?;
    heading(out, "Discovery")?;
    writeln!(out, "{}", resources(page))?;
    writeln!(out, "{LEGEND}")?;
    heading(out, "Missing or odd data, and its substitutes")?;
    if page.notes.is_empty() {
        writeln!(out, "Nothing.")?;
    }
    page.notes
        .iter()
        .try_for_each(|note| writeln!(out, "- {}", note.text))
}

fn heading(out: &mut impl Write, text: &str) -> io::Result<()> {
    let bold = Style::new().bold();
    writeln!(out, "\n{bold}{text}{bold:#}")
}

fn summary(out: &mut impl Write, page: &Page) -> io::Result<()> {
    let bold = Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}  {}", page.name, page.url)?;
    if !page.has_navigation() {
        writeln!(out, "{}", page.paints_in_words())?;
    }
    let document = page.resource(page.document);
    if document.url != page.url {
        writeln!(out, "document  {}", document.url)?;
    }
    let groups = page
        .origins
        .iter()
        .map(|o| o.connection_group)
        .max()
        .map_or(0, |g| g + 1);
    let third = page.resources.iter().filter(|r| r.third_party).count();
    let blocking = page.resources.iter().filter(|r| r.render_blocking).count();
    writeln!(
        out,
        "{} requests, {} KB of bodies, {} origins on {groups} connections, {third} requests to \
         third parties, {blocking} render-blocking",
        page.resources.len(),
        kilobytes(page.body_bytes()),
        page.origins.len(),
    )?;
    let told = page.recorded.protocols.iter();
    let mut protocols: Vec<String> = told.map(|(name, n)| format!("{name} {n}")).collect();
    let known: u32 = page.recorded.protocols.values().sum();
    let unknown = page.resources.len().saturating_sub(known as usize);
    protocols.extend((unknown > 0).then(|| format!("unknown {unknown}")));
    writeln!(
        out,
        "recorded by {} over {}",
        creator(page),
        protocols.join(", ")
    )?;
    page.layout()
        .map_or(Ok(()), |layout| screen(out, page, layout))
}

/// Writes the additional facts of a recording with a layout.
fn screen(out: &mut impl Write, page: &Page, layout: &PageLayout) -> io::Result<()> {
    let visible = |e: &&Element| e.rect.visible_area(layout.viewport) > 0.0;
    let seen = || layout.elements.iter().filter(visible);
    let is_text = |e: &&Element| matches!(e.kind, ElementKind::Text { .. });
    let is_image = |e: &&Element| {
        matches!(
            e.kind,
            ElementKind::Image { .. } | ElementKind::Background { .. }
        )
    };
    let (width, height) = layout.viewport;
    writeln!(
        out,
        "layout recorded: viewport {width} x {height}, {} elements in it ({} texts, {} of them \
         made by scripts, {} images), {} below or beside, {} requests made by layout",
        seen().count(),
        seen().filter(is_text).count(),
        seen().filter(|e| e.offset.is_none() && is_text(e)).count(),
        seen().filter(is_image).count(),
        layout.elements.len() - seen().count(),
        layout.by_layout.len(),
    )?;
    if let Some(largest) = layout.largest {
        let what = match largest.image {
            Some(image) => label(page, page.resource(image)),
            None => "text".to_owned(),
        };
        writeln!(
            out,
            "largest paint: {what}, {:.0} square pixels",
            largest.size
        )?;
    }
    let covers = [
        ("an overlay hides the page", layout.overlay),
        ("scripts hide all elements", layout.hidden),
    ];
    for (what, cover) in covers {
        if let Some(cover) = cover {
            let event = paints::event(page, cover.after);
            writeln!(out, "{what} until {} after {event}", cover.delay)?;
        }
    }
    let fonts: Vec<String> = layout
        .fonts
        .iter()
        .map(|f| format!("{} ({})", label(page, page.resource(f.font)), f.display))
        .collect();
    if !fonts.is_empty() {
        writeln!(out, "font-display: {}", fonts.join(", "))?;
    }
    let cpu: Duration = page
        .resources
        .iter()
        .filter_map(|r| r.cpu_time)
        .fold(Duration::ZERO, |sum, t| sum + t);
    let timed = page.resources.iter().filter(|r| r.cpu_time.is_some());
    write!(out, "recorded work: {cpu} for {} resources", timed.count())?;
    if let Some(processors) = layout.processors {
        write!(out, ", on {}", counted(u64::from(processors), "processor"))?;
    }
    writeln!(out)?;
    if let Some(frames) = layout.rendering {
        write!(
            out,
            "recorded frames: {} of style, layout and paint up to the first paint",
            frames.first
        )?;
        let screen = |time: Option<Duration>| {
            let told = time.map(|time| format!(", then {time} to the screen"));
            told.unwrap_or_default()
        };
        write!(out, "{}", screen(frames.presentation))?;
        if let Some(later) = frames.later {
            write!(
                out,
                "; each later one {later}{}",
                screen(frames.later_presentation)
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn creator(page: &Page) -> &str {
    if page.recorded.creator.is_empty() {
        "an unnamed recorder"
    } else {
        &page.recorded.creator
    }
}

/// Returns a table whose first `left` columns are text and the others numbers.
fn table(header: &[impl AsRef<str>], left: usize, rows: Vec<Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(header.iter().map(AsRef::as_ref))
        .add_rows(rows);
    for column in table.column_iter_mut().skip(left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    if table.width().is_none() {
        table.set_width(DEFAULT_WIDTH as u16);
    }
    table
}

fn width() -> usize {
    Table::new().width().map_or(DEFAULT_WIDTH, usize::from)
}

fn origins(page: &Page) -> Table {
    let mut sums = vec![(0_usize, 0_u64); page.origins.len()];
    for resource in &page.resources {
        let sum = &mut sums[resource.origin.index()];
        *sum = (sum.0 + 1, sum.1 + resource.body_bytes);
    }
    let longest = width().saturating_sub(56).max(SHORTEST_URL);
    let rows = page
        .origins
        .iter()
        .zip(sums)
        .map(|(origin, (requests, bytes))| {
            let plain = if origin.scheme == "http" {
                "http://"
            } else {
                ""
            };
            let default = if origin.scheme == "http" { 80 } else { 443 };
            let port = if origin.port == default {
                String::new()
            } else {
                format!(":{}", origin.port)
            };
            vec![
                shorten(&format!("{plain}{}{port}", origin.host), longest),
                if origin.third_party { "third" } else { "first" }.to_owned(),
                origin.protocol.clone().unwrap_or_else(|| "–".to_owned()),
                requests.to_string(),
                kilobytes(bytes),
                origin
                    .recorded_rtt
                    .map_or_else(|| "–".to_owned(), |rtt| rtt.to_string()),
                origin.connection_group.to_string(),
            ]
        });
    let header = columns("host | party | recorded | requests | KB | RTT | connection");
    table(&header, 3, rows.collect())
}

fn categories(page: &Page) -> Table {
    let mut sums: BTreeMap<Category, (usize, u64)> = BTreeMap::new();
    for resource in &page.resources {
        let sum = sums.entry(resource.category).or_default();
        *sum = (sum.0 + 1, sum.1 + resource.body_bytes);
    }
    let total = page.body_bytes().max(1);
    let rows = sums.into_iter().map(|(category, (requests, bytes))| {
        let share = bytes as f64 / total as f64 * 100.0;
        vec![
            name(category),
            requests.to_string(),
            kilobytes(bytes),
            format!("{share:.0} %"),
        ]
    });
    let header = columns("category | requests | KB | of bytes");
    table(&header, 1, rows.collect())
}

fn name(category: Category) -> String {
    match category {
        Category::Ads => "ads and analytics",
        Category::Images => "images",
        Category::Html => "HTML",
        Category::Javascript => "JavaScript",
        Category::Json => "JSON and data",
        Category::Css => "CSS",
        Category::Fonts => "fonts",
        Category::Others => "others",
    }
    .to_owned()
}

const LEGEND: &str = "\
found: the point at which the parent requests the resource (share of a document's bytes, where an
element or an inline script does; or time after a script or another resource; in a function that
is called later: after DOMContentLoaded (DCL), the load event (load), or the response that the
script had asked for (call)). think: what neither the round trip nor queues of the recording's
network explain of the recorded wait.
! render-blocking, v in the first viewport. by: rec recorded, rec~ recorded with the position
inferred, body found in a body, time inferred from times, rule fixed rule.";

/// Returns the discovery tree: children below their parent, in request order.
fn resources(page: &Page) -> Table {
    let mut children: BTreeMap<ResourceId, Vec<ResourceId>> = BTreeMap::new();
    for resource in &page.resources {
        if let Some(parent) = resource.discovery.trigger.parent() {
            children.entry(parent).or_default().push(resource.id);
        }
    }
    let longest = width().saturating_sub(70).max(SHORTEST_URL);
    let mut rows = Vec::with_capacity(page.resources.len());
    // Pop the last element next. Children are pushed in reverse order.
    let mut stack = vec![(ResourceId(0), 0_usize)];
    while let Some((id, depth)) = stack.pop() {
        rows.push(row(page, page.resource(id), depth, longest));
        let below = children.get(&id).map_or(&[][..], Vec::as_slice);
        stack.extend(below.iter().rev().map(|&child| (child, depth + 1)));
    }
    let header = [
        "resource", "for", "priority", "", "by", "found", "KB", "think",
    ];
    let mut table = table(&header, 5, rows);
    if let Some(column) = table.column_mut(0) {
        // Long URLs are shortened, so that a row stays on one line.
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(
            longest as u16 + 2,
        )));
    }
    table
}

fn row(page: &Page, resource: &Resource, depth: usize, longest: usize) -> Vec<String> {
    let indent = "  ".repeat(depth.min(longest.saturating_sub(SHORTEST_URL) / 2));
    let label = format!("{indent}{}", label(page, resource));
    let mut marks = String::new();
    marks.push_str(if resource.render_blocking { "!" } else { "" });
    marks.push_str(if resource.in_viewport { "v" } else { "" });
    vec![
        shorten(&label, longest),
        purpose(resource),
        resource.priority.to_string(),
        marks,
        evidence(resource.discovery.evidence).to_owned(),
        found(page, resource),
        kilobytes(resource.body_bytes),
        resource.think_time.to_string(),
    ]
}

/// Returns the path, preceded by the host if it is not the document's.
fn label(page: &Page, resource: &Resource) -> String {
    let origin = page.origin(resource.origin);
    let rest = resource
        .url
        .split_once("://")
        .map_or(resource.url.as_str(), |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    let is_documents = resource.origin == page.resource(page.document).origin;
    let host = if is_documents && resource.id != ResourceId(0) {
        ""
    } else {
        &origin.host
    };
    let mut label = String::new();
    if !matches!(resource.status, 200 | 0) {
        // Writing to a string cannot fail.
        let _ = write!(label, "{} ", resource.status);
    }
    label.push_str(host);
    label.push_str(path);
    label
}

fn purpose(resource: &Resource) -> String {
    match (resource.destination, resource.script_mode) {
        (Destination::Script, ScriptMode::Blocking) => "script".to_owned(),
        (Destination::Script, ScriptMode::Defer) => "script defer".to_owned(),
        (Destination::Script, ScriptMode::Async) => "script async".to_owned(),
        (Destination::Script, ScriptMode::Inserted) => "script ins.".to_owned(),
        _ if resource.is_synchronous() => "fetch sync.".to_owned(),
        (other, _) => other.to_string(),
    }
}

const fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Recorded => "rec",
        Evidence::RecordedParent => "rec~",
        Evidence::Body => "body",
        Evidence::Timing => "time",
        Evidence::Rule => "rule",
    }
}

fn found(page: &Page, resource: &Resource) -> String {
    match resource.discovery.trigger {
        Trigger::Navigation => "navigation".to_owned(),
        Trigger::Redirect { .. } => "redirect".to_owned(),
        Trigger::Markup { parent, offset } => percentage(page, parent, offset),
        Trigger::Inline { parent, offset } => {
            format!("inline {}", percentage(page, parent, offset))
        }
        Trigger::Style { .. } => "style".to_owned(),
        Trigger::Script { delay, .. } | Trigger::After { delay, .. } => {
            let since = match resource.discovery.wait {
                None => "",
                Some(Wait::ContentLoaded) => "DCL ",
                Some(Wait::Loaded) => "load ",
                Some(Wait::Resource { .. } | Wait::Join { .. }) => "call ",
            };
            format!("{since}+{delay}")
        }
    }
}

/// Returns the position in the body of `parent` as text.
fn percentage(page: &Page, parent: ResourceId, offset: u64) -> String {
    let whole = page.resource(parent).body_bytes.max(1);
    format!("{:.0} %", offset as f64 / whole as f64 * 100.0)
}

fn kilobytes(bytes: u64) -> String {
    let kb = bytes as f64 / 1000.0;
    if kb < 9.95 {
        format!("{kb:.1}")
    } else {
        format!("{kb:.0}")
    }
}

/// Shortens text to `max` characters. The cut is in the middle, the least telling part of
/// a URL.
fn shorten(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let tail = max / 3;
    let head: String = text.chars().take(max - tail - 1).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{head}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_cut_in_the_middle() {
        assert_eq!(shorten("abcdefghij", 10), "abcdefghij");
        assert_eq!(shorten("abcdefghijk", 10), "abcdef…ijk");
    }

    #[test]
    fn kilobytes_have_a_fraction_only_where_it_says_something() {
        assert_eq!(kilobytes(0), "0.0");
        assert_eq!(kilobytes(9_940), "9.9");
        assert_eq!(kilobytes(9_960), "10");
        assert_eq!(kilobytes(123_456), "123");
    }
}
