use super::*;

#[test]
fn ties_keep_scheduling_order() {
    let mut q = EventQueue::new();
    for (t, e) in [(2, 'b'), (1, 'a'), (2, 'c')] {
        q.schedule(Instant::from_nanos(t), e);
    }
    let order: String = std::iter::from_fn(|| q.pop().map(|(_, e)| e)).collect();
    assert_eq!(order, "abc");
}

#[test]
fn only_due_events_come_out() {
    let mut q = EventQueue::new();
    q.schedule(Instant::from_nanos(5), ());
    assert!(q.pop_due(Instant::from_nanos(4)).is_none());
    assert!(q.pop_due(Instant::from_nanos(5)).is_some());
}

#[test]
#[should_panic(expected = "in the past")]
fn time_does_not_run_backwards() {
    let mut q = EventQueue::new();
    q.schedule(Instant::from_nanos(5), ());
    q.pop();
    q.schedule(Instant::from_nanos(4), ());
}
