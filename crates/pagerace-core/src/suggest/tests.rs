use super::{did_you_mean, nearest};

#[test]
fn typing_errors_beginnings_and_initials() {
    let known = [
        "round-robin",
        "batched-round-robin",
        "fifo",
        "eps",
        "firefox-eps",
        "bbr",
        "cubic",
        "cubic-hystart",
        "h2",
    ];
    let near = |found| nearest(found, known.into_iter());
    assert_eq!(near("fifi"), ["fifo"]);
    assert_eq!(near("rr"), ["round-robin"]);
    assert_eq!(near("Round_Robin")[0], "round-robin");
    assert_eq!(near("firefox"), ["firefox-eps"]);
    assert_eq!(near("bbbr"), ["bbr"]);
    assert_eq!(near("hystart"), ["cubic-hystart"]);
    assert_eq!(near("qubic"), ["cubic"]);
    assert_eq!(near("cub"), ["cubic", "cubic-hystart"]);
    assert_eq!(near("h2c"), ["h2"]);
    assert!(
        near("h5").is_empty(),
        "a short name is not close to all others"
    );
    for nothing in ["", "quantum", "zzzzzz", &"x".repeat(100_000)] {
        assert!(near(nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn a_sentence_continues_with_the_names() {
    let said = |found| did_you_mean(found, ["cable", "cables", "cable"].into_iter());
    assert_eq!(said("calbe"), "; did you mean cable or cables?");
    assert_eq!(said("dsl"), "");
}
