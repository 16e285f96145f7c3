//! Lines that people paste to make a change.

use std::collections::BTreeSet;

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
        for id in change.selected(&after) {
            let resource = after.resource(id);
            let place = changed.kept.place(id);
            let is_same = place.is_some_and(|id| changed.page.resource(id) == resource);
            let name = name(&resource.url);
            let line = match change.edit(resource, &after) {
                Edit::Insert(element) => format!("in <head>: {element}"),
                // The change does nothing to this one.
                Edit::Set(..) if is_same => continue,
                Edit::Set(attribute, value) if value.is_empty() => {
                    format!("to the element of {name}: {attribute}")
                }
                Edit::Set(attribute, value) => {
                    format!("to the element of {name}: {attribute}=\"{value}\"")
                }
                Edit::Remove | Edit::Other => continue,
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
    changes.all().iter().all(|change| {
        change.kind() != "preconnect" && {
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
