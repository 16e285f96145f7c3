use super::*;

fn filled(requests: &[usize]) -> Delayable {
    let mut d = Delayable::default();
    for &origin in requests {
        d.started(origin, true);
    }
    d
}

#[test]
fn six_to_a_server_and_ten_in_all() {
    let mut d = filled(&[0; 6]);
    assert!(!d.may_start(0) && d.may_start(1));
    for _ in 0..3 {
        d.started(1, true);
    }
    assert!(d.may_start(1));
    d.started(2, true);
    assert!(!d.may_start(1) && !d.may_start(3));
    d.ended(0, true);
    assert!(d.may_start(0) && d.may_start(3));
}

#[test]
fn others_count_for_their_server_only() {
    let mut d = Delayable::default();
    for _ in 0..6 {
        d.started(0, false);
    }
    assert!(!d.may_start(0) && d.may_start(1));
    for _ in 0..6 {
        d.started(0, false);
    }
    assert!(d.may_start(1));
}

#[test]
fn the_next_is_by_class_then_by_age_and_passes_over_busy_servers() {
    let mut d = filled(&[0; 6]);
    d.hold(ResourceId(1), RequestPriority::Low, 1);
    d.hold(ResourceId(2), RequestPriority::Medium, 0);
    d.hold(ResourceId(3), RequestPriority::Low, 2);
    d.hold(ResourceId(4), RequestPriority::Medium, 1);
    let order: Vec<u32> = std::iter::from_fn(|| d.next().map(|id| id.0)).collect();
    assert_eq!(order, [4, 1, 3]);
    d.ended(0, true);
    assert_eq!(d.next(), Some(ResourceId(2)));
}

#[test]
fn one_that_is_raised_frees_a_place_but_not_its_server() {
    let mut d = filled(&[0, 0, 0, 0, 0, 0, 1, 1, 1, 1]);
    assert!(!d.may_start(1));
    d.raised();
    assert!(d.may_start(1) && !d.may_start(0));
}
