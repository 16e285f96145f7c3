//! Sizes and categories of the objects of a corpus.

use pagerace_lab::stats::quantile;
use pagerace_page::{Category, Resource};
use serde::Serialize;

use crate::corpus::{Corpus, CorpusRequest};

/// The size below which Zhou 2024 (section VI-E) has three quarters of the objects, in bytes.
const SMALL: u64 = 20_000;

/// The categories, in the order of Srivastava 2024, table 4.
const CATEGORIES: [Category; 8] = [
    Category::Ads,
    Category::Images,
    Category::Html,
    Category::Javascript,
    Category::Json,
    Category::Css,
    Category::Fonts,
    Category::Others,
];

/// Sizes of bodies as transferred. Empty ones do not count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sizes {
    /// Number of bodies.
    pub bodies: usize,
    /// Quartiles and the last decile, bytes.
    pub quantiles: [f64; 4],
    /// Bodies below 20 kB.
    pub small: usize,
}

/// The requests of a content category.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CategoryUse {
    /// The category.
    pub category: Category,
    /// Number of requests.
    pub requests: usize,
    /// Bytes of their bodies as transferred.
    pub bytes: u64,
    /// Mean recorded time from connecting to the last byte, ms; `None` if none is recorded.
    pub time_ms: Option<f64>,
}

impl Sizes {
    /// Returns the sizes of the bodies that content delivery networks sent, or others.
    pub(super) fn of(corpus: &Corpus, cdn: bool) -> Option<Self> {
        let all = objects(corpus).filter(|(request, _)| request.provider.is_some() == cdn);
        let sizes = all.map(|(_, resource)| resource.body_bytes);
        let sizes: Vec<u64> = sizes.filter(|bytes| *bytes > 0).collect();
        let values: Vec<f64> = sizes.iter().map(|bytes| *bytes as f64).collect();
        let at = |p: f64| quantile(&values, p);
        Some(Self {
            bodies: sizes.len(),
            quantiles: [at(0.25)?, at(0.5)?, at(0.75)?, at(0.9)?],
            small: sizes.iter().filter(|bytes| **bytes < SMALL).count(),
        })
    }
}

/// Returns the categories that requests have.
pub(super) fn categories(corpus: &Corpus) -> Vec<CategoryUse> {
    let of = |category: Category| {
        let all: Vec<(&CorpusRequest, &Resource)> = objects(corpus)
            .filter(|(_, resource)| resource.category == category)
            .collect();
        let times = all.iter().filter_map(|(request, _)| {
            let recorded = &request.recorded;
            Some(recorded.connect? + recorded.wait? + recorded.receive?)
        });
        let times: Vec<f64> = times.collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        CategoryUse {
            category,
            requests: all.len(),
            bytes: all.iter().map(|(_, resource)| resource.body_bytes).sum(),
            time_ms: (!times.is_empty()).then_some(mean),
        }
    };
    let all = CATEGORIES.map(of).into_iter();
    all.filter(|one| one.requests > 0).collect()
}

/// The answered requests that are part of their page.
fn objects(corpus: &Corpus) -> impl Iterator<Item = (&CorpusRequest, &Resource)> {
    corpus.pages.iter().flat_map(|page| {
        page.requests.iter().filter_map(|request| {
            let resource = request.recorded.resource?;
            Some((request, page.page.resource(resource)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::survey;

    #[test]
    fn sizes_are_by_server_and_categories_by_request() {
        let fields: &[(&str, &str)] = &[("cf-ray", "1-ARN")];
        let cdn = |url| (url, "h2", "192.0.2.1", fields);
        let own = |url| (url, "h2", "192.0.2.2", &[][..]);
        let mut survey = survey(
            "a",
            &[
                own("https://a.example/"),
                cdn("https://b.example/1"),
                cdn("https://b.example/2"),
            ],
        );
        for (resource, bytes) in survey.page.resources.iter_mut().zip([500, 19_999, 20_000]) {
            resource.body_bytes = bytes;
            resource.category = Category::Images;
        }
        survey.page.resources[0].category = Category::Html;
        let corpus = Corpus::new(vec![survey]);
        let sizes = Sizes::of(&corpus, true).unwrap();
        assert_eq!((sizes.bodies, sizes.small), (2, 1));
        assert_eq!(Sizes::of(&corpus, false).unwrap().bodies, 1);
        let found = categories(&corpus);
        let found: Vec<_> = found
            .iter()
            .map(|one| (one.category, one.requests, one.bytes))
            .collect();
        assert_eq!(
            found,
            [(Category::Images, 2, 39_999), (Category::Html, 1, 500)]
        );
    }
}
