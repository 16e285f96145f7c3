use super::is_ours;

#[test]
fn names_of_exports_are_known() {
    for name in [
        "object-0000.html",
        "object-12345.js",
        "transfer_log.csv",
        "transfer_sequence.json",
    ] {
        assert!(is_ours(&name.into()), "{name}");
    }
    for name in [
        "notes.txt",
        "object-1.js",
        "object-0001",
        "object-0001.tar.gz",
        ".git",
        "",
    ] {
        assert!(!is_ours(&name.into()), "{name}");
    }
}
