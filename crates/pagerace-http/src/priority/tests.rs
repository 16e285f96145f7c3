use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

#[test]
fn parameters() {
    let cases: [(&str, (u8, bool)); 14] = [
        ("", (3, false)),
        ("u=0", (0, false)),
        ("u=5, i", (5, true)),
        ("i=?1,u=7", (7, true)),
        ("i=?0", (3, false)),
        ("u=2;x=1, i;y", (2, true)),
        // The last of several equal keys wins (RFC 9651, section 3.2).
        ("u=1, u=6", (6, false)),
        // Values out of range or of another type, and unknown keys, are ignored.
        ("u=8, i", (3, true)),
        ("u=-1", (3, false)),
        ("u=300", (3, false)),
        ("u=1.0", (3, false)),
        ("u, i=1", (3, false)),
        ("u=(1 2), i=(?1)", (3, false)),
        ("x=1, urgency=2, i", (3, true)),
    ];
    for (text, (urgency, incremental)) in cases {
        assert_eq!(
            parse(text.as_bytes()),
            Some(Priority::new(urgency, incremental)),
            "{text}"
        );
    }
    for text in ["U=1", "u=", "u=1,", "u=1 i", "\u{e9}", "u=1\0"] {
        assert_eq!(parse(text.as_bytes()), None, "{text:?}");
    }
}

#[test]
fn several_lines_are_one_dictionary() {
    let line = |value| Field::from_static("priority", value);
    assert_eq!(of_fields(&[line("u=1"), line("i")]), Priority::new(1, true));
    assert_eq!(of_fields(&[line("u=1"), line("!")]), Priority::default());
    assert_eq!(
        of_fields(&[Field::from_static("accept", "u=1")]),
        Priority::default()
    );
}

/// Runs dictionaries after RFC 9651, section 4.2.2, through the parser that [`parse`] uses.
/// The file has the form of the vectors of the HTTP working group.
#[test]
fn dictionaries() {
    let cases: Value = serde_json::from_str(include_str!("dictionaries.json")).unwrap();
    for case in cases.as_array().unwrap() {
        check_vector(case);
    }
}

/// Runs every dictionary vector of the HTTP working group through the parser that
/// [`parse`] uses, which must reject the same inputs and find the same keys and values.
///
/// Reads files that are no part of the repository, and passes without them.
#[test]
fn extra_structured_field_vectors() {
    let directory = format!("{SHARED}/reference/structured-field-tests");
    let Ok(entries) = fs::read_dir(directory) else {
        eprintln!("skipped: ../shared/data is not there (structured-field vectors)");
        return;
    };
    let mut count = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let cases: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for case in cases
            .as_array()
            .unwrap()
            .iter()
            .filter(|c| c["header_type"] == "dictionary")
        {
            check_vector(case);
            count += 1;
        }
    }
    assert!(count > 300, "only {count} dictionary vectors were found");
}

fn check_vector(case: &Value) {
    let name = &case["name"];
    let lines: Vec<&str> = case["raw"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect();
    let text = lines.join(", ");
    let parsed = Parser::new(text.as_bytes()).parse::<Dictionary>();
    assert_eq!(parsed.is_ok(), parse(text.as_bytes()).is_some(), "{name}");
    if case["can_fail"] == true && parsed.is_err() {
        return;
    }
    assert_eq!(
        parsed.is_err(),
        case["must_fail"] == true,
        "{name}: {text:?}"
    );
    let Ok(dictionary) = parsed else { return };
    let expected = case["expected"].as_array().unwrap();
    assert_eq!(dictionary.len(), expected.len(), "{name}");
    for ((key, entry), wanted) in dictionary.iter().zip(expected) {
        assert_eq!(key.as_str(), wanted[0].as_str().unwrap(), "{name}");
        let value = &wanted[1][0];
        match entry {
            ListEntry::InnerList(list) => {
                assert_eq!(list.items.len(), value.as_array().unwrap().len(), "{name}");
            }
            ListEntry::Item(item) => {
                match &item.bare_item {
                    BareItem::Integer(i) => {
                        assert_eq!(Some(i64::from(*i)), value.as_i64(), "{name}");
                    }
                    BareItem::Boolean(b) => assert_eq!(Some(*b), value.as_bool(), "{name}"),
                    BareItem::String(s) => assert_eq!(Some(s.as_str()), value.as_str(), "{name}"),
                    // Types that no priority parameter has.
                    _ => assert!(value.is_object() || value.is_f64(), "{name}: {value}"),
                }
                let parameters = wanted[1][1].as_array().unwrap();
                assert_eq!(item.params.len(), parameters.len(), "{name}");
            }
        }
    }
}

proptest! {
    #[test]
    fn what_we_print_we_parse(urgency in 0_u8..8, incremental: bool) {
        let priority = Priority::new(urgency, incremental);
        prop_assert_eq!(parse(priority.to_string().as_bytes()), Some(priority));
    }

    #[test]
    fn rubbish_never_panics(input in proptest::collection::vec(any::<u8>(), 0..60)) {
        crate::fuzz::priority_field(&input);
    }

    #[test]
    fn nearly_right_never_panics(text in "[ui=?0-9,;. ()\\-\"]{0,24}") {
        crate::fuzz::priority_field(text.as_bytes());
    }
}
