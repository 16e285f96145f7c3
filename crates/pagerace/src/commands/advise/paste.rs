//! Lines that people paste to make a change.

use std::collections::BTreeSet;

use pagerace_core::Destination;
use pagerace_lab::advice::selector;
use pagerace_page::change::Edit;
use pagerace_page::{Changes, Page, Resource};

/// The lines that make changes.
pub(super) struct Paste {
    /// The text to write, and its place.
    pub(super) lines: Vec<String>,
    /// The changes that no line makes.
    pub(super) without: Vec<String>,
}

/// Returns the lines that make these changes.
pub(super) fn paste(page: &Page, changes: &Changes) -> Paste {
    let (mut lines, mut without) = (BTreeSet::new(), Vec::new());
    let mut after = page.clone();
    for change in changes.all() {
        let Ok(changed) = Changes::new(vec![change.clone()]).apply(&after) else {
            break;
        };
        let (mut is_written, mut moved) = (false, Vec::new());
        for id in change.acted(&after) {
            let resource = after.resource(id);
            // Files of several folders may have one name.
            let own = selector(&after, resource);
            let name = own.as_deref().unwrap_or(&resource.url);
            let line = match change.edit(resource, &after) {
                Edit::Insert(element) => format!("in <head>: {element}"),
                Edit::Set(attribute, value) if value.is_empty() => {
                    format!("to the element of {name}: {attribute}")
                }
                Edit::Set(attribute, value) => {
                    format!("to the element of {name}: {attribute}=\"{value}\"")
                }
                Edit::Face(display) => match of_google(&after, resource) {
                    Some(sheet) => format!("to the URL of {sheet}: &display={display}"),
                    None => format!("in the @font-face rule of {name}: font-display: {display}"),
                },
                Edit::Rename(url) => {
                    moved.push((resource.url.clone(), url));
                    is_written = true;
                    continue;
                }
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
                Edit::FirstScreen => format!(
                    "instead of the element of {name}: <style>, with what `pagerace page FILE --critical-css` \
                     prints for it, and <link rel=\"stylesheet\" href=\"{}\" media=\"print\" \
                     onload=\"this.media='all'\">",
                    resource.url
                ),
                Edit::Join => format!("in the file that takes the place of the first: {name}"),
                Edit::Early(link) => format!("as a 103 response before the document: Link: {link}"),
                Edit::Encode(coding) => {
                    format!("to the response of {name}: Content-Encoding: {coding}")
                }
                Edit::Remove => format!("remove the element of {name}"),
                Edit::Replace(_) | Edit::Served | Edit::Other => continue,
            };
            lines.insert(line);
            is_written = true;
        }
        lines.extend(renamed(&moved));
        if !is_written {
            without.push(change.to_string());
        }
        after = changed.page;
    }
    Paste {
        lines: lines.into_iter().collect(),
        without,
    }
}

/// Returns the lines that write other URLs: one for each, or one for all if there are many that differ
/// in their beginnings alone.
fn renamed(moved: &[(String, String)]) -> Vec<String> {
    let beginning = |(old, new): &(String, String)| {
        let host = old.find("://").map_or(0, |at| at + 3);
        let path = &old[host + old[host..].find('/')?..];
        let begins = new.strip_suffix(path)?;
        Some((old.strip_suffix(path)?.to_owned(), begins.to_owned()))
    };
    let beginnings: BTreeSet<_> = moved.iter().map(beginning).collect();
    match (moved.len(), beginnings.first()) {
        (4.., Some(Some((old, new)))) if beginnings.len() == 1 => {
            vec![format!(
                "instead of {old}/..: {new}/.. ({} files)",
                moved.len()
            )]
        }
        _ => moved
            .iter()
            .map(|(old, new)| format!("instead of {old}: {new}"))
            .collect(),
    }
}

/// Returns the style sheet of Google Fonts that names the font. Nobody edits its rules, but its URL
/// takes a `font-display` (<https://developers.google.com/fonts/docs/css2#use_font-display>).
fn of_google(page: &Page, font: &Resource) -> Option<String> {
    let sheet = page.resource(font.discovery.trigger.parent()?);
    let is_google = page.origin(sheet.origin).host == "fonts.googleapis.com";
    is_google.then(|| selector(page, sheet).unwrap_or_else(|| sheet.url.clone()))
}

/// Returns true if live servers can make all the changes.
pub(super) fn is_servable(page: &Page, changes: &Changes) -> bool {
    changes.all().iter().all(|change| {
        let mut selected = change.selected(page).into_iter();
        selected.all(|id| change.edit(page.resource(id), page) != Edit::Other)
    })
}

/// Returns the last part of a URL's path that says something.
pub(super) fn name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let last = path.trim_end_matches('/').rsplit('/').next();
    last.filter(|name| !name.is_empty()).unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn many_urls_of_one_host_are_one_line() {
        let moved = |host: &str, number: usize| {
            let path = format!("/files/{number}.js");
            (
                format!("https://{host}{path}"),
                format!("https://shop.example/{host}{path}"),
            )
        };
        let few: Vec<_> = (0..3).map(|number| moved("cdn.example", number)).collect();
        assert_eq!(renamed(&few).len(), 3);
        let mut many: Vec<_> = (0..9).map(|number| moved("cdn.example", number)).collect();
        assert_eq!(
            renamed(&many),
            ["instead of https://cdn.example/..: https://shop.example/cdn.example/.. (9 files)"]
        );
        many.push(moved("other.example", 1));
        assert_eq!(renamed(&many).len(), 10);
    }
}
