use super::write;
use crate::sequence::extension;

fn stand_in(extension: &str, size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(extension, size, &mut bytes).unwrap();
    bytes
}

#[test]
fn sizes_are_exact() {
    let known = extension::known().chain(["bin", "unheard-of"]);
    for extension in known {
        for size in (0..200).chain([4096, 70_001]) {
            assert_eq!(stand_in(extension, size).len() as u64, size, "{extension}");
        }
    }
}

#[test]
fn data_can_be_parsed() {
    for size in [2, 3, 500, 20_000] {
        let text: String = serde_json::from_slice(&stand_in("json", size)).unwrap();
        assert_eq!(text.len() as u64 + 2, size);
    }
}

#[test]
fn text_is_a_comment() {
    let text = |extension| String::from_utf8(stand_in(extension, 300)).unwrap();
    for extension in ["js", "css"] {
        let text = text(extension);
        let inner = text.strip_prefix("/*").unwrap().strip_suffix("*/").unwrap();
        assert!(!inner.contains("*/"));
    }
    for (extension, end) in [
        ("html", "-->"),
        ("svg", "--></svg>"),
        ("xml", "--></stand-in>"),
        ("xhtml", "--></html>"),
    ] {
        let text = text(extension);
        let (_, comment) = text.split_once("<!--").unwrap();
        let inner = comment.strip_suffix(end).unwrap();
        assert!(!inner.contains("--") && !inner.ends_with('-'));
    }
    assert_eq!(text("m3u8").lines().count(), 2, "comments only");
}

#[test]
fn boxes_and_chunks_reach_to_the_end() {
    let movie = stand_in("mp4", 5_000);
    assert_eq!(movie[..12], *b"\0\0\0\x14ftypisom");
    assert_eq!(movie[20..36], *b"\0\0\0\x01free\0\0\0\0\0\0\x13\x74");
    assert_eq!(20 + 0x1374, 5_000);
    let picture = stand_in("webp", 1_000);
    assert_eq!(picture[..12], *b"RIFF\xe0\x03\0\0WEBP");
    assert_eq!(8 + 0x3e0, 1_000);
    assert!(stand_in("png", 300).starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(stand_in("gif", 300).starts_with(b"GIF89a"));
}
