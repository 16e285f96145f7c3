//! Published experiments, repeated: the same change has the same effect.

mod cases;

use cases::cases;

/// Differences below this many milliseconds have no sign.
const NOTHING_MS: f64 = 1.0;

#[test]
fn changes_do_what_was_published() {
    let mut wrong = Vec::new();
    for case in cases() {
        let (before, after) = case.measure();
        let (ours, theirs) = (after - before, case.published.difference());
        let has_sign = ours.abs() > NOTHING_MS && ours.signum() == theirs.signum();
        let is_as_large = case
            .factor
            .is_none_or(|factor| (1.0 / factor..=factor).contains(&(ours / theirs)));
        if !has_sign || !is_as_large {
            wrong.push(format!(
                "{} on {}: {before:.0} -> {after:.0}, {ours:+.0} ms; published {theirs:+.0} ms",
                case.name, case.network
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
