//! How plans write texts, metrics and columns.

use std::collections::BTreeMap;

use pagerace_lab::MetricId;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::claim;
use crate::frame::Filter;

/// One text, or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a list of texts")]
enum Texts {
    One(String),
    All(Vec<String>),
}

impl From<Texts> for Vec<String> {
    fn from(texts: Texts) -> Self {
        match texts {
            Texts::One(text) => vec![text],
            Texts::All(all) => all,
        }
    }
}

/// Reads one text, or a list of texts.
pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Texts::deserialize(from).map(Vec::from)
}

/// Reads texts by name. A name without texts counts for nothing.
pub(crate) fn named<'de, D: Deserializer<'de>>(from: D) -> Result<Filter, D::Error> {
    let all = BTreeMap::<String, Texts>::deserialize(from)?.into_iter();
    let all = all.map(|(name, texts)| (name, Vec::from(texts)));
    Ok(all.filter(|(_, texts)| !texts.is_empty()).collect())
}

/// Reads files by group. Files without a group have the empty one.
pub(super) fn pages<'de, D: Deserializer<'de>>(from: D) -> Result<Filter, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "expected files, as in [\"*.har\"], or groups of files"
    )]
    enum Pages {
        Files(Texts),
        Groups(#[serde(deserialize_with = "named")] Filter),
    }
    Ok(match Pages::deserialize(from)? {
        Pages::Files(files) => Filter::from([(String::new(), files.into())]),
        Pages::Groups(groups) => groups,
    })
}

/// Reads the name of a metric.
pub(crate) fn metric<'de, D: Deserializer<'de>>(from: D) -> Result<MetricId, D::Error> {
    claim::metric(&String::deserialize(from)?).map_err(D::Error::custom)
}

/// Reads the name of a metric that may be left out.
pub(crate) fn some_metric<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<MetricId>, D::Error> {
    metric(from).map(Some)
}
