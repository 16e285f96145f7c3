//! URLs in the markup of a recorded document, with their positions.
//!
//! The module uses a WHATWG tokeniser (crate `html5gum`) without tree construction.
//! Elements inside `noscript` and `template` are ignored. The head ends at `</head>`,
//! `<body>` or the first element that cannot be in a head. Inline styles and scripts are
//! not parsed; `discovery` searches their text.

use html5gum::{DefaultEmitter, StartTag, Token, Tokenizer};
use pagerace_core::Destination;
use url::Url;

/// Longest `href` of a `base` element that is heeded, in bytes. Every URL repeats it, so a longer
/// one could fill the memory.
const BASE_MAX: usize = 2_000;

/// A URL that an element names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Absolute URL without fragment.
    pub(crate) url: String,
    /// Byte offset behind the element's start tag, in the decoded body.
    pub(crate) offset: u64,
    pub(crate) element: Element,
    pub(super) in_head: bool,
    /// True if the element has `fetchpriority="high"`.
    pub(super) is_urgent: bool,
}

/// Kind of an element, as far as loading distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Script {
        is_async: bool,
        is_deferred: bool,
    },
    /// `applies` is false for sheets for other media and for disabled sheets.
    StyleSheet {
        applies: bool,
    },
    Preload,
    /// A hint to connect to the URL's origin, or only to look up its host.
    Hint {
        connects: bool,
        /// True for a connection without credentials.
        anonymous: bool,
    },
    Image {
        lazy: bool,
    },
    Frame,
    /// Audio, video, or the sources of an image or a film.
    Media,
    Other,
}

/// Returns the URLs of the scripts, style sheets, images and media that `html` names, and of
/// what it preloads, in document order. A URL may occur several times. `document` is the URL of
/// the page.
pub fn references(html: &str, document: &Url) -> Vec<(Destination, Url)> {
    let found = scan(html, document).into_iter();
    let object = |reference: Reference| {
        let destination = match reference.element {
            Element::Script { .. } => Destination::Script,
            Element::StyleSheet { .. } => Destination::Style,
            Element::Image { .. } => Destination::Image,
            Element::Media => Destination::Media,
            Element::Preload => Destination::Other,
            Element::Frame | Element::Hint { .. } | Element::Other => return None,
        };
        Some((destination, Url::parse(&reference.url).ok()?))
    };
    found.filter_map(object).collect()
}

/// Returns all references of `html` in document order.
pub(crate) fn scan(html: &str, document: &Url) -> Vec<Reference> {
    let mut scanner = Scanner::new(document);
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => scanner.start(&tag),
            Token::EndTag(tag) => scanner.end(&tag.name),
            _ => {}
        }
    }
    scanner.references
}

/// Returns the visible characters of each run of text in the body, without white space, with
/// the byte offset behind the run. Text of scripts, styles, `noscript`, `template` and
/// `title` is left out; text that styles hide is not.
pub(super) fn texts(html: &str, document: &Url) -> Vec<(u64, u64)> {
    let mut scanner = Scanner::new(document);
    let (mut texts, mut skipped) = (Vec::new(), 0_u32);
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => {
                scanner.start(&tag);
                skipped += u32::from(is_raw(&tag.name) && !tag.self_closing);
            }
            Token::EndTag(tag) => {
                scanner.end(&tag.name);
                skipped = skipped.saturating_sub(u32::from(is_raw(&tag.name)));
            }
            Token::String(text) if skipped == 0 && scanner.hidden == 0 && !scanner.in_head => {
                let characters = String::from_utf8_lossy(&text.value);
                let visible = characters.chars().filter(|c| !c.is_whitespace()).count();
                if visible > 0 {
                    texts.push((text.span.end as u64, visible as u64));
                }
            }
            _ => {}
        }
    }
    texts
}

/// A script inside a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inline {
    /// Byte offset behind the script, in the decoded body.
    pub(super) end: u64,
    pub(super) length: u64,
    /// True if the script runs after the parser.
    pub(super) is_module: bool,
}

/// Returns the scripts inside `html` that browsers run, in document order.
pub(super) fn inline_scripts(html: &str) -> Vec<Inline> {
    let (mut scripts, mut kind, mut hidden) = (Vec::new(), None, 0_u32);
    for token in tokens(html) {
        match token {
            Token::StartTag(tag) => {
                hidden += u32::from(is_hidden(&tag.name));
                let runs = *tag.name == b"script"[..]
                    && hidden == 0
                    && ["src", "nomodule"]
                        .iter()
                        .all(|name| attribute(&tag, name).is_none());
                kind = runs.then(|| script_type(&tag)).flatten();
            }
            Token::EndTag(tag) => {
                hidden = hidden.saturating_sub(u32::from(is_hidden(&tag.name)));
                kind = None;
            }
            Token::String(text) => {
                if let Some(kind) = &kind {
                    scripts.push(Inline {
                        end: text.span.end as u64,
                        length: text.value.len() as u64,
                        is_module: kind == "module",
                    });
                }
            }
            _ => {}
        }
    }
    scripts
}

/// Returns true for elements whose content the parser does not use.
fn is_hidden(name: &[u8]) -> bool {
    matches!(name, b"noscript" | b"template")
}

/// Returns true for elements whose text is not part of the page's text. All of them need an
/// end tag.
fn is_raw(name: &[u8]) -> bool {
    matches!(
        name,
        b"script" | b"style" | b"title" | b"textarea" | b"select"
    )
}

/// Returns the byte offset at which the body of the decoded `html` begins: at the first
/// start tag outside the head, or behind the end tag that closes the head. `None` if the
/// body never begins.
pub(super) fn body_start(html: &str, document: &Url) -> Option<u64> {
    let mut scanner = Scanner::new(document);
    for token in tokens(html) {
        let begins = match &token {
            Token::StartTag(tag) => {
                scanner.start(tag);
                tag.span.start
            }
            Token::EndTag(tag) => {
                scanner.end(&tag.name);
                tag.span.end
            }
            _ => continue,
        };
        if !scanner.in_head {
            return Some(begins as u64);
        }
    }
    None
}

pub(crate) fn tokens(html: &str) -> impl Iterator<Item = Token<usize>> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).map(|Ok(token)| token)
}

/// Returns the `type` of a script element in lower case; `None` if it holds data
/// (<https://html.spec.whatwg.org/multipage/scripting.html#attr-script-type>).
fn script_type(tag: &StartTag<usize>) -> Option<String> {
    let kind = attribute(tag, "type").unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    let runs = kind.is_empty() || kind == "module";
    (runs || kind.contains("javascript") || kind.contains("ecmascript")).then_some(kind)
}

struct Scanner {
    base: Url,
    in_head: bool,
    /// Nesting depth of `noscript` and `template`.
    hidden: u32,
    references: Vec<Reference>,
}

impl Scanner {
    fn new(document: &Url) -> Self {
        Self {
            base: document.clone(),
            in_head: true,
            hidden: 0,
            references: Vec::new(),
        }
    }

    fn start(&mut self, tag: &StartTag<usize>) {
        let name = String::from_utf8_lossy(&tag.name).into_owned();
        match name.as_str() {
            _ if is_hidden(&tag.name) => self.hidden += 1,
            "html" | "head" | "meta" | "title" | "link" | "script" | "style" | "base" => {}
            _ => self.in_head &= self.hidden > 0,
        }
        if self.hidden > 0 {
            return;
        }
        let get = |name: &str| attribute(tag, name);
        let sources = || get("src").into_iter().chain(candidates(get("srcset")));
        match name.as_str() {
            "base" => {
                let href = get("href").filter(|href| href.len() <= BASE_MAX);
                if let Some(base) = href.and_then(|h| self.base.join(&h).ok()) {
                    self.base = base;
                }
            }
            "script" => self.script(tag),
            "link" => self.link(tag),
            "img" => {
                let lazy = get("loading").is_some_and(|l| l.eq_ignore_ascii_case("lazy"));
                self.sources(tag, sources(), Element::Image { lazy });
            }
            "source" => self.sources(tag, sources(), Element::Media),
            "iframe" | "frame" => self.sources(tag, get("src"), Element::Frame),
            "video" => self.sources(
                tag,
                get("src").into_iter().chain(get("poster")),
                Element::Media,
            ),
            "audio" => self.sources(tag, get("src"), Element::Media),
            "embed" | "track" => self.sources(tag, get("src"), Element::Other),
            "input" => self.sources(tag, get("src"), Element::Image { lazy: false }),
            "object" => self.sources(tag, get("data"), Element::Other),
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        match name {
            _ if is_hidden(name) => self.hidden = self.hidden.saturating_sub(1),
            b"head" => self.in_head = false,
            _ => {}
        }
    }

    fn script(&mut self, tag: &StartTag<usize>) {
        let Some(kind) = script_type(tag) else {
            return;
        };
        let element = Element::Script {
            is_async: attribute(tag, "async").is_some(),
            is_deferred: kind == "module" || attribute(tag, "defer").is_some(),
        };
        self.sources(tag, attribute(tag, "src"), element);
    }

    fn link(&mut self, tag: &StartTag<usize>) {
        let rel = attribute(tag, "rel")
            .unwrap_or_default()
            .to_ascii_lowercase();
        let has = |word: &str| rel.split_ascii_whitespace().any(|w| w == word);
        let element = if has("stylesheet") {
            let media = attribute(tag, "media")
                .unwrap_or_default()
                .to_ascii_lowercase();
            let other_media = media.trim() == "print" || media.trim() == "none";
            let off = attribute(tag, "disabled").is_some() || has("alternate");
            Element::StyleSheet {
                applies: !other_media && !off,
            }
        } else if has("preload") || has("modulepreload") {
            Element::Preload
        } else if has("preconnect") || has("dns-prefetch") {
            Element::Hint {
                connects: has("preconnect"),
                anonymous: attribute(tag, "crossorigin").is_some(),
            }
        } else {
            Element::Other
        };
        self.sources(tag, attribute(tag, "href"), element);
    }

    fn sources(
        &mut self,
        tag: &StartTag<usize>,
        urls: impl IntoIterator<Item = String>,
        element: Element,
    ) {
        let offset = tag.span.end as u64;
        let priority = attribute(tag, "fetchpriority");
        let is_urgent = priority.is_some_and(|word| word.trim().eq_ignore_ascii_case("high"));
        for url in urls {
            if let Some(url) = resolve(&self.base, &url) {
                self.references.push(Reference {
                    url,
                    offset,
                    element,
                    in_head: self.in_head,
                    is_urgent,
                });
            }
        }
    }
}

fn attribute(tag: &StartTag<usize>, name: &str) -> Option<String> {
    let value = tag.attributes.get(name.as_bytes())?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Returns the URLs of a `srcset`. The browser requests one of them; the recorded
/// requests show which one.
fn candidates(srcset: Option<String>) -> Vec<String> {
    let srcset = srcset.unwrap_or_default();
    let first_word = |c: &str| c.split_ascii_whitespace().next().map(str::to_owned);
    srcset
        .split(", ")
        .filter_map(first_word)
        .map(|u| u.trim_end_matches(',').to_owned())
        .collect()
}

/// Returns the absolute URL without fragment.
fn resolve(base: &Url, url: &str) -> Option<String> {
    let url = url.trim();
    if url.is_empty() || url.starts_with("data:") {
        return None;
    }
    let mut url = base.join(url).ok()?;
    url.set_fragment(None);
    Some(url.into())
}

#[cfg(test)]
mod tests;
