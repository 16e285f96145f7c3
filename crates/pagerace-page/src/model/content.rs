//! Content that recorded bodies state, for pages without a recorded layout.

use serde::{Deserialize, Serialize};

use super::{FontUse, ResourceId};

/// Facts about visible content that the document and its style sheets state themselves.
/// Positions on the screen are not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Encoded bytes of the document before its body; `None` if the body never begins.
    pub body_start: Option<u64>,
    /// Position of the text that may fill the first screen, in equal parts: for each part,
    /// the encoded bytes of the document up to its end, ascending. Empty if the markup has
    /// no text, so that scripts make all of it.
    pub text: Vec<u64>,
    /// True if scripts make the largest text, because the markup has little.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scripted_text: bool,
    /// Encoded bytes of the document up to the end of each script inside it, ascending. The parser
    /// stops there until earlier style sheets are loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inline_scripts: Vec<u64>,
    /// Fonts with a known `font-display`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fonts: Vec<FontUse>,
    /// Fonts of icons. No text waits for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<ResourceId>,
    /// Images and fonts that only styles inside the document name, ascending. A layout requests
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styled: Vec<ResourceId>,
    /// Images whose elements are lazy, ascending. A layout requests them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lazy: Vec<ResourceId>,
}
