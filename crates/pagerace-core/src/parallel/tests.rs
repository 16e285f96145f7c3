use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::map;

fn go_on(_: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn results_come_by_index_for_any_number_of_threads() {
    let expected: Vec<usize> = (0..100).map(|i| i * i).collect();
    for jobs in [0, 1, 2, 7, 200] {
        let got = map(jobs, 100, &|(): &mut (), i| i * i, &go_on);
        assert_eq!(got.as_ref(), Some(&expected), "{jobs} threads");
    }
    assert_eq!(map(4, 0, &|(): &mut (), i| i, &go_on), Some(vec![]));
}

#[test]
fn progress_counts_to_the_end() {
    let most = AtomicUsize::new(0);
    let calls = AtomicUsize::new(0);
    map(3, 50, &|(): &mut (), i| i, &|done| {
        most.fetch_max(done, Ordering::Relaxed);
        calls.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    assert_eq!((most.into_inner(), calls.into_inner()), (50, 50));
}

#[test]
fn breaking_off_gives_nothing() {
    let worked = AtomicUsize::new(0);
    let got = map(
        2,
        1000,
        &|(): &mut (), _| worked.fetch_add(1, Ordering::Relaxed),
        &|done| {
            if done >= 10 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    );
    assert_eq!(got, None);
    assert!(worked.into_inner() < 1000);
}
