use super::{guarded, is_intact, sealed_file};
use crate::fixture::rows;

#[test]
fn a_seal_shows_all_damage() {
    let file = sealed_file(&rows("a", 0..3), &[("plan", "[[race]]".to_owned())]).unwrap();
    assert!(is_intact(&file));
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 1;
        assert!(!is_intact(&damaged), "{at}");
    }
    assert!(!is_intact(&file[..file.len() - 1]));
    assert!(!is_intact(b""));
}

#[test]
fn panics_are_errors() {
    assert_eq!(guarded(|| Ok(7)).unwrap(), 7);
    assert!(guarded::<()>(|| panic!("damaged")).is_err());
}
