use pagerace_study::columns::Column;

use super::*;
use crate::corpus::tests::survey;

#[test]
fn rows_have_a_value_in_each_column() {
    let fields: &[(&str, &str)] = &[("cf-ray", "1")];
    let corpus = Corpus::new(vec![survey(
        "one",
        &[
            ("https://a.example/", "h3", "192.0.2.1", fields),
            ("https://b.example/", "h2", "192.0.2.2", &[]),
        ],
    )]);
    let findings = Findings::of(&corpus, Http3Hosts::Recorded, None);
    let rows = CorpusRow::all(&corpus, Http3Hosts::Recorded, &findings);
    let columns = CorpusRow::columns(&rows);
    let column = |name: &str| {
        let found = columns.iter().find(|(other, _)| other == name);
        found.map(|(_, column)| column.clone()).unwrap()
    };
    assert_eq!(
        column("provider"),
        Column::Texts(vec![Some("Cloudflare"), None])
    );
    assert_eq!(
        column("evidence"),
        Column::Texts(vec![Some("fields"), None])
    );
    assert_eq!(column("cdn"), Column::Integers(vec![1, 0]));
    assert_eq!(column("http3"), Column::Integers(vec![1, 0]));
    assert_eq!(column("h3_wait_ms"), Column::Numbers(vec![None, None]));
    let names = |columns: &Columns<'_>| {
        let names = columns.iter().map(|(name, _)| name.clone());
        names.collect::<Vec<String>>()
    };
    assert_eq!(names(&columns), names(&CorpusRow::columns(&[])));
}
