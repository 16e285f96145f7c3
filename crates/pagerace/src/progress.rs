//! The progress bar, and the wish to stop.

use std::io::{IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pagerace_lab::Progress;

/// Exit code of a process that was interrupted, as shells expect it.
const INTERRUPTED: i32 = 130;

/// Draws progress on standard error if that is a terminal, and remembers an
/// interrupt (Ctrl-C), so that the race ends between two loads. A second
/// interrupt ends the process at once.
pub(crate) struct Watch {
    bar: ProgressBar,
    /// Whether lines stand in for the bar, as nobody would see one.
    lines: bool,
    stop: Arc<AtomicBool>,
}

impl Watch {
    /// `unit` is what is counted: loads, for example.
    pub(crate) fn new(shown: bool, unit: &str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        // Fails only if a handler is installed already; the default then holds.
        let _ = ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        });
        let terminal = std::io::stderr().is_terminal();
        let target = if shown && terminal {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template(&format!(
            "{{msg:>10}} {{wide_bar}} {{pos}}/{{len}} {unit}, {{eta}} left"
        ))
        .expect("the template is well formed");
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
        Self {
            bar,
            lines: shown && !terminal,
            stop,
        }
    }

    /// Writes a line to a log: standard error, if it is no terminal.
    pub(crate) fn log(&self, line: &str) {
        if self.lines {
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }

    /// Names what comes next, and how much it is.
    pub(crate) fn start(&self, what: &'static str, count: usize) {
        self.bar.reset();
        self.bar.set_length(count as u64);
        self.bar.set_message(what);
    }

    /// To be told after each, from any thread.
    pub(crate) fn tell(&self, progress: Progress) -> ControlFlow<()> {
        self.bar.set_position(progress.done as u64);
        self.go_on()
    }

    /// Whether somebody wishes to stop.
    pub(crate) fn go_on(&self) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.clear();
    }
}
