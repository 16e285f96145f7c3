use super::*;

#[test]
fn equal_parameters_count_before_equal_beginnings() {
    assert_eq!(similarity("a=1&b=2", "a=1&b=2"), (2, 7));
    assert_eq!(similarity("b=2&a=1", "a=1&b=2"), (2, 0));
    assert_eq!(similarity("t=1234&a=1", "t=1239&a=2"), (0, 5));
    // Each parameter counts once.
    assert_eq!(similarity("a&a&a", "a"), (1, 1));
    assert_eq!(similarity("", ""), (0, 0));
}

#[test]
fn targets() {
    assert_eq!(split("/a?b?c#d"), ("/a", Some("b?c")));
    assert_eq!(split("/a?"), ("/a", Some("")));
    assert_eq!(split("/a#?"), ("/a", None));
}
