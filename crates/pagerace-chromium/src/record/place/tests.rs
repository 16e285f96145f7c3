use super::{offset, script_end};

#[test]
fn lines_end_as_the_standard_says() {
    let text = "ab\r\ncd\ref\n\ngh";
    let found: Vec<_> = (0..6).map(|line| offset(text, line, 1)).collect();
    // Line 3 is empty, so every column is its end.
    assert_eq!(found, [Some(1), Some(5), Some(8), Some(10), Some(12), None]);
    assert_eq!(&text[offset(text, 4, 0).expect("a line")..], "gh");
}

#[test]
fn columns_count_utf16_units() {
    // Two bytes and one unit; four bytes and two units.
    let text = "x\nüü😀<img>";
    let end = offset(text, 1, 4 + 5).expect("a place");
    assert_eq!(end, text.len());
    assert_eq!(&text[offset(text, 1, 4).expect("a place")..], "<img>");
    assert_eq!(&text[offset(text, 1, 2).expect("a place")..], "😀<img>");
    // There is no byte inside a surrogate pair, so the offset after it is used.
    assert_eq!(&text[offset(text, 1, 3).expect("a place")..], "<img>");
}

#[test]
fn what_lies_behind_a_line_is_its_end() {
    assert_eq!(offset("ab\ncd", 0, 99), Some(2));
    assert_eq!(offset("ab\ncd", 1, 99), Some(5));
    assert_eq!(offset("", 0, 0), Some(0));
    assert_eq!(offset("", 1, 0), None);
}

#[test]
fn a_byte_order_mark_has_no_column() {
    let text = "\u{feff}<p>";
    assert_eq!(offset(text, 0, 3), Some(6));
}

#[test]
fn scripts_end_behind_their_tag() {
    let text = "<script>let a = 1 < 2;</SCRIPT ><p>";
    assert_eq!(&text[script_end(text, 10).expect("an end")..], "<p>");
    assert_eq!(script_end("<script>x", 8), None);
    assert_eq!(script_end("x", 9), None);
}
