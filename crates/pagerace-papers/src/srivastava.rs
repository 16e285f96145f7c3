//! Srivastava 2024: partially reliable delivery of a news page, and a user study of delayed
//! responses.

mod news;

use pagerace_core::Duration;
use pagerace_har::TransferSequence;
use pagerace_har::sequence::{Transfer, file_name};
use pagerace_page::{Category, Interventions};

use self::news::{VERSIONS, news};

/// Name of [`RELIABILITY`] and of [`interventions`] in lists.
pub const THESIS: &str = "thesis";

/// The reliability policies of section 5.9, in its order. The first is its baseline. Its
/// "third-party" category is expressed as third-party scripts, ads and third-party style
/// sheets.
pub const RELIABILITY: &[&str] = &[
    "full",
    "datagram:fonts",
    "datagram:ads+css",
    "datagram:third-party-js+ads+third-party-css",
    "datagram:fonts+ads",
    "datagram:fonts+third-party-js+ads+third-party-css",
];

/// The variants of section 5.10.2: the original, then delays of fonts, of style sheets, and of
/// both with third-party scripts, each by a short time and by one second. Deviation: the study
/// delayed hand-picked fonts and "non-essential" style sheets of one page; these selectors
/// select all of them.
const INTERVENTIONS: [(&str, &str); 7] = [
    ("1", "none"),
    ("2A", "fonts=140ms"),
    ("2B", "fonts=1s"),
    ("3A", "css=182ms"),
    ("3B", "css=1s"),
    ("4A", "fonts+css+third-party-js=376ms"),
    ("4B", "fonts+css+third-party-js=1s"),
];

/// The results of the user study, in the form that a survey's file has under `published`. The study
/// gives shares, and no number of people. Its options are those of the questions of a new survey
/// that mean the same; it reports a tenth less than all people on third-party functions.
pub const SURVEY: &str = include_str!("../data/srivastava-survey.json");

/// Prefix of the names of the synthetic pages, before the version.
const PAGES: &str = "srivastava-news-";
/// Seed of the synthetic pages.
const SEED: u64 = 1;
/// Name of the page that is one file.
const FILE: &str = "srivastava-50mb";
/// Size of this file in bytes (section 5.2).
const FILE_BYTES: u64 = 50_000_000;

/// Categories of the requests of a news page, as Table 4 has them: requests, kilobytes, and whether
/// they are essential.
pub const CATEGORIES: [(Category, [&str; 3]); 8] = [
    (Category::Ads, ["9", "405", "no"]),
    (Category::Images, ["40", "815", "maybe"]),
    (Category::Html, ["5", "238", "yes"]),
    (Category::Javascript, ["29", "733.5", "yes"]),
    (Category::Json, ["16", "120", "maybe"]),
    (Category::Css, ["4", "30", "yes"]),
    (Category::Fonts, ["12", "338.1", "no"]),
    (Category::Others, ["14", "1130 to 3778", "maybe"]),
];

/// Returns the seven variants of a page in the user study, the original first.
///
/// # Panics
/// Never panics, because a test reads all of them.
pub fn interventions() -> Vec<Interventions> {
    INTERVENTIONS.map(|(_, text)| read(text)).into()
}

/// Returns the name of a variant in the user study, such as 2A; `None` if it is none of its seven.
pub fn version(variant: &Interventions) -> Option<&'static str> {
    let mut all = INTERVENTIONS.iter();
    let found = all.find(|(_, text)| read(text) == *variant);
    found.map(|(name, _)| *name)
}

fn read(text: &str) -> Interventions {
    text.parse().expect("the variants are interventions")
}

/// Returns the synthetic page with this name: `srivastava-news-1` to `srivastava-news-6`, or
/// `srivastava-50mb`, a single file. Returns `None` if no page has such a name.
///
/// # Errors
/// A message with the names that exist, if there is no such version.
pub fn page(name: &str) -> Result<Option<TransferSequence>, String> {
    if name == FILE {
        return Ok(Some(file()));
    }
    let Some(version) = name.strip_prefix(PAGES) else {
        return Ok(None);
    };
    match version.parse() {
        Ok(version @ 1..=VERSIONS) => Ok(Some(news(version, SEED))),
        _ => Err(format!("{name}: there are {PAGES}1 to {PAGES}{VERSIONS}")),
    }
}

/// Returns the bulk transfer as a page of one object.
fn file() -> TransferSequence {
    let extension = "bin";
    TransferSequence::new(vec![Transfer {
        id: 0,
        category: Category::Others,
        extension: extension.to_owned(),
        size: FILE_BYTES,
        start: Duration::ZERO,
        transfer_time: None,
        file_name: file_name(0, extension),
        url: None,
        third_party: None,
        must_be_whole: true,
    }])
}

#[cfg(test)]
mod tests;
