//! Names of elements, by which they are recognised in another load of the page.

use std::collections::BTreeMap;

use pagerace_har::extension::{Element, ElementKind as Kind};
use serde_json::Value;

use super::rect::Rect;
use super::{Context, Entry, Painter, painted};

/// A name of an element that is the same in all loads of a page: its kind, its text, URL or path,
/// and its number among those that are alike.
pub(in crate::record) type Name = (Kind, String, usize);

/// Returns all visible elements of a page with their names. The elements of the viewport that are
/// text or images of the markup are given whole.
pub(in crate::record) fn named(
    snapshot: &Value,
    context: &Context<'_>,
) -> BTreeMap<Name, Option<Element>> {
    let Some(painter) = painted(snapshot, context) else {
        return BTreeMap::new();
    };
    let names = painter.names();
    let elements = painter.finish(None).into_iter();
    let whole = elements.map(|e| {
        let [x, y, width, height] = e.rect;
        let is_seen = context.is_in_viewport(Rect([x, y, x + width, y + height]));
        let is_content = matches!(e.kind, Kind::Text | Kind::Image) && e.offset.is_some();
        Some(e).filter(|_| is_seen && is_content)
    });
    names.into_iter().zip(whole).collect()
}

impl Painter<'_> {
    /// Returns the name of each element. The parts of a split background have the same one.
    pub(super) fn names(&self) -> Vec<Name> {
        let mut count: BTreeMap<(Kind, String), usize> = BTreeMap::new();
        let name = |e: &Entry| {
            let contents = match (&e.url, e.kind) {
                (Some(url), _) => url.clone(),
                (None, Kind::Text) => e.text.clone(),
                _ => self.path(e.node),
            };
            let nth = count.entry((e.kind, contents.clone())).or_default();
            *nth += usize::from(!e.grown);
            (e.kind, contents, *nth)
        };
        self.elements.iter().map(name).collect()
    }

    /// Returns the names and classes of a node and its ancestors.
    fn path(&self, node: usize) -> String {
        let nodes = std::iter::successors(Some(node), |n| self.page.parent(*n));
        let class = |n| self.page.attribute(n, "class").unwrap_or_default();
        let step = |n| format!("{}.{}", self.page.name(n), class(n));
        nodes.map(step).collect::<Vec<_>>().join("<")
    }
}
