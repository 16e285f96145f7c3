//! Web fonts: the declarations in style sheets, and the files that a text needs.
//!
//! `@font-face` rules are read from the recorded style sheets, because pages may not
//! access style sheets of other origins (CSS Fonts 4,
//! <https://www.w3.org/TR/css-fonts-4/#font-face-rule>). For the characters that no
//! earlier family covers, a text uses the nearest declared face of each family of its
//! `font-family`. Left out: `local()`, the tie-breaking rules of weights beyond nearness,
//! and conditional rules around a face.

use url::Url;

/// An `@font-face` rule with at least one URL.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// The family name in lower case, without quotes.
    pub family: String,
    /// The absolute URLs in `src`.
    pub urls: Vec<String>,
    /// `auto`, `block`, `swap`, `fallback` or `optional`, in lower case.
    pub display: String,
    weight: (f64, f64),
    italic: bool,
    /// The covered ranges of code points; all if empty.
    ranges: Vec<(u32, u32)>,
}

/// The font properties of a text.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// The computed `font-family`.
    pub family: &'a str,
    /// The computed `font-weight`.
    pub weight: &'a str,
    /// The computed `font-style`.
    pub slant: &'a str,
}

/// Reads the faces of a style sheet at `base`, or of the style elements in a document.
pub fn scan(css: &str, base: &Url) -> Vec<Face> {
    const RULE: &[u8] = b"@font-face";
    let css = without_comments(css);
    let bytes = css.as_bytes();
    let mut faces = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes[at..]
        .windows(RULE.len())
        .position(|w| w.eq_ignore_ascii_case(RULE))
    {
        at += found + RULE.len();
        let Some(open) = css[at..].find(['{', '}']).map(|k| at + k) else {
            break;
        };
        if bytes[open] == b'{' {
            let block = until_close(&css[open + 1..]);
            faces.extend(face(block, base));
            at = open + 1 + block.len();
        }
    }
    faces
}

/// Returns the URLs that this text needs and that `used` accepts.
pub fn of_text(
    style: Style<'_>,
    text: &str,
    faces: &[Face],
    used: impl Fn(&str) -> bool,
) -> Vec<String> {
    let wanted = weight_value(style.weight);
    let italic = matches!(style.slant, "italic") || style.slant.starts_with("oblique");
    let mut open: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(u32::from)
        .collect();
    let mut urls: Vec<String> = Vec::new();
    for family in split(style.family, ',') {
        let family = unquote(family).to_ascii_lowercase();
        if open.is_empty() || is_generic(&family) {
            break;
        }
        let mut own: Vec<(&Face, &String)> = faces
            .iter()
            .filter(|f| f.family == family)
            .filter_map(|f| Some((f, f.urls.iter().find(|u| used(u))?)))
            .collect();
        own.sort_by(|a, b| {
            a.0.distance(wanted, italic)
                .total_cmp(&b.0.distance(wanted, italic))
        });
        let Some(best) = own.first().map(|(f, _)| f.distance(wanted, italic)) else {
            continue;
        };
        // Subsets of a face have the same distance.
        for (face, url) in own {
            if face.distance(wanted, italic) > best {
                break;
            }
            let before = open.len();
            open.retain(|c| !face.covers(*c));
            if open.len() < before && !urls.contains(url) {
                urls.push(url.clone());
            }
        }
    }
    urls
}

impl Face {
    fn covers(&self, c: u32) -> bool {
        self.ranges.is_empty()
            || self
                .ranges
                .iter()
                .any(|&(from, to)| (from..=to).contains(&c))
    }

    /// Returns the distance from the wanted style; slant takes precedence over weight.
    fn distance(&self, weight: f64, italic: bool) -> f64 {
        let (low, high) = self.weight;
        let off = (low - weight).max(weight - high).max(0.0);
        off + if self.italic == italic { 0.0 } else { 10_000.0 }
    }
}

fn face(block: &str, base: &Url) -> Option<Face> {
    let mut face = Face {
        family: String::new(),
        urls: Vec::new(),
        display: "auto".to_owned(),
        weight: (400.0, 400.0),
        italic: false,
        ranges: Vec::new(),
    };
    for declaration in split(block, ';') {
        let Some((name, value)) = declaration.split_once(':') else {
            continue;
        };
        let value = value.trim();
        match name.trim().to_ascii_lowercase().as_str() {
            "font-family" => face.family = unquote(value).to_ascii_lowercase(),
            "src" => face.urls.extend(addresses(value, base)),
            "font-display" => face.display = value.to_ascii_lowercase(),
            "font-weight" => {
                let mut words = value.split_whitespace().map(weight_value);
                let low = words.next().unwrap_or(400.0);
                face.weight = (low, words.next().unwrap_or(low));
            }
            "font-style" => face.italic = !value.eq_ignore_ascii_case("normal"),
            "unicode-range" => face.ranges = value.split(',').filter_map(range).collect(),
            _ => {}
        }
    }
    (!face.urls.is_empty() && !face.family.is_empty()).then_some(face)
}

/// Returns the absolute URLs of `url(...)` in a `src`.
fn addresses(src: &str, base: &Url) -> Vec<String> {
    let mut urls = Vec::new();
    for part in split(src, ',') {
        let part = part.trim();
        let Some(inner) = part.get(..4).filter(|p| p.eq_ignore_ascii_case("url(")) else {
            continue;
        };
        let rest = &part[inner.len()..];
        let end = closing(rest).unwrap_or(rest.len());
        let Ok(mut url) = base.join(unquote(&rest[..end])) else {
            continue;
        };
        if matches!(url.scheme(), "http" | "https") {
            url.set_fragment(None);
            urls.push(url.into());
        }
    }
    urls
}

fn weight_value(word: &str) -> f64 {
    match word {
        "normal" => 400.0,
        "bold" => 700.0,
        _ => word.parse().unwrap_or(400.0),
    }
}

/// Parses a range such as `U+26`, `U+0-7F` or `U+4??`.
fn range(text: &str) -> Option<(u32, u32)> {
    let text = text.trim();
    let hex = text
        .get(2..)
        .filter(|_| text[..2].eq_ignore_ascii_case("u+"))?;
    let number = |t: &str| u32::from_str_radix(t, 16).ok();
    match hex.split_once('-') {
        Some((from, to)) => Some((number(from)?, number(to)?)),
        None => Some((
            number(&hex.replace('?', "0"))?,
            number(&hex.replace('?', "F"))?,
        )),
    }
}

fn is_generic(family: &str) -> bool {
    matches!(
        family,
        "serif" | "sans-serif" | "monospace" | "cursive" | "fantasy" | "system-ui" | "math"
    )
}

fn unquote(text: &str) -> &str {
    let text = text.trim();
    ['"', '\'']
        .iter()
        .find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q))
        .unwrap_or(text)
}

/// Returns the characters outside quotes, with their positions.
fn unquoted(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    text.char_indices().filter(move |&(_, c)| {
        let inside = quote.is_some();
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            _ => return !inside,
        }
        false
    })
}

/// Splits text at separators that are neither quoted nor in parentheses.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut depth) = (0, 0_u32);
    for (at, c) in unquoted(text) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if c == separator && depth == 0 => {
                pieces.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

/// Returns the position of the first `)` that is not quoted.
fn closing(text: &str) -> Option<usize> {
    unquoted(text).find(|(_, c)| *c == ')').map(|(at, _)| at)
}

/// Returns the text up to the `}` that ends a block.
fn until_close(text: &str) -> &str {
    let end = unquoted(text).find(|(_, c)| *c == '}');
    end.map_or(text, |(at, _)| &text[..at])
}

fn without_comments(css: &str) -> String {
    let mut text = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(open) = rest.find("/*") {
        text.push_str(&rest[..open]);
        rest = rest[open + 2..]
            .find("*/")
            .map_or("", |k| &rest[open + 2 + k + 2..]);
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests;
