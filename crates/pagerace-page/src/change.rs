//! Changes of a page: what its makers could do to it, as a step from a page to a page before
//! the load.
//!
//! A change is written as its kind, the kind's value if it has one, and a selector:
//! `remove ads`, `fetchpriority=high */hero.jpg`. Module
//! [`selector`](crate::intervention::selector) documents selectors. Several changes are
//! separated by `;` and happen one after the other.
//!
//! Each kind is a file here and a line in [`KINDS`]. It says what the change does to the page
//! that the simulator loads, and what it does to the markup that a live server sends.

mod background_to_img;
mod body_end;
mod bundle;
mod cdn;
mod compress;
mod critical_css;
mod early_hints;
mod fetch_priority;
mod font_display;
mod format;
mod inline;
mod late;
mod loading;
mod module;
mod no_fade;
mod place;
mod preconnect;
mod preload;
mod priority;
mod remove;
mod resize;
mod retain;
mod script_mode;
mod self_host;
mod server_time;
mod timeout;

use std::fmt;
use std::str::FromStr;

use pagerace_core::suggest::did_you_mean;
use pagerace_core::{Destination, Duration, serde_as_text};
use thiserror::Error;

use crate::intervention::{Effect, InterventionError, Selector, Target};
use crate::{Evidence, Page, Resource, ResourceId};

pub use retain::Kept;

/// All kinds, in the order of lists.
pub static KINDS: [&dyn Kind; 32] = [
    &preload::Preload,
    &preload::ModulePreload,
    &preconnect::Preconnect,
    &preconnect::DnsPrefetch,
    &early_hints::EarlyHints,
    &fetch_priority::FetchPriority,
    &priority::Priority,
    &loading::Eager,
    &loading::Lazy,
    &script_mode::Async,
    &script_mode::Defer,
    &module::Module,
    &body_end::BodyEnd,
    &inline::Inline,
    &critical_css::CriticalCss,
    &bundle::Bundle,
    &late::Late,
    &remove::Facade,
    &timeout::Timeout,
    &font_display::FontDisplay,
    &background_to_img::BackgroundToImg,
    &no_fade::NoFade,
    &self_host::SelfHost,
    &cdn::Cdn,
    &compress::Compress,
    &compress::Dictionary,
    &format::Format,
    &resize::Resize,
    &resize::Subset,
    &resize::Split,
    &server_time::ServerTime,
    &remove::Remove,
];

/// The text form of no changes.
pub const NONE: &str = "unchanged";

/// A kind of change.
pub trait Kind: Sync {
    /// The name, in lower case.
    fn name(&self) -> &'static str;

    /// The value that follows the name and `=`.
    fn value(&self) -> Value {
        Value::None
    }

    /// The effect, in one sentence without a full stop.
    fn summary(&self) -> &'static str;

    /// A change of this kind, as people write it.
    fn example(&self) -> &'static str;

    /// Changes what the browser will do with the resources `on`, of which there is at least one.
    ///
    /// # Errors
    /// The reason why the change has no effect on any of them.
    fn apply(&self, value: &str, on: &[ResourceId], page: &mut Page) -> Result<Kept, String>;

    /// The same change to the markup that names this resource of `page`.
    fn edit(&self, value: &str, resource: &Resource, page: &Page) -> Edit;

    /// True if the change concerns style sheets that name the resources, too.
    fn edits_styles(&self) -> bool {
        false
    }

    /// Returns what tells the size of a body after the change; `None` if the page tells all.
    fn measure(&self, _value: &str) -> Option<Measure> {
        None
    }
}

/// The size to measure for a change, by encoding recorded bodies. The page has the result in
/// [`Resource::measured`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The body in this content coding.
    Coding(&'static str),
    /// The picture in this format.
    Picture(&'static str),
    /// The bytes by which the document grows with the body inside it.
    Inside,
    /// The bytes by which the document grows with the rules inside it that the first screen needs.
    FirstScreen,
    /// The bytes by which the body of the first resource grows with this one behind it.
    Joined,
    /// The body in a coding that refers to the earlier one in this recording (RFC 9842).
    Dictionary(String),
}

/// The value of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The change has none.
    None,
    /// One of these words.
    Word(&'static [&'static str]),
    /// This value, or none.
    Optional(&'static Value),
    /// A number above 0 and below 1.
    Share,
    /// A time, such as `50ms`.
    Time,
    /// A file.
    File,
}

/// A change of markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The element goes, with its content.
    Remove,
    /// An attribute of the element gets this value.
    Set(&'static str, String),
    /// The document's head begins with this element.
    Insert(String),
    /// The element moves to the end of the body.
    Move,
    /// The attribute that names the resource is renamed, so that browsers do not request it.
    Hold,
    /// The resource's body takes the place of the element.
    Inline,
    /// The rules of the style sheet that the first screen needs take the place of the element, and
    /// no paint waits for the sheet.
    FirstScreen,
    /// This markup takes the place of the element.
    Replace(String),
    /// The rule that declares the font has this `font-display`.
    Face(String),
    /// This URL, which has the same response, takes the place of the resource's.
    Rename(String),
    /// The first of several resources has the bodies of all, and the elements of the others go.
    Join,
    /// A 103 (Early Hints) response before that of the document has this `Link` field.
    Early(String),
    /// The servers send the body in this content coding.
    Encode(&'static str),
    /// Markup stays as it is: servers make the change alone, because they follow the page.
    Served,
    /// Markup alone cannot make the change.
    Other,
}

/// One change of a page.
#[derive(Clone)]
pub struct Change {
    kind: &'static dyn Kind,
    value: String,
    /// The requests concerned.
    pub selector: Selector,
}

/// Changes that happen one after the other; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    all: Vec<Change>,
}

/// A page after changes, and where its resources were before.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// The page after the changes.
    pub page: Page,
    /// For each resource of the page before: its place now, or `None` if it is gone.
    pub kept: Kept,
    /// The resources of the page before that may go, too: the recording does not tell what
    /// requests them, and one that led to others before them is gone.
    pub doubtful: Vec<ResourceId>,
}

/// The reason why a text is no change.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChangeError {
    /// The text lacks a kind or a selector.
    #[error("`{0}` is no change of a page; write a kind and what to change, as in `{example}`", example = KINDS[0].example())]
    Parts(String),
    /// There is no such kind.
    #[error("`{found}` is no kind of change; there are {known}{hint}")]
    Kind {
        /// The text in place of a kind.
        found: String,
        /// The kinds.
        known: String,
        /// A suggestion.
        hint: String,
    },
    /// The kind does not have this value.
    #[error("`{text}`: write {expected}")]
    Value {
        /// The kind and value as written.
        text: String,
        /// The text to write instead.
        expected: String,
    },
    /// The selector cannot be read.
    #[error(transparent)]
    Selector(#[from] InterventionError),
}

/// The reason why a change cannot be made to a page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{change}` on {page}: {reason}")]
pub struct CannotChange {
    /// The change.
    pub change: String,
    /// The name of the page.
    pub page: String,
    /// The reason.
    pub reason: String,
}

impl Change {
    /// Returns true if a word of a text begins a change: it names a kind, with or without value.
    pub fn begins_with(word: &str) -> bool {
        kind_of(word).is_some()
    }

    /// Returns the name of the change's kind.
    pub fn kind(&self) -> &'static str {
        self.kind.name()
    }

    /// Returns the change of the markup that names this resource of `page`.
    pub fn edit(&self, resource: &Resource, page: &Page) -> Edit {
        self.kind.edit(&self.value, resource, page)
    }

    /// Returns the resources of `page` that the change selects.
    pub fn selected(&self, page: &Page) -> Vec<ResourceId> {
        let all = page.resources.iter();
        let selected = all.filter(|resource| self.selector.selects(&Target::of(page, resource)));
        selected.map(|resource| resource.id).collect()
    }

    /// Returns the selected resources of `page` on which the change has an effect.
    pub fn acted(&self, page: &Page) -> Vec<ResourceId> {
        let mut selected = self.selected(page);
        if selected.len() > 1 && self.measure() != Some(Measure::Joined) {
            selected.retain(|id| {
                let alone = std::slice::from_ref(id);
                let done = self.kind.apply(&self.value, alone, &mut page.clone());
                done.is_ok()
            });
        }
        selected
    }

    /// Returns kind and value, such as `compress=br`: the name of measured sizes.
    pub fn name(&self) -> String {
        named(self.kind.name(), &self.value)
    }

    /// Returns what tells the size of a body after the change.
    pub fn measure(&self) -> Option<Measure> {
        self.kind.measure(&self.value)
    }

    /// Returns true if style sheets that name selected resources change, too.
    pub fn edits_styles(&self) -> bool {
        self.kind.edits_styles()
    }

    /// Makes the change.
    ///
    /// # Errors
    /// It selects nothing, or has no effect on what it selects.
    fn apply(&self, page: &mut Page) -> Result<Kept, CannotChange> {
        let on = self.selected(page);
        let name = page.name.clone();
        let done = if on.is_empty() {
            Err("it selects no request; `pagerace page FILE` lists them".to_owned())
        } else {
            self.kind.apply(&self.value, &on, page)
        };
        done.map_err(|reason| CannotChange {
            change: self.to_string(),
            page: name,
            reason,
        })
    }
}

impl Changes {
    /// Creates a list of these changes.
    pub fn new(all: Vec<Change>) -> Self {
        Self { all }
    }

    /// Returns all changes, in order.
    pub fn all(&self) -> &[Change] {
        &self.all
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the page after the changes.
    ///
    /// # Errors
    /// A change selects nothing, or has no effect on what it selects.
    pub fn apply(&self, page: &Page) -> Result<Changed, CannotChange> {
        let mut changed = Changed {
            page: page.clone(),
            kept: Kept::all(page.resources.len()),
            doubtful: Vec::new(),
        };
        for change in &self.all {
            let kept = change.apply(&mut changed.page)?;
            changed.kept = changed.kept.then(&kept);
        }
        changed.doubtful = doubtful(page, &changed.kept);
        Ok(changed)
    }
}

/// Returns the resources that may only have been requested because of one that is gone. A page
/// has its resources in the order of their requests.
fn doubtful(page: &Page, kept: &Kept) -> Vec<ResourceId> {
    let leads = |resource: &&Resource| {
        let alone = [Destination::Image, Destination::Font, Destination::Media];
        kept.place(resource.id).is_none() && !alone.contains(&resource.destination)
    };
    let Some(first) = page.resources.iter().find(leads) else {
        return Vec::new();
    };
    let later = page.resources[first.id.index()..].iter();
    let guessed = later.filter(|resource| {
        kept.place(resource.id).is_some() && resource.discovery.evidence >= Evidence::Timing
    });
    guessed.map(|resource| resource.id).collect()
}

/// Makes a change to each of these resources. Those to which it cannot be made stay as they are.
///
/// # Errors
/// The reasons why it cannot be made, if that is so for all of them.
fn each(
    on: &[ResourceId],
    page: &mut Page,
    mut change: impl FnMut(&mut Page, ResourceId) -> Result<(), &'static str>,
) -> Result<Kept, String> {
    let mut reasons: Vec<(&'static str, ResourceId, usize)> = Vec::new();
    let mut is_made = false;
    for id in on {
        match change(page, *id) {
            Ok(()) => is_made = true,
            Err(reason) => match reasons.iter_mut().find(|(one, ..)| *one == reason) {
                Some((.., count)) => *count += 1,
                None => reasons.push((reason, *id, 1)),
            },
        }
    }
    if is_made {
        return Ok(Kept::all(page.resources.len()));
    }
    let told = reasons.iter().map(|(reason, id, count)| {
        let url = &page.resource(*id).url;
        match count {
            1 => format!("{url}: {reason}"),
            _ => format!("{url} and {} more: {reason}", count - 1),
        }
    });
    Err(told.collect::<Vec<_>>().join("; "))
}

impl Value {
    /// Returns the value as it is stored; `None` if `found` is not such a value.
    fn read(self, found: Option<&str>) -> Option<String> {
        match (self, found) {
            (Self::None | Self::Optional(_), None) => Some(String::new()),
            (Self::None, Some(_)) | (_, None) => None,
            (Self::Optional(value), Some(_)) => value.read(found),
            (Self::Word(words), Some(found)) => {
                let mut words = words.iter();
                let word = words.find(|word| word.eq_ignore_ascii_case(found))?;
                Some((*word).to_owned())
            }
            (Self::Share, Some(found)) => {
                let share: f64 = found.parse().ok()?;
                (share > 0.0 && share < 1.0).then(|| share.to_string())
            }
            (Self::Time, Some(found)) => time(found).map(|_| found.to_owned()),
            (Self::File, Some(found)) => (!found.is_empty()).then(|| found.to_owned()),
        }
    }

    /// Returns what may be written for changes named `name`.
    fn expected(self, name: &str) -> String {
        match self {
            Self::None => format!("`{name}` without a value"),
            Self::Optional(value) => format!("`{name}` or {}", value.expected(name)),
            Self::Word(words) => {
                let all: Vec<String> = words.iter().map(|one| format!("`{name}={one}`")).collect();
                all.join(" or ")
            }
            Self::Share => format!("a share above 0 and below 1, as in `{name}=0.5`"),
            Self::Time => format!("a time, as in `{name}=50ms`"),
            Self::File => format!("a file, as in `{name}=old.har`"),
        }
    }
}

fn named(kind: &str, value: &str) -> String {
    match value {
        "" => kind.to_owned(),
        value => format!("{kind}={value}"),
    }
}

/// Reads a time such as `50ms`.
fn time(text: &str) -> Option<Duration> {
    match text.parse() {
        Ok(Effect::Delay(time)) => Some(time),
        _ => None,
    }
}

/// Reads a share.
fn share(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "no share".to_owned())
}

fn kind_of(word: &str) -> Option<&'static dyn Kind> {
    let name = word.split('=').next().unwrap_or(word);
    let mut all = KINDS.iter();
    all.find(|kind| kind.name().eq_ignore_ascii_case(name))
        .copied()
}

impl FromStr for Change {
    type Err = ChangeError;

    fn from_str(text: &str) -> Result<Self, ChangeError> {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let kind = kind_of(first).ok_or_else(|| {
            let known: Vec<&str> = KINDS.iter().map(|kind| kind.name()).collect();
            let name = first.split('=').next().unwrap_or(first);
            if name.is_empty() {
                return ChangeError::Parts(text.to_owned());
            }
            ChangeError::Kind {
                found: name.to_owned(),
                hint: did_you_mean(name, known.iter().copied()),
                known: known.join(", "),
            }
        })?;
        let found = first.split_once('=').map(|(_, value)| value);
        let value = kind.value().read(found).ok_or_else(|| ChangeError::Value {
            text: first.to_owned(),
            expected: kind.value().expected(kind.name()),
        })?;
        let rest = rest.trim();
        if rest.is_empty() {
            return Err(ChangeError::Parts(text.to_owned()));
        }
        Ok(Self {
            kind,
            value,
            selector: rest.parse()?,
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name(), self.selector)
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Change({self})")
    }
}

impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name() == other.kind.name()
            && self.value == other.value
            && self.selector == other.selector
    }
}

impl Eq for Change {}

serde_as_text!(Changes);

impl FromStr for Changes {
    type Err = ChangeError;

    /// Reads `unchanged` as no changes, and other text as changes separated by `;`.
    fn from_str(text: &str) -> Result<Self, ChangeError> {
        if text.trim() == NONE {
            return Ok(Self::default());
        }
        let parts = text.split(';').map(str::trim);
        let all: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if all.is_empty() {
            return Err(ChangeError::Parts(text.to_owned()));
        }
        let all: Result<_, _> = all.into_iter().map(str::parse).collect();
        Ok(Self { all: all? })
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.all.is_empty() {
            return f.write_str(NONE);
        }
        let all: Vec<String> = self.all.iter().map(Change::to_string).collect();
        f.write_str(&all.join("; "))
    }
}

#[cfg(test)]
mod tests;
