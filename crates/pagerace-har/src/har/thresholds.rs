//! Limits of inference: times in milliseconds, and sizes in bytes.
//!
//! Inference supplies what a recording does not tell. Limits without a source are judgements; no
//! measurement stands behind them.

/// Minimum time from the earliest execution of a script to a request in a callback, if tasks are
/// not recorded.
pub(super) const RUN_TO_CALLBACK_MS: f64 = 100.0;
/// The same from the end of the script's recorded task.
pub(super) const TASK_TO_CALLBACK_MS: f64 = 5.0;
/// Maximum time from an event of the document to the requests of its listeners, if tasks are not
/// recorded.
pub(super) const EVENT_TO_REQUEST_MS: f64 = 50.0;
/// Maximum time from an event of the document to the recorded task of its listeners.
pub(super) const EVENT_TO_TASK_MS: f64 = 3.0;
/// Maximum time from the completion of a resource that a script requested to the script's next
/// request, if tasks are not recorded; other tasks, and its own, lie in between.
pub(super) const RELATED_TO_REQUEST_MS: f64 = 200.0;
/// The same limit after resources that other scripts requested.
pub(super) const UNRELATED_TO_REQUEST_MS: f64 = 50.0;
/// Maximum idle time from the completion of a resource that a script requested to the recorded task
/// of the script's next request.
pub(super) const RELATED_TO_TASK_MS: f64 = 50.0;
/// Maximum idle time from any arrival to a recorded task that it calls. The recorded time of an
/// arrival is that of the network service.
pub(super) const ARRIVAL_TO_TASK_MS: f64 = 20.0;
/// Minimum delay of a request that is assumed to wait for an event related to it by time alone.
/// Shorter delays are more likely CPU time.
pub(super) const NOT_CPU_MS: f64 = 500.0;
/// Rounding error between an event of the document and a request.
pub(super) const EVENT_ROUNDING_MS: f64 = 1.0;

/// Minimum time from the completion of a loader to its requests in callbacks.
pub(super) const LOADER_TO_CALLBACK_MS: f64 = 100.0;
/// Maximum time from the completion of a script to the request that the script's loader then makes.
pub(super) const LOADED_TO_REQUEST_MS: f64 = 200.0;
/// A script that was complete less than this before a request has not run yet.
pub(super) const UNRUN_MS: f64 = 5.0;
/// Maximum time that a script which is ready to run waits for reasons other than recorded tasks.
pub(super) const QUEUE_MS: f64 = 100.0;
/// Maximum time from the response of a synchronous request to the next request of the same task, if
/// tasks are not recorded.
pub(super) const SYNCHRONOUS_GAP_MS: f64 = 50.0;
/// Minimum time from a request to the later completion of its supposed script that is worth a note.
pub(super) const LATE_INITIATOR_MS: f64 = 50.0;
/// Minimum timeout of a timer, so that other tasks may come first.
pub(super) const SHORTEST_TIMEOUT_MS: f64 = 1.0;
/// Maximum sum of the timeouts of timers that do not poll.
pub(super) const SHORT_TIMEOUT_MS: f64 = 50.0;

/// Maximum time from the end of a document to the requests of its markup: one slow task of the
/// parser. Later requests have another cause, if there is one.
pub(super) const MARKUP_LAG_MS: f64 = 100.0;
/// Maximum time from the arrival of all resources that the parser waits for to its requests. Slow
/// tasks and the browser's own scheduling lie in between.
pub(super) const BLOCKED_MARKUP_LAG_MS: f64 = 200.0;
/// Maximum time from the arrival of an inline script to its requests, if no earlier resource
/// delayed it. Later requests come from a timer or an event.
pub(super) const INLINE_LAG_MS: f64 = 200.0;
/// The time by which rounding may move the end of a failed font behind the request for the next
/// source.
pub(super) const FONT_ROUNDING_MS: f64 = 5.0;
/// Maximum time after the load event at which a resource that it waited for may end, due to
/// rounding by recorders.
pub(super) const LOAD_ROUNDING_MS: f64 = 20.0;

/// Time after the load event up to which tasks and motions belong to the load.
pub(super) const HORIZON_MS: f64 = 2000.0;
/// Maximum idle time between an event and the begin of a motion, which frames draw: two frames of
/// 60 per second.
pub(super) const EVENT_TO_MOTION_MS: f64 = 35.0;
/// Time after the first paint in which a motion begins that needs no script.
pub(super) const FIRST_MOTION_MS: f64 = 50.0;
/// Maximum time from the last recorded work of a frame to its paint.
pub(super) const WORK_TO_PAINT_MS: f64 = 100.0;
/// Maximum time from the completion of an image to its paint: decoding, and tasks before the frame.
pub(super) const IMAGE_TO_PAINT_MS: f64 = 250.0;
/// Maximum difference between paints of one frame of 60 per second, after rounding by recorders.
pub(super) const SAME_FRAME_MS: f64 = 17.0;

/// Images with fewer bytes are beacons and spacers, which are not visible.
pub(super) const BEACON_BYTES: u64 = 200;
