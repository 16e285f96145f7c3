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
        ("category", json!(["html"]), "category: found an array"),
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
            json!("0"),
            "start_ms: found the text \"0\"; write milliseconds",
        ),
        ("start_ms", json!(null), "start_ms: found null"),
        (
            "start_ms",
            json!(86_400_000.1),
            "start_ms: found 86400000.1",
        ),
        ("transfer_ms", json!(-0.1), "transfer_ms: found -0.1"),
        (
            "transfer_ms",
            json!({"ms": 3}),
            "transfer_ms: found an object",
        ),
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
        (
            "third_party",
            json!("yes"),
            "third_party: found the text \"yes\"; write true or false",
        ),
        ("must_be_whole", json!(1), "must_be_whole: found 1"),
        (
            "sise",
            json!(1),
            "entry 2: unknown field \"sise\"; remove it, or write one of: id, cat",
        ),
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
fn fields_must_be_there_once() {
    for field in &FIELDS[..7] {
        let mut value = thesis();
        value[0].as_object_mut().unwrap().remove(*field);
        let message = refused(&value);
        let expected = format!("s.json: entry 1: {field} is missing; write ");
        assert!(message.starts_with(&expected), "{message}");
    }
    let text = r#"[{"id": 1, "id": 2, "id": 3}]"#;
    let error = TransferSequence::from_json("s.json", text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "s.json: entry 1: id is given twice; keep one"
    );
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
    assert!(said("[]").contains("found an array of nothing"));
    assert!(
        said("{\"log\": {\"entries\": []}}")
            .contains("expected an array of objects, found an object")
    );
    assert!(said("3").contains("found 3"));
    assert!(said("[[1]]").starts_with("s.json: entry 1: expected an object, found an array"));
    assert!(said("[null]").contains("found null"));
    assert!(said(&"[".repeat(100_000)).contains("not valid JSON (EOF"));
    let nothing = vec!["0"; MAX_OBJECTS + 1].join(",");
    assert!(said(&format!("[{nothing}]")).starts_with("s.json: more than 20000 objects"));
    assert!(said(&" ".repeat(MAX_BYTES + 1)).contains("larger than 67108864 bytes"));
    let error = TransferSequence::from_json("s.json", b"[\"\xff\"]").unwrap_err();
    assert!(matches!(error, SequenceError::Json { .. }));
}

#[test]
fn serde_is_as_strict() {
    let read: TransferSequence = serde_json::from_value(thesis()).unwrap();
    let again = serde_json::to_value(&read).unwrap();
    assert_eq!(
        serde_json::from_value::<TransferSequence>(again).unwrap(),
        read
    );
    let mut wrong = thesis();
    wrong[0]["size_bytes"] = json!("many");
    let error = serde_json::from_value::<TransferSequence>(wrong).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("entry 1: size_bytes: found the text"),
        "{error}"
    );
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
