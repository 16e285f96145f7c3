//! Parallel work with ordered results, which are the same for any number of threads.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Calls `work` for `0..count` on `jobs` threads and returns the results by index.
pub fn all<T: Send + Sync>(jobs: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let go_on = |_| ControlFlow::Continue(());
    map(jobs, count, &|(): &mut (), i| work(i), &go_on).expect("nothing stops the work")
}

/// Calls `work` for `0..count` on `jobs` threads and returns the results by
/// index. Returns `None` if `progress`, which is called with the number of
/// completed calls, stops the work.
///
/// Each thread takes the next free index and keeps its own state, which `work`
/// may use only as a cache.
pub fn map<S: Default, T: Send + Sync>(
    jobs: usize,
    count: usize,
    work: &(impl Fn(&mut S, usize) -> T + Sync),
    progress: &(impl Fn(usize) -> ControlFlow<()> + Sync),
) -> Option<Vec<T>> {
    let slots: Vec<OnceLock<T>> = (0..count).map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let worker = || {
        let mut state = S::default();
        while !stopped.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = slots.get(index) else { break };
            let fresh = slot.set(work(&mut state, index)).is_ok();
            assert!(fresh, "index {index} was given out twice");
            if progress(done.fetch_add(1, Ordering::Relaxed) + 1).is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.clamp(1, count.max(1)) {
            scope.spawn(worker);
        }
        worker();
    });
    slots.into_iter().map(OnceLock::into_inner).collect()
}

#[cfg(test)]
mod tests;
