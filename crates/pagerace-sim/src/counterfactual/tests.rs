//! Unit tests; `tests/counterfactual.rs` tests the results for whole pages.

use super::*;

#[test]
fn changes_are_told_apart() {
    let ms = |millis| Some(Duration::from_millis(millis));
    assert_eq!(change(ms(10), ms(10)), PaintChange::Same);
    assert_eq!(change(ms(10), None), PaintChange::Never);
    assert_eq!(change(None, ms(10)), PaintChange::Same);
    assert_eq!(
        change(ms(10), ms(7)),
        PaintChange::Earlier(Duration::from_millis(3))
    );
    assert_eq!(
        change(ms(7), ms(10)),
        PaintChange::Later(Duration::from_millis(3))
    );
}
