//! The progress bar and the handling of interrupts.

use std::io::{IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
#[cfg(feature = "live")]
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
#[cfg(feature = "live")]
use pagerace_lab::LabError;
use pagerace_lab::Progress;

use crate::failed::{Interrupted, report};

/// Exit code of an interrupted process, by the convention of shells.
const INTERRUPTED: i32 = 130;

/// Time between two lines of a log, in seconds.
const LOG_PERIOD: u64 = 10;

/// Time between two pictures of a spinner.
const SPIN: Duration = Duration::from_millis(100);

/// Time that work has to end after an interrupt, if nothing has to be cleaned up.
const GRACE: Duration = Duration::from_millis(700);

/// True once the user has interrupted.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// True if the process may end at any time.
static MAY_END: AtomicBool = AtomicBool::new(false);

/// What has to be cleaned up if an interrupt ends the process now.
#[cfg(feature = "live")]
static CLEAN_UP: Mutex<Option<CleanUp>> = Mutex::new(None);

/// A function that cleans up.
#[cfg(feature = "live")]
type CleanUp = Box<dyn FnOnce() + Send>;

/// Lets an interrupt call `clean_up` and end the process, until this is called with `None`.
#[cfg(feature = "live")]
pub(crate) fn clean_up_on_interrupt(clean_up: Option<CleanUp>) {
    heed_interrupts();
    *CLEAN_UP.lock().unwrap_or_else(PoisonError::into_inner) = clean_up;
}

/// Records interrupts (Ctrl-C) from now on. A second one ends the process immediately.
fn heed_interrupts() {
    let stop = Arc::clone(&STOP);
    // This fails only if the handler is installed already.
    let _ = ctrlc::set_handler(move || {
        #[cfg(feature = "live")]
        {
            let mut clean_up = CLEAN_UP.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(clean_up) = clean_up.take() {
                clean_up();
                report(&Interrupted(String::new()).into());
                std::process::exit(INTERRUPTED);
            }
        }
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        if MAY_END.load(Ordering::Relaxed) {
            std::thread::spawn(|| {
                std::thread::sleep(GRACE);
                report(&Interrupted(String::new()).into());
                std::process::exit(INTERRUPTED);
            });
        }
    });
}

/// Lets an interrupt end the process within a second from now on, whatever it does: a single load
/// or a large recording may take longer.
pub(crate) fn end_soon_on_interrupt() {
    MAY_END.store(true, Ordering::Relaxed);
    heed_interrupts();
}

/// Shows progress on standard error: a bar on a terminal, else a line now and then. Records
/// an interrupt (Ctrl-C) so that the race ends between two loads. A second interrupt ends
/// the process immediately.
pub(crate) struct Watch {
    bar: ProgressBar,
    unit: String,
    /// Second of the phase in which the last line was written, if standard error is a log.
    last_line: Option<AtomicU64>,
    stop: Arc<AtomicBool>,
    #[cfg(feature = "study")]
    hook: Option<Hook>,
}

/// A function that is told the name of the phase and its progress, and returns whether to
/// go on. All threads call it.
#[cfg(feature = "study")]
pub type Hook = Box<dyn Fn(&str, Progress) -> ControlFlow<()> + Send + Sync>;

impl Watch {
    /// Creates a bar that counts in `unit`, such as loads.
    pub(crate) fn new(shown: bool, unit: &str) -> Self {
        heed_interrupts();
        let template = format!("{{msg:>10}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{eta}} left");
        Self::shown(shown, unit, &template, Arc::clone(&STOP))
    }

    /// Creates a spinner that counts in `unit`, for steps that take a second or more each. Leaves
    /// signals alone, so that an interrupt ends the process, at once or soon.
    pub(crate) fn spinner(shown: bool, unit: &str) -> Self {
        let template = format!("{{spinner}} {{msg}}: {{pos}} of {{len}} {unit}");
        let watch = Self::shown(shown, unit, &template, Arc::default());
        watch.bar.enable_steady_tick(SPIN);
        watch
    }

    fn shown(shown: bool, unit: &str, template: &str, stop: Arc<AtomicBool>) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if shown && terminal {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template(template).expect("the template is well formed");
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
        Self {
            bar,
            unit: unit.to_owned(),
            last_line: (shown && !terminal).then(AtomicU64::default),
            stop,
            #[cfg(feature = "study")]
            hook: None,
        }
    }

    /// Creates a watch that tells a function, and leaves terminal and signals alone.
    #[cfg(feature = "study")]
    pub(crate) fn hooked(hook: Hook) -> Self {
        Self {
            bar: ProgressBar::hidden(),
            unit: String::new(),
            last_line: None,
            stop: Arc::default(),
            hook: Some(hook),
        }
    }

    /// Writes a line to standard error, if it is a log and not a terminal.
    #[cfg(any(feature = "live", feature = "study"))]
    pub(crate) fn log(&self, line: &str) {
        if let Some(last) = &self.last_line {
            last.store(self.bar.elapsed().as_secs(), Ordering::Relaxed);
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// Shows a line above the bar, if there is one.
    pub(crate) fn note(&self, line: &str) {
        self.bar.println(line);
    }

    /// Starts the next phase with its name and number of steps.
    pub(crate) fn start(&self, what: &'static str, count: usize) {
        self.bar.reset();
        if let Some(last) = &self.last_line {
            last.store(0, Ordering::Relaxed);
        }
        self.bar.set_length(count as u64);
        self.bar.set_message(what);
    }

    /// Sets the number of steps, if more of them turn out to be needed.
    #[cfg(feature = "live")]
    pub(crate) fn extend(&self, count: usize) {
        self.bar.set_length(count as u64);
    }

    /// Shows the progress and returns whether to continue. Callable from any thread.
    pub(crate) fn tell(&self, progress: Progress) -> ControlFlow<()> {
        self.bar.set_position(progress.done as u64);
        if let Some(last) = &self.last_line {
            let (now, before) = (self.bar.elapsed().as_secs(), last.load(Ordering::Relaxed));
            // One of the threads writes the line.
            let swap =
                |from| last.compare_exchange(from, now, Ordering::Relaxed, Ordering::Relaxed);
            if now >= before + LOG_PERIOD && swap(before).is_ok() {
                let (name, Progress { done, total }) = (self.bar.message(), progress);
                let left = (total - done) as f64 / done.max(1) as f64;
                let left = HumanDuration(self.bar.elapsed().mul_f64(left));
                let unit = &self.unit;
                let _ = writeln!(
                    std::io::stderr(),
                    "{name}: {done} of {total} {unit}, {left} left"
                );
            }
        }
        #[cfg(feature = "study")]
        if let Some(hook) = &self.hook
            && hook(&self.bar.message(), progress).is_break()
        {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.go_on()
    }

    /// Shows the progress of work that stops between two steps.
    ///
    /// # Errors
    /// [`LabError::Interrupted`] if the user asked to stop before the last step.
    #[cfg(feature = "live")]
    pub(crate) fn step(&self, done: usize, total: usize) -> Result<(), LabError> {
        if self.tell(Progress { done, total }).is_break() && done < total {
            return Err(LabError::Interrupted { done, total });
        }
        Ok(())
    }

    /// Returns `Break` if the user has interrupted.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.clear();
    }
}
