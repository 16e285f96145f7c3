use super::*;

#[test]
fn sizes_are_kept() {
    let types = [
        "text/html",
        "text/css",
        "text/javascript",
        "application/json",
        "text/plain",
        "image/png",
        "",
    ];
    for mime_type in types {
        for size in [0, 1, 2, 3, 4, 6, 7, 8, 1_000] {
            assert_eq!(filler(mime_type, size).0.len(), size, "{mime_type} {size}");
        }
    }
}

#[test]
fn text_says_nothing() {
    let body = |mime_type, size| filler(mime_type, size).0.slice(0, 100);
    assert_eq!(body("text/css", 6), "/*  */");
    assert_eq!(body("text/html", 9), "<!--  -->");
    assert_eq!(body("application/json", 4), "{}  ");
    assert_eq!(body("text/css", 3), "   ");
    assert!(filler("text/css", 100).1);
}

#[test]
fn images_cannot_be_read() {
    assert!(!filler("image/png", 10).1);
    assert!(filler("image/png", 0).1);
}
