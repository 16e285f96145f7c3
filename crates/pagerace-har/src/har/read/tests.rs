use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_is_recognised_by_its_magic_and_may_have_members() {
    let mut two = gzip(b"{\"a\":");
    two.extend(gzip(b"1}"));
    assert_eq!(&*decompress("f", &two, 100).unwrap(), b"{\"a\":1}");
    assert_eq!(&*decompress("f", b"{}", 100).unwrap(), b"{}");
}

#[test]
fn a_gzip_bomb_is_refused_at_the_bound() {
    let bomb = gzip(&vec![b' '; 1 << 20]);
    assert!(bomb.len() < 10_000);
    let error = decompress("bomb.har.gz", &bomb, 1 << 16).unwrap_err();
    let told = error.to_string();
    assert!(told.contains("larger than 65536 bytes"), "{told}");
    assert!(
        decompress("f", &bomb, 1 << 20).is_ok(),
        "the bound itself is allowed"
    );
}

#[test]
fn a_cut_gzip_file_says_so() {
    let whole = gzip(br#"{"log":{"entries":[]}}"#);
    let error = decompress("cut.har.gz", &whole[..whole.len() - 9], 1000).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cut.har.gz: the gzip data is damaged"),
        "{error}"
    );
}

#[test]
fn a_byte_order_mark_is_skipped_and_utf16_is_named() {
    assert_eq!(
        parse("f", b"\xef\xbb\xbf[1]").unwrap(),
        serde_json::json!([1])
    );
    let error = parse("f", b"\xff\xfe{\0}\0").unwrap_err();
    assert!(error.to_string().contains("UTF-16"), "{error}");
    let error = parse("f", b" \n").unwrap_err();
    assert!(error.to_string().contains("the file is empty"), "{error}");
}

#[test]
fn broken_text_inside_strings_does_not_lose_the_file() {
    let value = parse(
        "f",
        b"{\"a\":\"\xff\", \"b\": \"\\ud83d!\", \"c\": \"\\ud83d\\ude00\"}",
    )
    .unwrap();
    assert_eq!(value["a"], "\u{fffd}");
    assert_eq!(value["b"], "\u{fffd}!");
    assert_eq!(value["c"], "\u{1f600}");
    let escaped = parse("f", br#"{"a":"\\ud83d", "b": "\udc00"}"#).unwrap();
    assert_eq!(
        escaped["a"], "\\ud83d",
        "an escaped backslash begins no escape"
    );
    assert_eq!(escaped["b"], "\u{fffd}");
}

#[test]
fn what_is_not_json_is_named_with_its_position() {
    let error = parse("page.har", b"{\n\"log\": oops}")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("page.har: line 2, column 8: not valid JSON (expected value)"),
        "{error}"
    );
}
