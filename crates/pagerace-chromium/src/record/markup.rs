//! The positions of the elements of a loaded page in the document's bytes.
//!
//! The document is split into start tags and texts (by a WHATWG tokeniser, crate `html5gum`),
//! and the loaded page is a list of elements and texts in tree order. The two sequences are
//! aligned globally: the result is the ordered pairing with the highest score, in which ids,
//! URLs and equal texts weigh more than names. Elements that scripts inserted or moved, or that
//! the parser implied, remain without a partner and have no position. Long documents are cut
//! at items that occur once in both sequences, and each part is aligned.

use std::collections::BTreeMap;

use html5gum::{DefaultEmitter, HtmlString, Spanned, StartTag, Token, Tokenizer};

/// The maximum number of cells in the score table. Larger sequences are aligned in parts.
const CELLS_MAX: usize = 40_000_000;

/// An element or a text of either sequence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Item {
    /// The lower-case name of the element; `None` for a text.
    pub(super) name: Option<String>,
    pub(super) id: Option<String>,
    pub(super) class: Option<String>,
    /// `src` or `href`.
    pub(super) address: Option<String>,
    /// The text with white space collapsed.
    pub(super) text: String,
}

impl Item {
    /// Creates an element with these attributes.
    pub(super) fn element(name: &str, attribute: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            name: Some(name.to_ascii_lowercase()),
            id: attribute("id"),
            class: attribute("class"),
            address: attribute("src").or_else(|| attribute("href")),
            text: String::new(),
        }
    }

    /// Creates a text, or returns `None` if it is only white space.
    pub(super) fn text(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        (!words.is_empty()).then(|| Self {
            text: words.join(" "),
            ..Self::default()
        })
    }
}

/// Returns, for each item of the page, the offset in `html` of the byte after its start
/// tag or text, if it is in the document.
pub(super) fn locate(html: &str, page: &[Item]) -> Vec<Option<u64>> {
    let source = scan(html);
    let mut ids = Ids::default();
    let ours: Vec<Key> = page.iter().map(|item| ids.key(item)).collect();
    let theirs: Vec<Key> = source.iter().map(|(item, _)| ids.key(item)).collect();
    align(&ours, &theirs)
        .into_iter()
        .map(|pair| pair.map(|k| source[k].1))
        .collect()
}

/// Returns start tags and texts, each with the offset of the byte after it.
fn scan(html: &str) -> Vec<(Item, u64)> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut items = Vec::new();
    // The contents of these elements are text or absent in the loaded page.
    let mut raw: Option<HtmlString> = None;
    let mut text_open = false;
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        let (start, item, end) = match token {
            Token::StartTag(tag) => {
                let item = start_tag(&tag);
                let hides = matches!(&tag.name[..], b"noscript" | b"template");
                let visible = raw.is_none();
                if hides && visible {
                    raw = Some(tag.name.clone());
                }
                (tag.span.start, visible.then_some(item), tag.span.end)
            }
            Token::EndTag(tag) => {
                if raw.as_ref() == Some(&tag.name) {
                    raw = None;
                }
                (tag.span.start, None, tag.span.end)
            }
            Token::String(text) => {
                let item = self::text(&text).filter(|_| raw.is_none());
                (text.span.start, item, text.span.end)
            }
            Token::Comment(comment) => (comment.span.start, None, comment.span.end),
            _ => continue,
        };
        // A text ends where the next token begins, because a character reference is
        // longer than its value.
        if text_open && let Some((_, text_end)) = items.last_mut() {
            *text_end = start as u64;
        }
        text_open = item.as_ref().is_some_and(|item: &Item| item.name.is_none());
        items.extend(item.map(|item| (item, end as u64)));
    }
    items
}

fn start_tag(tag: &StartTag<usize>) -> Item {
    let attribute = |name: &str| {
        let value = tag.attributes.get(name.as_bytes())?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    Item::element(&String::from_utf8_lossy(&tag.name), attribute)
}

fn text(text: &Spanned<HtmlString, usize>) -> Option<Item> {
    Item::text(&String::from_utf8_lossy(text))
}

/// Numbers for strings, which make comparison cheap; 0 stands for `None`.
#[derive(Default)]
struct Ids(BTreeMap<String, u32>);

impl Ids {
    fn number(&mut self, text: Option<&str>) -> u32 {
        let Some(text) = text else { return 0 };
        let next = self.0.len() as u32 + 1;
        *self.0.entry(text.to_owned()).or_insert(next)
    }

    fn key(&mut self, item: &Item) -> Key {
        Key {
            name: self.number(item.name.as_deref()),
            id: self.number(item.id.as_deref()),
            class: self.number(item.class.as_deref()),
            address: self.number(item.address.as_deref()),
            text: self.number(Some(&item.text)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    name: u32,
    id: u32,
    class: u32,
    address: u32,
    text: u32,
}

impl Key {
    /// Returns how well two items match; 0 if they cannot be the same.
    fn score(self, other: Self) -> u32 {
        if self.name != other.name {
            return 0;
        }
        if self.name == 0 {
            return if self.text == other.text { 6 } else { 0 };
        }
        let same = |a: u32, b: u32| a != 0 && a == b;
        1 + u32::from(self.class == other.class)
            + 4 * u32::from(same(self.id, other.id))
            + 4 * u32::from(same(self.address, other.address))
    }
}

/// Returns the partner in `b` of each item of `a`: in order, with the highest sum of scores
/// if the table is small enough.
fn align(a: &[Key], b: &[Key]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; a.len()];
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest = (a.len() - head).min(b.len() - head);
    let tail = (1..=rest)
        .take_while(|k| a[a.len() - k] == b[b.len() - k])
        .count();
    for (k, pair) in pairs.iter_mut().take(head).enumerate() {
        *pair = Some(k);
    }
    for k in 1..=tail {
        pairs[a.len() - k] = Some(b.len() - k);
    }
    let (x, y) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    if x.len().saturating_mul(y.len()) <= CELLS_MAX {
        for (i, j) in align_middle(x, y) {
            pairs[head + i] = Some(head + j);
        }
        return pairs;
    }
    let anchors = anchors(x, y);
    if anchors.is_empty() {
        return pairs;
    }
    let mut from = (0, 0);
    for to in anchors.into_iter().chain([(x.len(), y.len())]) {
        let part = align(&x[from.0..to.0], &y[from.1..to.1]);
        for (place, partner) in part.into_iter().enumerate() {
            pairs[head + from.0 + place] = partner.map(|partner| head + from.1 + partner);
        }
        if to.0 < x.len() {
            pairs[head + to.0] = Some(head + to.1);
        }
        from = (to.0 + 1, to.1 + 1);
    }
    pairs
}

/// Returns the longest ordered pairing of the items that occur exactly once in both
/// sequences (as in Bram Cohen's patience diff).
fn anchors(a: &[Key], b: &[Key]) -> Vec<(usize, usize)> {
    let once = |keys: &[Key]| {
        let mut places: BTreeMap<Key, Option<usize>> = BTreeMap::new();
        for (place, key) in keys.iter().enumerate() {
            let found = places.entry(*key);
            found.and_modify(|p| *p = None).or_insert(Some(place));
        }
        places
    };
    let theirs = once(b);
    let ours = once(a).into_iter();
    let both = ours.filter_map(|(key, i)| Some((i?, (*theirs.get(&key)?)?)));
    let mut both: Vec<(usize, usize)> = both.collect();
    both.sort_unstable();
    // For each length, the pairing that ends earliest in `b`: its last pair, and the one
    // before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(both.len());
    for (pair, (_, j)) in both.iter().enumerate() {
        let length = ends.partition_point(|&end| both[end].1 < *j);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = pair,
            None => ends.push(pair),
        }
    }
    let last = ends.last().copied();
    let mut chosen: Vec<(usize, usize)> = std::iter::successors(last, |&pair| before[pair])
        .map(|pair| both[pair])
        .collect();
    chosen.reverse();
    chosen
}

/// Needleman and Wunsch 1970, without a gap penalty.
fn align_middle(a: &[Key], b: &[Key]) -> Vec<(usize, usize)> {
    const PAIR: u8 = 0;
    const SKIP_A: u8 = 1;
    const SKIP_B: u8 = 2;
    let width = b.len();
    let mut moves = vec![SKIP_B; a.len() * width];
    let mut above = vec![0_u32; width + 1];
    let mut row = above.clone();
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let (mut best, mut step) = (row[j], SKIP_B);
            if above[j + 1] >= best {
                (best, step) = (above[j + 1], SKIP_A);
            }
            let score = x.score(*y);
            if score > 0 && above[j] + score >= best {
                (best, step) = (above[j] + score, PAIR);
            }
            row[j + 1] = best;
            moves[i * width + j] = step;
        }
        std::mem::swap(&mut above, &mut row);
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (a.len(), width);
    while i > 0 && j > 0 {
        match moves[(i - 1) * width + j - 1] {
            PAIR => {
                (i, j) = (i - 1, j - 1);
                pairs.push((i, j));
            }
            SKIP_A => i -= 1,
            _ => j -= 1,
        }
    }
    pairs
}

#[cfg(test)]
mod tests;
