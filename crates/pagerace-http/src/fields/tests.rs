use super::*;

#[test]
fn filler_has_the_wanted_size_and_legal_values() {
    for bytes in (0..3000).chain([8_191, 65_536]) {
        let fields = filler_fields(bytes);
        let wanted = if bytes < 13 { 0 } else { u64::from(bytes) };
        assert_eq!(text_size(&fields), wanted);
        for field in &fields {
            assert!((1..=FILLER_VALUE).contains(&field.value.len()));
            assert!(field.value.iter().all(u8::is_ascii_graphic), "{field:?}");
        }
    }
}

#[test]
fn first_line_of_a_name_is_found() {
    let fields = [
        Field::from_static("a", "1"),
        Field::from_static("b", "2"),
        Field::from_static("a", "3"),
    ];
    assert_eq!(get(&fields, "a").map(|v| &v[..]), Some(&b"1"[..]));
    assert_eq!(get(&fields, "c"), None);
    assert_eq!(section_size(&fields), 3 * 34);
}
