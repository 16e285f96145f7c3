//! A survey for tests.

mod people;

use crate::design::tasks;
use crate::questions::{consent, questions};
use crate::survey::{FORMAT, Layout, Limits, Rules, SCHEMA, Survey, Version};

pub(crate) use people::{Manner, answer, people};

/// Returns a survey of versions 1, 2, and so on. Each is 500 ms later than the one before.
pub(crate) fn survey(versions: usize) -> Survey {
    let version = |id: &str, late: f64| Version {
        id: id.to_owned(),
        what: format!("all={late}ms"),
        length_ms: 5_000.0 + late,
        metrics: [
            ("fcp", 1_000.0),
            ("lcp", 2_000.0),
            ("speed-index", 1_500.0),
            ("onload", 3_000.0),
        ]
        .into_iter()
        .map(|(name, at)| (name.to_owned(), at + late))
        .collect(),
    };
    let ids: Vec<String> = (1..=versions).map(|n| n.to_string()).collect();
    let all = ids.iter().enumerate();
    Survey {
        format: FORMAT.to_owned(),
        schema: SCHEMA,
        pagerace: "0".to_owned(),
        title: "A survey".to_owned(),
        consent: consent(5),
        shows: "a page".to_owned(),
        seed: 1,
        layout: Layout::SideBySide,
        versions: all
            .map(|(place, id)| version(id, 500.0 * place as f64))
            .collect(),
        slower: version("slower", 3_000.0),
        tasks: tasks(&ids),
        questions: questions(),
        rules: Rules::default(),
        limits: Limits::default(),
        published: Vec::new(),
    }
}
