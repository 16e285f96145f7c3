//! Speed Index by speedline-core over the screenshots of a trace.
//!
//! <https://github.com/paulirish/speedline>. It compares colour histograms, like
//! WebPageTest (<https://docs.webpagetest.org/metrics/speedindex/>). Its results are not
//! comparable with a Speed Index from a video or from a model.

use std::path::PathBuf;
use std::process::Command;

use pagerace_core::Duration;
use serde_json::json;

use super::package::Package;
use crate::error::ChromiumError;
use crate::trace::{SCREENSHOTS, Trace};

/// The timeout of a run; a screenshot takes about 10 ms.
const TIMEOUT: Duration = Duration::from_secs(120);

const PACKAGE: Package = Package {
    name: "speedline-core",
    manifest: include_str!("../../node/speedline/package.json"),
    lock: include_str!("../../node/speedline/package-lock.json"),
    script: include_str!("../../node/speedline/run.mjs"),
};

/// The result of speedline.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeedIndex {
    /// The Speed Index.
    pub speed_index: Duration,
    /// The share of the final viewport that was visible at each time since the start of
    /// the navigation.
    pub visual_progress: Vec<(Duration, f64)>,
}

/// The installed speedline program.
#[derive(Clone, Debug)]
pub struct Speedline {
    folder: PathBuf,
}

impl Speedline {
    /// Opens the program, which is installed if necessary.
    ///
    /// # Errors
    /// Returns [`ChromiumError::Node`] if there is no Node.js or the program cannot be
    /// installed.
    pub fn open() -> Result<Self, ChromiumError> {
        let folder = PACKAGE.open()?;
        Ok(Self { folder })
    }

    /// Computes the Speed Index of a trace.
    ///
    /// # Errors
    /// Returns [`ChromiumError::Node`] if the trace has no start or no screenshots, or if
    /// the program fails.
    pub fn speed_index(&self, trace: &Trace) -> Result<SpeedIndex, ChromiumError> {
        let start = trace
            .navigation_start
            .ok_or_else(|| PACKAGE.error("the trace has no start of the navigation"))?;
        if trace.screenshots.is_empty() {
            return Err(PACKAGE.error("the trace has no screenshots"));
        }
        if trace.full {
            return Err(PACKAGE.error("the page changed in more frames than a trace can hold"));
        }
        let events: Vec<_> = trace
            .screenshots
            .iter()
            .map(
                |shot| json!({"cat": SCREENSHOTS, "ts": shot.at, "args": {"snapshot": shot.image}}),
            )
            .collect();
        let input = json!({"timeOrigin": start, "events": events});
        let spawn = |mut command: Command| command.spawn();
        let output = PACKAGE.run(&self.folder, &input, TIMEOUT, &spawn)?;
        let missing = || PACKAGE.error("its script gave no Speed Index");
        let speed_index = output["speedIndex"].as_f64().ok_or_else(missing)?;
        let frames = output["frames"].as_array().ok_or_else(missing)?;
        let visual_progress = frames
            .iter()
            .filter_map(|frame| {
                let at = Duration::from_millis_f64(frame[0].as_f64()?);
                Some((at, frame[1].as_f64()? / 100.0))
            })
            .collect();
        Ok(SpeedIndex {
            speed_index: Duration::from_millis_f64(speed_index),
            visual_progress,
        })
    }
}
