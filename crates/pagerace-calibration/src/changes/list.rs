//! The file that lists changes to try.

use std::sync::Arc;

use pagerace_page::change::CannotChange;
use pagerace_page::{Changes, Page};
use thiserror::Error;

const HEADER: &str = "page,change";

/// A change to try on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Short name of the page.
    pub page: String,
    /// The change.
    pub changes: Changes,
}

/// The reason why a list cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ListError {
    /// The first line is another one.
    #[error("{file}:1: the file begins with `{HEADER}`")]
    Header {
        /// The file.
        file: String,
    },
    /// A line names a page that is not there, or something that is no change.
    #[error("{file}:{line}: {reason}")]
    Line {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// The reason.
        reason: String,
    },
}

/// Reads a list of changes of `pages`, with lines such as `shop,preload */hero.jpg`. `file` names
/// it in errors.
///
/// # Errors
/// A line is malformed, or its change cannot be made to its page.
pub fn list(file: &str, text: &str, pages: &[Arc<Page>]) -> Result<Vec<Listed>, ListError> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, first)| first.trim() != HEADER) {
        return Err(ListError::Header {
            file: file.to_owned(),
        });
    }
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let one = |(index, line): (usize, &str)| {
        listed(line, pages).map_err(|reason| ListError::Line {
            file: file.to_owned(),
            line: index + 1,
            reason,
        })
    };
    lines.map(one).collect()
}

fn listed(line: &str, pages: &[Arc<Page>]) -> Result<Listed, String> {
    let parts = line.split_once(',');
    let (name, changes) = parts.ok_or("write a page's name, a comma and a change")?;
    let changes: Changes = changes.parse().map_err(|error| format!("{error}"))?;
    let mut pages = pages.iter();
    let page = pages.find(|page| page.name == name);
    let page = page.ok_or_else(|| format!("there is no page `{name}`"))?;
    changes
        .apply(page)
        .map_err(|error: CannotChange| error.to_string())?;
    Ok(Listed {
        page: name.to_owned(),
        changes,
    })
}
