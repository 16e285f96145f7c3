use pagerace_core::Duration;
use serde_json::{Value, json};

use super::*;

/// A sequence with only the fields that the thesis lists.
fn thesis() -> Value {
    json!([
        {"id": 1, "category": "images", "extension": "jpg", "size_bytes": 41200,
         "start_ms": 310.5, "transfer_ms": 88, "file_name": "1.jpg"},
        {"id": 0, "category": "html", "extension": "html", "size_bytes": 9000,
         "start_ms": 0, "transfer_ms": null, "file_name": "0.html"},
    ])
}

fn read(value: &Value) -> Result<TransferSequence, String> {
    let text = value.to_string();
    TransferSequence::from_json("s.json", text.as_bytes()).map_err(|error| error.to_string())
}

fn refused(value: &Value) -> String {
    read(value).expect_err("this is no sequence")
}

#[test]
fn the_fields_of_the_thesis_suffice() {
    let sequence = read(&thesis()).unwrap();
    let [page, picture] = sequence.transfers() else {
        panic!("two objects")
    };
    assert_eq!((page.id, picture.id), (0, 1), "by start");
    assert_eq!(
        (page.transfer_time, page.url.as_ref(), page.third_party),
        (None, None, None)
    );
    assert!(page.must_be_whole && !picture.must_be_whole, "by extension");
    assert_eq!(picture.start, Duration::from_micros(310_500));
    assert_eq!(picture.transfer_time, Some(Duration::from_millis(88)));
}

#[test]
fn wrong_fields_are_named_with_their_entry() {
    for (field, wrong, expected) in [
        (
            "id",
            json!(-1),
            "entry 2: id: found -1; write a whole number",
        ),
        ("id", json!(4_294_967_296_u64), "id: found 4294967296"),
        ("id", json!(1.5), "id: found 1.5"),
        (
            "category",
            json!("HTML"),
            "category: found the text \"HTML\"; write ads, images",
        ),
        ("extension", json!(""), "extension: found the text \"\""),
        (
            "extension",
            json!("../x"),
            "extension: found the text \"../x\"",
        ),
        (
            "size_bytes",
            json!(9e3),
            "size_bytes: found 9000.0; write the bytes of the body",
        ),
        (
            "size_bytes",
            json!(u64::MAX),
            "size_bytes: found 18446744073709551615",
        ),
        (
            "start_ms",
            json!(86_400_000.1),
            "start_ms: found 86400000.1",
        ),
        ("transfer_ms", json!(-0.1), "transfer_ms: found -0.1"),
        (
            "file_name",
            json!("a/b.html"),
            "file_name: found the text \"a/b.html\"",
        ),
        ("file_name", json!(".."), "file_name: found the text \"..\""),
        (
            "file_name",
            json!("1.JPG"),
            "file_name 1.JPG is that of entry 1 already",
        ),
        (
            "file_name",
            json!("x".repeat(129)),
            "file_name: found the text \"xxxxx",
        ),
        ("url", json!("a\nb"), "url: found the text \"a\\nb\""),
        ("url", json!("x".repeat(2001)), "at most 2000 characters"),
        ("id", json!(1), "entry 2: id 1 is that of entry 1 already"),
    ] {
        let mut value = thesis();
        value[1][field] = wrong;
        let message = refused(&value);
        assert!(message.starts_with("s.json: entry 2: "), "{message}");
        assert!(message.contains(expected), "{message}\nlacks {expected}");
    }
}

#[test]
fn values_of_another_type_are_told_with_their_line() {
    for (field, wrong, expected) in [
        ("category", json!(["html"]), "sequence, expected a string"),
        (
            "start_ms",
            json!("0 at line 9"),
            "string \"0 at line 9\", expected a JSON number",
        ),
        ("start_ms", json!(null), "null, expected a JSON number"),
        ("transfer_ms", json!({}), "map, expected a JSON number"),
        (
            "third_party",
            json!("yes"),
            "string \"yes\", expected a boolean",
        ),
        ("must_be_whole", json!(1), "integer `1`, expected a boolean"),
    ] {
        let mut value = thesis();
        value[1][field] = wrong;
        let text = serde_json::to_string_pretty(&value).unwrap();
        let error = TransferSequence::from_json("s.json", text.as_bytes()).unwrap_err();
        let message = error.to_string();
        let line = message.strip_prefix("s.json: line ").unwrap();
        let line: usize = line.split(',').next().unwrap().parse().unwrap();
        let told = text.lines().nth(line - 1).unwrap();
        assert!(told.contains(field), "{error} is not in {told}");
        let expected = format!(": invalid type: {expected}; `pagerace objects` writes ");
        assert!(message.contains(&expected), "{message}");
    }
    let mut value = thesis();
    value[1]["start_ms"] = json!("x".repeat(10_000));
    assert!(refused(&value).len() < 500, "long texts are cut");
}

#[test]
fn fields_must_be_known_and_there_once() {
    let fields = [
        "id",
        "category",
        "extension",
        "size_bytes",
        "start_ms",
        "transfer_ms",
        "file_name",
    ];
    for field in fields {
        let mut value = thesis();
        value[0].as_object_mut().unwrap().remove(field);
        let message = refused(&value);
        assert!(message.starts_with("s.json: line 1, column "), "{message}");
        let expected = format!(": missing field `{field}`; `pagerace objects` writes ");
        assert!(message.contains(&expected), "{message}");
    }
    let mut value = thesis();
    value[1]["sise"] = json!(1);
    let message = refused(&value);
    let expected = ": unknown field `sise`, expected one of `id`, `category`, ";
    assert!(message.contains(expected), "{message}");
    assert!(message.contains("`must_be_whole`; "), "{message}");
    let text = r#"[{"id": 1, "id": 2, "id": 3}]"#;
    let error = TransferSequence::from_json("s.json", text.as_bytes()).unwrap_err();
    let expected = "s.json: line 1, column 15: duplicate field `id`; ";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn what_is_no_array_of_objects() {
    let said = |text: &str| {
        let error = TransferSequence::from_json("s.json", text.as_bytes()).unwrap_err();
        error.to_string()
    };
    assert!(said("").starts_with("s.json: line 1, column 0: not valid JSON (EOF"));
    assert!(said("[{").starts_with("s.json: line 1, column 2: not valid JSON ("));
    assert!(said("[] x").contains("not valid JSON (trailing characters)"));
    assert!(said("[]").starts_with("s.json: has no objects"));
    for (text, found) in [
        ("{\"log\": {\"entries\": []}}", "map, expected a sequence"),
        ("3", "integer `3`, expected a sequence"),
        ("[null]", "null, expected an object"),
        ("[[1]]", "length 1, expected an object"),
    ] {
        let message = said(text);
        assert!(message.starts_with("s.json: line 1, column "), "{message}");
        assert!(message.contains(found), "{message}");
    }
    assert!(said(&"[".repeat(100_000)).contains("line 1, column "));
    let entry = thesis()[0].to_string();
    let many = vec![entry; MAX_OBJECTS + 1].join(",");
    assert!(said(&format!("[{many}]")).starts_with("s.json: more than 20000 objects"));
    assert!(said(&" ".repeat(MAX_BYTES + 1)).contains("larger than 67108864 bytes"));
    let error = TransferSequence::from_json("s.json", b"[\"\xff\"]").unwrap_err();
    assert!(
        error.to_string().starts_with("s.json: line 1, column "),
        "{error}"
    );
}

#[test]
fn serde_is_as_strict() {
    let read: TransferSequence = serde_json::from_value(thesis()).unwrap();
    let again = serde_json::to_value(&read).unwrap();
    assert_eq!(
        serde_json::from_value::<TransferSequence>(again).unwrap(),
        read
    );
    for (wrong, told) in [
        (json!("many"), "string \"many\", expected a JSON number"),
        (json!(-1), "entry 1: size_bytes: found -1"),
    ] {
        let mut value = thesis();
        value[0]["size_bytes"] = wrong;
        let error = serde_json::from_value::<TransferSequence>(value).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn files_are_read() {
    let error = TransferSequence::load(Path::new("no/such/sequence.json")).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no/such/sequence.json: cannot be read: ")
    );
}
