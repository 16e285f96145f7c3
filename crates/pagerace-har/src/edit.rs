//! A recording as its site would serve it after changes of its pages.
//!
//! Markup and style sheets are edited where they name a resource on which the change acts; all else
//! stays as recorded, byte for byte. What scripts request cannot be edited.

pub(crate) mod inside;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use bytes::Bytes;
use html5gum::{StartTag, Token};
use pagerace_core::Destination;
use pagerace_page::change::{Change, Edit};
use pagerace_page::{Changes, Page, ResourceId};
use thiserror::Error;
use url::Url;

use crate::error::ImportError;
use crate::har::markup::{Element, scan, tokens};
use crate::recording::{Exchange, Recording};

/// A recording after changes.
#[derive(Clone, Debug)]
pub struct Edited {
    /// The recording.
    pub recording: Recording,
    /// The URLs of changed resources that no recorded markup or style sheet names. Browsers still
    /// request them as before.
    pub unnamed: Vec<String>,
}

/// The reason why a change cannot be made to what servers send.
#[derive(Debug, Error)]
pub enum EditError {
    /// The change cannot be made to the page.
    #[error(transparent)]
    Page(#[from] pagerace_page::change::CannotChange),
    /// A file that a change names cannot be read.
    #[error(transparent)]
    File(#[from] ImportError),
    /// Markup alone cannot make the change.
    #[error(
        "`{change}`: the recorded bodies alone cannot make this change; simulate it with \
         `pagerace race`"
    )]
    Other {
        /// The change.
        change: String,
    },
    /// The body that becomes a part of another one is not recorded, or is no text.
    #[error(
        "`{change}`: the recording holds no text of {url}; simulate the change with `pagerace race`"
    )]
    NoBody {
        /// The change.
        change: String,
        /// The resource.
        url: String,
    },
    /// No recorded body names any of the resources.
    #[error(
        "`{change}`: no recorded markup or style sheet names {url}, so servers cannot change its \
         request; simulate the change with `pagerace race`"
    )]
    Unnamed {
        /// The change.
        change: String,
        /// The first resource.
        url: String,
    },
}

impl Recording {
    /// Returns the rules that the first screen needs of each style sheet of which they are known, as they
    /// may stand inside the document.
    pub fn first_screen(&self) -> impl Iterator<Item = (&Url, String)> {
        self.exchanges.iter().filter_map(|one| {
            let rules = one.first_screen.as_deref()?;
            Some((&one.url, inside::with_absolute_urls(rules, &one.url)))
        })
    }

    /// Returns the recording after `changes`.
    ///
    /// # Errors
    /// A change has no effect on the page, or on what servers send.
    pub fn changed(&self, changes: &Changes) -> Result<Edited, EditError> {
        let mut changed = self.clone();
        self.measure(&mut changed.page, changes)?;
        let mut unnamed = Vec::new();
        for change in changes.all() {
            let one = Changes::new(vec![change.clone()]);
            let after = one.apply(&changed.page)?;
            unnamed.extend(changed.edit(change)?);
            for exchange in &mut changed.exchanges {
                exchange.resource = exchange.resource.and_then(|id| after.kept.place(id));
            }
            changed.page = after.page;
        }
        Ok(Edited {
            recording: changed,
            unnamed,
        })
    }

    /// Changes what servers send besides markup, and returns the edits with the bodies that become
    /// parts of markup. URLs whose elements stay as they are are `named`.
    fn with_bodies(
        &mut self,
        change: &Change,
        acted: &[ResourceId],
        mut edits: BTreeMap<String, Edit>,
        named: &mut BTreeSet<String>,
    ) -> Result<BTreeMap<String, Edit>, EditError> {
        let page = &self.page;
        let (mut joined, mut copies) = (Vec::new(), Vec::new());
        for id in acted {
            let resource = page.resource(*id);
            let Some(url) = without_fragment(&resource.url) else {
                continue;
            };
            let Some(edit) = edits.get_mut(&url) else {
                continue;
            };
            let of_it = |one: &&mut Exchange| one.resource == Some(*id);
            let exchange = self.exchanges.iter_mut().find(of_it);
            match edit {
                Edit::Early(_) | Edit::Served => {
                    named.insert(url);
                }
                Edit::Rename(moved) => {
                    let (Some(exchange), Ok(moved)) = (exchange, Url::parse(moved)) else {
                        continue;
                    };
                    // The old URL stays for requests of scripts.
                    let mut copy = exchange.clone();
                    if resource.destination == Destination::Style
                        && let Some(sheet) = text(exchange)
                    {
                        let sheet = inside::with_absolute_urls(sheet, &exchange.url);
                        copy.body = Some(Bytes::from(sheet));
                    }
                    copy.url = moved;
                    copies.push(copy);
                }
                Edit::Encode(coding) => {
                    named.insert(url);
                    if let Some(exchange) = exchange {
                        set_coding(exchange, coding);
                    }
                }
                Edit::FirstScreen => {
                    let exchange = exchange.map(|one| &*one);
                    let rules =
                        exchange.and_then(|one| Some((one.first_screen.as_deref()?, &one.url)));
                    let Some((rules, sheet)) = rules else {
                        return Err(EditError::NoBody {
                            change: change.to_string(),
                            url,
                        });
                    };
                    let rules = inside::element(resource.destination, rules, sheet);
                    let href = resource.url.replace('&', "&amp;").replace('"', "%22");
                    *edit = Edit::Replace(format!(
                        "{rules}<link rel=\"stylesheet\" href=\"{href}\" media=\"print\" \
                         onload=\"this.media='all'\">"
                    ));
                }
                Edit::Inline | Edit::Join => {
                    let exchange = exchange.map(|one| &*one);
                    let found = exchange.and_then(|one| Some((text(one)?.to_owned(), one)));
                    let Some((body, exchange)) = found else {
                        return Err(EditError::NoBody {
                            change: change.to_string(),
                            url,
                        });
                    };
                    if *edit == Edit::Inline {
                        let inside = inside::element(resource.destination, &body, &exchange.url);
                        *edit = Edit::Replace(inside);
                        continue;
                    }
                    if joined.is_empty() {
                        // The joined file has another digest.
                        *edit = Edit::Rename(url);
                    } else {
                        *edit = Edit::Remove;
                    }
                    joined.push((body, exchange.url.clone()));
                }
                _ => {}
            }
        }
        if let Some(first) = acted.first()
            && !joined.is_empty()
        {
            let destination = page.resource(*first).destination;
            let all = joined.iter().map(|(body, url)| (body.as_str(), url));
            let body = inside::joined(destination, all);
            let mut exchanges = self.exchanges.iter_mut();
            if let Some(exchange) = exchanges.find(|one| one.resource == Some(*first)) {
                exchange.body = Some(Bytes::from(body));
            }
        }
        self.exchanges.extend(copies);
        Ok(edits)
    }

    /// Edits the bodies, and returns the URLs that none of them names.
    fn edit(&mut self, change: &Change) -> Result<Vec<String>, EditError> {
        let page = &self.page;
        let acted = change.acted(page);
        let selected = acted.iter().filter_map(|id| {
            let resource = page.resource(*id);
            let url = without_fragment(&resource.url)?;
            Some((url, change.edit(resource, page)))
        });
        let edits: BTreeMap<String, Edit> = selected.collect();
        if edits.values().all(|edit| *edit == Edit::Other) {
            return Err(EditError::Other {
                change: change.to_string(),
            });
        }
        let urls: BTreeSet<String> = edits.keys().cloned().collect();
        let mut named: BTreeSet<String> = BTreeSet::new();
        let edits = self.with_bodies(change, &acted, edits, &mut named)?;
        let page = &self.page;
        for exchange in &mut self.exchanges {
            let Some(text) = text(exchange) else { continue };
            let mut replacements = match destination(page, exchange) {
                Some(Destination::Document | Destination::Iframe) => {
                    let mut all = in_markup(text, &exchange.url, &edits, &mut named);
                    all.extend(in_rules(text, &exchange.url, &edits, &mut named));
                    if exchange.resource == Some(page.document) {
                        all.extend(in_head(text, &edits, &mut named));
                    }
                    all
                }
                Some(Destination::Style) => in_rules(text, &exchange.url, &edits, &mut named),
                _ => continue,
            };
            if change.edits_styles() {
                replacements.extend(in_styles(text, &exchange.url, &urls, &mut named));
            }
            if !replacements.is_empty() {
                exchange.body = Some(Bytes::from(replaced(text, replacements)));
            }
        }
        // A resource that another removed one leads to goes with it.
        let requested = |url: &String| {
            let mut all = page.resources.iter();
            let of = all.find(|one| without_fragment(&one.url).as_ref() == Some(url));
            let parent = of.and_then(|one| one.discovery.trigger.parent());
            parent.is_none_or(|parent| {
                let parent = without_fragment(&page.resource(parent).url);
                parent.is_none_or(|parent| !urls.contains(&parent))
            })
        };
        let unnamed = urls
            .iter()
            .filter(|url| !named.contains(*url) && requested(url));
        let unnamed: Vec<String> = unnamed.cloned().collect();
        match unnamed.first() {
            Some(url) if named.is_empty() => Err(EditError::Unnamed {
                change: change.to_string(),
                url: url.clone(),
            }),
            _ => Ok(unnamed),
        }
    }
}

fn destination(page: &Page, exchange: &Exchange) -> Option<Destination> {
    Some(page.resource(exchange.resource?).destination)
}

/// Lets the exchange have this content coding.
fn set_coding(exchange: &mut Exchange, coding: &str) {
    let fields = &mut exchange.fields;
    fields.retain(|(name, _)| name != "content-encoding");
    fields.push(("content-encoding".to_owned(), coding.to_owned()));
}

pub(crate) fn text(exchange: &Exchange) -> Option<&str> {
    std::str::from_utf8(exchange.body.as_ref()?).ok()
}

fn without_fragment(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

/// A range of a text, and what replaces it.
type Replacement = (Range<usize>, String);

/// Returns the elements that are added at the begin of the document's head.
fn in_head(
    html: &str,
    all: &BTreeMap<String, Edit>,
    named: &mut BTreeSet<String>,
) -> Option<Replacement> {
    let mut added = String::new();
    for (url, edit) in all {
        if let Edit::Insert(element) = edit {
            named.insert(url.clone());
            // Connections to one host need one element.
            if !added.contains(element) {
                added.push_str(element);
            }
        }
    }
    let tags = tokens(html).filter_map(|token| match token {
        Token::StartTag(tag) => Some(tag),
        _ => None,
    });
    let mut at = 0;
    for tag in tags {
        match &**tag.name {
            b"html" => at = tag.span.end,
            b"head" => {
                at = tag.span.end;
                break;
            }
            _ => break,
        }
    }
    (!added.is_empty()).then_some((at..at, added))
}

/// Returns the replacements in markup for elements that name one of the URLs.
fn in_markup(
    html: &str,
    document: &Url,
    all: &BTreeMap<String, Edit>,
    named: &mut BTreeSet<String>,
) -> Vec<Replacement> {
    let mut ends: BTreeMap<usize, &Edit> = BTreeMap::new();
    for reference in scan(html, document) {
        let is_preload = reference.element == Element::Preload;
        if let Some((url, edit)) = all.get_key_value(&reference.url)
            && matches!(
                edit,
                Edit::Remove
                    | Edit::Set(..)
                    | Edit::Move
                    | Edit::Hold
                    | Edit::Rename(_)
                    | Edit::Replace(_)
            )
        {
            // A preload of a file that stands in the document is idle; one of a file that moves, or
            // runs otherwise, stays.
            let edit = match edit {
                Edit::Replace(_) if is_preload => &Edit::Remove,
                Edit::Move | Edit::Set("type" | "media", _) if is_preload => continue,
                edit => edit,
            };
            // The preload goes, and nothing takes the place of an element that a script makes.
            if !(is_preload && *edit == Edit::Remove && matches!(all[url], Edit::Replace(_))) {
                named.insert(url.clone());
            }
            ends.insert(reference.offset as usize, edit);
        }
    }
    let mut edits = Vec::new();
    // The element that is being removed, what takes its place, and the picture around it.
    let (mut removed, mut picture): (Option<Open>, Option<Open>) = (None, None);
    let mut instead = String::new();
    // The elements that move to the end of the body, and the place of that end.
    let (mut moved, mut is_moved, mut end) = (String::new(), false, html.len());
    let mut for_image = None;
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => {
                let open = Open::new(&tag);
                if removed.is_some() {
                    continue;
                }
                if open.name == b"picture" {
                    picture = Some(open.clone());
                }
                let of_picture = for_image.take_if(|_| open.name == b"img");
                let Some(edit) = ends.get(&tag.span.end).copied().or(of_picture) else {
                    continue;
                };
                match edit {
                    Edit::Insert(_)
                    | Edit::Early(_)
                    | Edit::Encode(_)
                    | Edit::Inline
                    | Edit::FirstScreen
                    | Edit::Join
                    | Edit::Face(_)
                    | Edit::Served
                    | Edit::Other => {}
                    Edit::Rename(moved) => {
                        let text = &html[tag.span.start..tag.span.end];
                        for (name, value) in inside::attributes(text) {
                            // The new body may differ in its URLs.
                            if text[name.clone()].eq_ignore_ascii_case("integrity") {
                                let at = tag.span.start + name.start;
                                edits.push((at..at, "data-".to_owned()));
                            }
                            let whole = text[value.clone()].replace("&amp;", "&");
                            let url = document.join(whole.trim()).ok();
                            let url = url.and_then(|url| without_fragment(url.as_str()));
                            let of_it = url.and_then(|url| all.get(&url));
                            if of_it == Some(edit) {
                                let at = tag.span.start + value.start..tag.span.start + value.end;
                                edits.push((at, moved.replace('&', "&amp;")));
                            }
                        }
                    }
                    // The picture's image has the attributes for all of its sources.
                    Edit::Set(..) if open.name == b"source" && picture.is_some() => {
                        for_image = Some(edit);
                    }
                    Edit::Set(name, value) => {
                        // Browsers use the first of two attributes with one name.
                        let at = tag.span.start + 1 + tag.name.len();
                        let value = match value.as_str() {
                            "" => String::new(),
                            value => format!("=\"{value}\""),
                        };
                        edits.push((at..at, format!(" {name}{value}")));
                    }
                    Edit::Hold => {
                        let text = &html[tag.span.start..tag.span.end];
                        for (name, _) in inside::attributes(text) {
                            let names = ["src", "srcset", "imagesrcset", "href", "data", "poster"];
                            if names
                                .iter()
                                .any(|one| one.eq_ignore_ascii_case(&text[name.clone()]))
                            {
                                let at = tag.span.start + name.start;
                                edits.push((at..at, "data-".to_owned()));
                            }
                        }
                    }
                    Edit::Remove if picture.is_some() => removed = picture.take(),
                    Edit::Remove | Edit::Move | Edit::Replace(_) => {
                        is_moved = *edit == Edit::Move;
                        instead = match edit {
                            Edit::Replace(markup) => with_media(markup, &tag),
                            _ => String::new(),
                        };
                        if open.has_end() {
                            removed = Some(open);
                            continue;
                        }
                        let instead = std::mem::take(&mut instead);
                        edits.push((tag.span.start..tag.span.end, instead));
                    }
                }
            }
            Token::EndTag(tag) => {
                if let Some(open) = removed.take_if(|open| *open.name == *tag.name) {
                    let whole = open.start..tag.span.end;
                    if std::mem::take(&mut is_moved) {
                        moved.push_str(&html[whole.clone()]);
                    }
                    edits.push((whole, std::mem::take(&mut instead)));
                }
                if **tag.name == *b"body" {
                    end = tag.span.start;
                }
                picture.take_if(|open| *open.name == *tag.name);
            }
            _ => {}
        }
    }
    if !moved.is_empty() {
        edits.push((end..end, moved));
    }
    edits
}

/// Returns the markup that takes the place of an element. Styles apply to the same media.
fn with_media(markup: &str, tag: &StartTag<usize>) -> String {
    let media = tag.attributes.get(b"media".as_slice());
    match (markup.strip_prefix("<style>"), media) {
        (Some(rest), Some(media)) => {
            let media = String::from_utf8_lossy(media).replace('"', "&quot;");
            format!("<style media=\"{media}\">{rest}")
        }
        _ => markup.to_owned(),
    }
}

/// A start tag.
#[derive(Clone)]
struct Open {
    name: Vec<u8>,
    start: usize,
}

impl Open {
    fn new(tag: &StartTag<usize>) -> Self {
        Self {
            name: tag.name.to_vec(),
            start: tag.span.start,
        }
    }

    /// Returns true for elements with an end tag.
    fn has_end(&self) -> bool {
        !matches!(
            self.name.as_slice(),
            b"img" | b"link" | b"source" | b"input" | b"embed" | b"track" | b"frame" | b"base"
        )
    }
}

/// Returns the replacements of `url(..)` and of imports that name one of `urls`, in a style sheet
/// or in the styles of a document. An empty resource, which needs no request, takes its place.
fn in_styles(
    text: &str,
    base: &Url,
    urls: &BTreeSet<String>,
    named: &mut BTreeSet<String>,
) -> Vec<Replacement> {
    let mut edits = Vec::new();
    inside::names(text, |range, is_string| {
        let name = inside::trimmed(&text[range.clone()]);
        let url = base
            .join(name)
            .ok()
            .and_then(|url| without_fragment(url.as_str()));
        if let Some(url) = url.filter(|url| urls.contains(url)) {
            named.insert(url);
            let instead = if is_string { "\"data:,\"" } else { "data:," };
            edits.push((range, instead.to_owned()));
        }
    });
    edits
}

/// Returns the replacements in the rules of a style sheet, or of the styles of a document.
fn in_rules(
    text: &str,
    base: &Url,
    all: &BTreeMap<String, Edit>,
    named: &mut BTreeSet<String>,
) -> Vec<Replacement> {
    let mut edits = Vec::new();
    let is_of_rules = |edit: &Edit| matches!(edit, Edit::Face(_) | Edit::Rename(_));
    if !all.values().any(is_of_rules) {
        return edits;
    }
    inside::names(text, |range, is_string| {
        let name = inside::trimmed(&text[range.clone()]);
        let url = base.join(name).ok();
        let url = url.and_then(|url| without_fragment(url.as_str()));
        let Some((url, edit)) = url.and_then(|url| all.get_key_value(&url)) else {
            return;
        };
        match edit {
            Edit::Face(display) => {
                let from = text[..range.start].rfind("@font-face");
                let end = text[range.end..].find('}');
                let is_in_rule = from.is_some_and(|from| !text[from..range.start].contains('}'));
                if let Some(end) = end.filter(|_| is_in_rule) {
                    // The last of two descriptors with one name counts.
                    let at = range.end + end;
                    edits.push((at..at, format!(";font-display:{display}")));
                    named.insert(url.clone());
                }
            }
            Edit::Rename(moved) => {
                let moved = moved.replace('"', "%22");
                let moved = if is_string {
                    format!("\"{moved}\"")
                } else {
                    moved
                };
                edits.push((range, moved));
                named.insert(url.clone());
            }
            _ => {}
        }
    });
    edits
}

/// Returns the text with these replacements. Of two that overlap, the first one counts.
fn replaced(text: &str, mut edits: Vec<Replacement>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (range, instead) in edits {
        if range.start < done {
            continue;
        }
        out.push_str(&text[done..range.start]);
        out.push_str(&instead);
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests;
