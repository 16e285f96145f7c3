//! The first document of a snapshot, whose columns contain indices into one table of
//! strings. Missing or invalid values read as empty.

use std::collections::BTreeMap;

use serde_json::Value;

pub(super) struct Snapshot<'a> {
    strings: &'a [Value],
    nodes: &'a Value,
    layout: &'a Value,
    /// The first box of each node.
    boxes: BTreeMap<usize, usize>,
    pseudo: Vec<usize>,
    sources: BTreeMap<usize, &'a str>,
    count: usize,
}

impl<'a> Snapshot<'a> {
    pub(super) fn new(snapshot: &'a Value) -> Option<Self> {
        let strings = snapshot["strings"].as_array()?;
        let document = snapshot["documents"].get(0)?;
        let (nodes, layout) = (&document["nodes"], &document["layout"]);
        let count = nodes["nodeName"].as_array()?.len();
        let mut boxes = BTreeMap::new();
        for (b, node) in list(&layout["nodeIndex"]).iter().enumerate() {
            if let Some(node) = index(node) {
                boxes.entry(node).or_insert(b);
            }
        }
        let rare = |key: &str| list(&nodes[key]["index"]).iter().filter_map(index);
        let sources = rare("currentSourceURL").zip(list(&nodes["currentSourceURL"]["value"]));
        let sources = sources
            .filter_map(|(node, text)| Some((node, strings.get(index(text)?)?.as_str()?)))
            .collect();
        Some(Self {
            strings,
            nodes,
            layout,
            boxes,
            pseudo: rare("pseudoType").collect(),
            sources,
            count,
        })
    }

    pub(super) fn nodes(&self) -> usize {
        self.count
    }

    pub(super) fn boxes(&self) -> usize {
        list(&self.layout["nodeIndex"]).len()
    }

    pub(super) fn node_of(&self, b: usize) -> Option<usize> {
        index(self.layout["nodeIndex"].get(b)?).filter(|n| *n < self.count)
    }

    pub(super) fn box_of(&self, node: usize) -> Option<usize> {
        self.boxes.get(&node).copied()
    }

    /// Returns the parent, which always has a smaller index, so that climbing the tree ends.
    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        index(self.nodes["parentIndex"].get(node)?).filter(|p| *p < node)
    }

    /// Returns the node's id in the browser (`backendNodeId`).
    pub(super) fn id(&self, node: usize) -> Option<i64> {
        self.nodes["backendNodeId"].get(node)?.as_i64()
    }

    /// Returns the node type, <https://dom.spec.whatwg.org/#dom-node-nodetype>.
    pub(super) fn kind(&self, node: usize) -> u64 {
        self.nodes["nodeType"]
            .get(node)
            .and_then(Value::as_u64)
            .unwrap_or(0)
    }

    pub(super) fn name(&self, node: usize) -> &'a str {
        self.string(self.nodes["nodeName"].get(node))
            .unwrap_or_default()
    }

    pub(super) fn value(&self, node: usize) -> &'a str {
        self.string(self.nodes["nodeValue"].get(node))
            .unwrap_or_default()
    }

    pub(super) fn is_pseudo(&self, node: usize) -> bool {
        self.pseudo.contains(&node)
    }

    pub(super) fn attribute(&self, node: usize, name: &str) -> Option<&'a str> {
        let pairs = list(self.nodes["attributes"].get(node)?);
        let pair = pairs
            .chunks_exact(2)
            .find(|p| self.string(Some(&p[0])) == Some(name))?;
        // An attribute without a value has an empty one.
        Some(self.string(Some(&pair[1])).unwrap_or_default())
    }

    /// Returns the selected source of an image.
    pub(super) fn source(&self, node: usize) -> Option<&'a str> {
        self.sources.get(&node).copied()
    }

    pub(super) fn text(&self, b: usize) -> Option<&'a str> {
        self.string(self.layout["text"].get(b))
    }

    pub(super) fn style(&self, b: usize, property: usize) -> &'a str {
        let of_box = self.layout["styles"].get(b);
        self.string(of_box.and_then(|s| s.get(property)))
            .unwrap_or_default()
    }

    pub(super) fn bounds(&self, b: usize) -> [f64; 4] {
        let bounds = &self.layout["bounds"][b];
        [0, 1, 2, 3].map(|k| bounds[k].as_f64().unwrap_or(0.0))
    }

    fn string(&self, at: Option<&Value>) -> Option<&'a str> {
        self.strings.get(index(at?)?)?.as_str()
    }
}

/// Reads an index; -1 means none.
fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_i64()?).ok()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
