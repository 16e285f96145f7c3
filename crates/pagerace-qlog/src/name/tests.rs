use super::*;

#[test]
fn plain_names_stay() {
    assert_eq!(safe("news.example_2"), "news.example_2");
    assert_eq!(safe("round-robin"), "round-robin");
}

#[test]
fn spaces_become_dashes() {
    assert_eq!(safe("rate 10mbit rtt 60ms"), "rate-10mbit-rtt-60ms");
}

#[test]
fn anything_else_is_replaced_and_hashed() {
    let a = safe("https://a.example/x?y=1");
    assert!(a.starts_with("https-a.example-x-y-1-"), "{a}");
    assert_ne!(a, safe("https://a.example/x?y/1"));
}

#[test]
fn nothing_leaves_the_folder_or_looks_like_an_option() {
    for name in [
        "../../etc",
        "..",
        ".",
        "",
        "-rf",
        "/",
        "a\\b",
        "a\0b",
        "é",
        "~",
    ] {
        let text = safe(name);
        assert!(
            text.starts_with(|c: char| c.is_ascii_alphanumeric()),
            "{name:?}: {text:?}"
        );
        assert!(
            text.chars()
                .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)),
            "{name:?}: {text:?}"
        );
    }
}

#[test]
fn long_names_are_cut_and_told_apart() {
    let (a, b) = ("a".repeat(300), "a".repeat(301));
    assert!(safe(&a).len() <= LONGEST + 9);
    assert_ne!(safe(&a), safe(&b));
}

#[test]
fn the_hash_is_fnv_1a() {
    // Test vectors of draft-eastlake-fnv.
    assert_eq!(fnv1a(""), 0x811c_9dc5);
    assert_eq!(fnv1a("a"), 0xe40c_292c);
    assert_eq!(fnv1a("foobar"), 0xbf9c_f968);
}
