//! The file that lists changes to try.

use std::sync::Arc;

use pagerace_net::Network;
use pagerace_page::{Changes, Page};
use thiserror::Error;

const HEADER: &str = "page,network,change";

/// A change to try on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Line of the file, from 1.
    line: usize,
    /// Short name of the page.
    pub page: String,
    /// The network on which the page is loaded, if the list names it.
    pub network: Option<Network>,
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

/// Reads a list of changes, with lines such as `shop,slow-4g,preload */hero.jpg`, in which the network
/// may be empty. `file` names the list in errors.
///
/// # Errors
/// A line is malformed.
pub fn list(file: &str, text: &str) -> Result<Vec<Listed>, ListError> {
    let mut lines = text.lines().enumerate();
    if lines.next().is_none_or(|(_, first)| first.trim() != HEADER) {
        return Err(ListError::Header {
            file: file.to_owned(),
        });
    }
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let one = |(index, text): (usize, &str)| {
        let line = index + 1;
        listed(line, text).map_err(|reason| ListError::Line {
            file: file.to_owned(),
            line,
            reason,
        })
    };
    lines.map(one).collect()
}

fn listed(line: usize, text: &str) -> Result<Listed, String> {
    let mut parts = text.splitn(3, ',');
    let (Some(name), Some(network), Some(changes)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err("write a page, a network or nothing, and a change, separated by commas".into());
    };
    let network = Some(network).filter(|network| !network.is_empty());
    let network = network.map(Network::parse).transpose();
    Ok(Listed {
        line,
        page: name.to_owned(),
        network: network.map_err(|error| format!("{error}"))?,
        changes: changes.parse().map_err(|error| format!("{error}"))?,
    })
}

/// Checks that the changes of a list, which was read from `file`, can be made to `pages`.
///
/// # Errors
/// A page is missing, or a change cannot be made to it.
pub fn check(file: &str, all: &[Listed], pages: &[Arc<Page>]) -> Result<(), ListError> {
    for listed in all {
        let page = pages.iter().find(|page| page.name == listed.page);
        let reason = match page.map(|page| listed.changes.apply(page)) {
            Some(Ok(_)) => continue,
            Some(Err(error)) => error.to_string(),
            None => format!("there is no page `{}`", listed.page),
        };
        return Err(ListError::Line {
            file: file.to_owned(),
            line: listed.line,
            reason,
        });
    }
    Ok(())
}
