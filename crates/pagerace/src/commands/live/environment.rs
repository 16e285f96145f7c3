//! Circumstances of live measurements.

use std::fs;

use pagerace_chromium::processes::Scheduled;
use pagerace_lab::Fact;
use pagerace_lab::stats::median;
use pagerace_live::world::LiveOutcome;

/// Share of waiting from which on a reader should know. Most pages exceed it on two processors.
const WAITING_MAX: f64 = 0.25;

/// Facts common to all loads of a session, and the worst values of those that vary.
#[derive(Default)]
pub(crate) struct Environment {
    p99_ms_max: f64,
    max_ms: f64,
    contention_max: Option<f64>,
    /// The share of its time that the page's main thread waited for a processor, of each load.
    waiting: Vec<f64>,
    rejected: usize,
    unknown: usize,
}

impl Environment {
    /// Adds a load.
    pub(crate) fn add(&mut self, live: &LiveOutcome) {
        self.p99_ms_max = self.p99_ms_max.max(live.lateness.p99.as_millis_f64());
        self.max_ms = self.max_ms.max(live.lateness.max.as_millis_f64());
        let contention = live.contention.into_iter().chain(self.contention_max);
        self.contention_max = contention.reduce(f64::max);
        let main_thread = live.observed.main_thread;
        self.waiting
            .extend(main_thread.and_then(Scheduled::waiting));
        self.rejected += live.rejected.len();
        self.unknown = self.unknown.max(live.unknown.len());
    }

    /// Returns the share of the time in which the page's main thread could run that it waited for a
    /// processor, the median of the loads.
    fn waiting(&self) -> Option<f64> {
        median(&self.waiting)
    }

    /// Returns a hint if the machine has too few processors for the loads.
    pub(crate) fn hint(&self) -> Option<String> {
        let share = self.waiting().filter(|share| *share > WAITING_MAX)?;
        Some(format!(
            "The page's main thread waited for a processor in {:.0} % of the time in which it could \
             run, because the browser, the servers and the link share the processors of this machine. \
             On a device with more of them, the page is faster. Predictions contain at most the \
             waits of the recording. If that was made on one or two processors, they also contain \
             what arriving data costs.",
            share * 100.0
        ))
    }

    /// Returns the facts for tables and files.
    pub(crate) fn facts(&self, browser: &str) -> Vec<Fact> {
        let mut facts = vec![
            Fact::new("browser", format!("Chromium {browser}")),
            Fact::new("kernel", kernel()),
            Fact::new(
                "lateness of the link",
                format!(
                    "p99 at most {:.2} ms, latest {:.1} ms",
                    self.p99_ms_max, self.max_ms
                ),
            ),
        ];
        if let Some(share) = self.contention_max {
            let value = format!("at most {:.0} % of the processors", share * 100.0);
            facts.push(Fact::new("other programs", value));
        }
        if let Some(share) = self.waiting() {
            let value = format!(
                "{:.0} % of the time in which it could run (median of the loads)",
                share * 100.0
            );
            facts.push(Fact::new("main thread waited for a processor", value));
        }
        facts.push(Fact::new("repeated loads", self.rejected.to_string()));
        if self.unknown > 0 {
            let value = format!("up to {} a load, answered 404", self.unknown);
            facts.push(Fact::new("requests that were not recorded", value));
        }
        facts
    }
}

/// Returns the operating system and its version.
pub(crate) fn kernel() -> String {
    let read = |name: &str| fs::read_to_string(format!("/proc/sys/kernel/{name}")).ok();
    match (read("ostype"), read("osrelease")) {
        (Some(system), Some(release)) => format!("{} {}", system.trim(), release.trim()),
        _ => std::env::consts::OS.to_owned(),
    }
}

/// Returns the number and model of the processors.
pub(crate) fn machine() -> Vec<Fact> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = model
        .and_then(|rest| rest.split_once(':'))
        .map(|(_, name)| name.trim().to_owned());
    let mut facts = vec![Fact::new("processors", processors.to_string())];
    facts.extend(model.map(|name| Fact::new("processor", name)));
    facts
}

#[cfg(test)]
mod tests {
    use super::Environment;

    #[test]
    fn only_much_waiting_is_worth_a_hint() {
        let hint = |waiting: &[f64]| {
            let environment = Environment {
                waiting: waiting.to_vec(),
                ..Environment::default()
            };
            environment.hint()
        };
        assert_eq!((hint(&[]), hint(&[0.9, 0.2, 0.1])), (None, None));
        let text = hint(&[0.38, 0.1, 0.4]).expect("a hint");
        assert!(text.contains("in 38 % of the time"), "{text}");
    }
}
