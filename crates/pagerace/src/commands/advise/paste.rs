//! Lines that people paste to make a change.

use std::collections::BTreeSet;

use pagerace_core::Destination;
use pagerace_page::change::Edit;
use pagerace_page::{Changes, Page};

/// Returns what to write, and where.
pub(super) fn lines(page: &Page, changes: &Changes) -> Vec<String> {
    let mut lines = BTreeSet::new();
    let mut after = page.clone();
    for change in changes.all() {
        let Ok(changed) = Changes::new(vec![change.clone()]).apply(&after) else {
            break;
        };
        for id in change.acted(&after) {
            let resource = after.resource(id);
            let name = name(&resource.url);
            let line = match change.edit(resource, &after) {
                Edit::Insert(element) => format!("in <head>: {element}"),
                Edit::Set(attribute, value) if value.is_empty() => {
                    format!("to the element of {name}: {attribute}")
                }
                Edit::Set(attribute, value) => {
                    format!("to the element of {name}: {attribute}=\"{value}\"")
                }
                Edit::Face(display) => {
                    format!("in the @font-face rule of {name}: font-display: {display}")
                }
                Edit::Rename(url) => format!("instead of {}: {url}", resource.url),
                Edit::Move => format!("move the element of {name} to the end of <body>"),
                Edit::Hold => format!(
                    "in the element of {name}: data-src instead of src, until somebody clicks"
                ),
                Edit::Inline => {
                    let tag = match resource.destination {
                        Destination::Style => "style",
                        _ => "script",
                    };
                    format!("instead of the element of {name}: <{tag}>, with the file's text")
                }
                Edit::Join => format!("in the file that takes the place of the first: {name}"),
                Edit::Early(link) => format!("as a 103 response before the document: Link: {link}"),
                Edit::Encode(coding) => {
                    format!("to the response of {name}: Content-Encoding: {coding}")
                }
                Edit::Remove | Edit::Replace(_) | Edit::Served | Edit::Other => continue,
            };
            lines.insert(line);
        }
        after = changed.page;
    }
    lines.into_iter().collect()
}

/// Returns true if markup can make all the changes, and live loads show what they do: Chromium
/// ignores hints in the contexts that those use.
pub(super) fn is_servable(page: &Page, changes: &Changes) -> bool {
    const HINTS: [&str; 3] = ["preconnect", "dns-prefetch", "early-hints"];
    changes.all().iter().all(|change| {
        !HINTS.contains(&change.kind()) && {
            let mut selected = change.selected(page).into_iter();
            selected.all(|id| change.edit(page.resource(id), page) != Edit::Other)
        }
    })
}

/// Returns the last part of a URL's path that says something.
pub(super) fn name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let last = path.trim_end_matches('/').rsplit('/').next();
    last.filter(|name| !name.is_empty()).unwrap_or(url)
}
