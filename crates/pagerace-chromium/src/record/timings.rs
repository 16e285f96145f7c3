//! The timings of a request and dates in the format of HAR.
//!
//! HAR 1.2, <http://www.softwareishard.com/blog/har-12-spec/#timings>: -1 means "does not
//! apply", and `ssl` is included in `connect`. Computed from
//! <https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-ResourceTiming>.

use serde_json::{Value, json};
use time::{Duration, OffsetDateTime};

/// Returns the timings and the total time in milliseconds of a request from `started` to
/// `ended` (monotonic seconds). `timing` is its `Network.ResourceTiming`, or null.
pub(super) fn timings(timing: &Value, started: f64, ended: f64) -> (Value, f64) {
    let at = |key: &str| timing[key].as_f64().filter(|ms| *ms >= 0.0);
    let whole = ((ended - started) * 1e3).max(0.0);
    let (Some(zero), Some(send_start), Some(send_end)) =
        (at("requestTime"), at("sendStart"), at("sendEnd"))
    else {
        // The response is from a cache, or the request failed before it was sent.
        let all = json!({"blocked": round(whole), "dns": -1, "connect": -1, "ssl": -1,
            "send": 0, "wait": 0, "receive": 0});
        return (all, round(whole));
    };
    // The time between the page's request and its start in the network service.
    let queued = ((zero - started) * 1e3).max(0.0);
    let first = ["dnsStart", "connectStart", "sendStart"]
        .iter()
        .find_map(|k| at(k));
    let blocked = queued + first.unwrap_or(0.0);
    let span = |from: &str, to: &str| Some((at(to)? - at(from)?).max(0.0));
    let headers = at("receiveHeadersEnd").or_else(|| at("receiveHeadersStart"));
    let headers = headers.unwrap_or(send_end).max(send_end);
    let end = ((ended - zero) * 1e3).max(headers);
    let parts = [
        ("blocked", Some(blocked)),
        ("dns", span("dnsStart", "dnsEnd")),
        ("connect", span("connectStart", "connectEnd")),
        ("ssl", span("sslStart", "sslEnd")),
        ("send", Some((send_end - send_start).max(0.0))),
        ("wait", Some(headers - send_end)),
        ("receive", Some(end - headers)),
    ];
    let mut all = json!({"_blocked_queueing": round(queued)});
    let mut sum = 0.0;
    for (name, ms) in parts {
        all[name] = ms.map_or(json!(-1), |ms| json!(round(ms)));
        if name != "ssl" {
            sum += ms.map_or(0.0, round);
        }
    }
    (all, round(sum))
}

/// Rounds milliseconds to whole microseconds.
pub(super) fn round(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}

/// Formats seconds since 1970 as ISO 8601 in UTC with microseconds.
pub(super) fn iso(seconds: f64) -> String {
    let micros = (seconds.max(0.0) * 1e6).round() as i64;
    let at = OffsetDateTime::UNIX_EPOCH.saturating_add(Duration::microseconds(micros));
    let (date, micros) = (at.date(), at.microsecond());
    let (hour, minute, second) = at.time().as_hms();
    format!("{date}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{iso, timings};

    #[test]
    fn times_are_written_as_har_wants_them() {
        assert_eq!(iso(0.0), "1970-01-01T00:00:00.000000Z");
        assert_eq!(iso(1_709_210_096.774_319), "2024-02-29T12:34:56.774319Z");
        assert_eq!(iso(1_735_689_599.999_999_9), "2025-01-01T00:00:00.000000Z");
    }

    #[test]
    fn parts_sum_up_to_the_time() {
        let timing = json!({"requestTime": 10.002, "dnsStart": 1.0, "dnsEnd": 5.0,
            "connectStart": 5.0, "connectEnd": 25.0, "sslStart": 12.0, "sslEnd": 25.0,
            "sendStart": 26.0, "sendEnd": 26.5, "receiveHeadersStart": 60.0,
            "receiveHeadersEnd": 61.0});
        let (parts, time) = timings(&timing, 10.0, 10.1);
        let expected = json!({"_blocked_queueing": 2.0, "blocked": 3.0, "dns": 4.0,
            "connect": 20.0, "ssl": 13.0, "send": 0.5, "wait": 34.5, "receive": 37.0});
        assert_eq!(parts, expected);
        // HAR has no phase for the time between connecting and sending.
        assert_eq!(json!(time), 99.0);
    }

    #[test]
    fn reused_connections_have_no_handshake() {
        let timing = json!({"requestTime": 10.0, "dnsStart": -1, "connectStart": -1,
            "sslStart": -1, "sendStart": 1.0, "sendEnd": 1.0, "receiveHeadersEnd": 5.0});
        let (parts, time) = timings(&timing, 10.0, 10.02);
        assert_eq!(
            (&parts["dns"], &parts["connect"], &parts["ssl"]),
            (&json!(-1), &json!(-1), &json!(-1))
        );
        assert_eq!(json!(time), 20.0);
    }

    #[test]
    fn what_was_never_sent_was_blocked() {
        let (parts, time) = timings(&json!(null), 1.0, 1.5);
        assert_eq!((parts["blocked"].as_f64(), time), (Some(500.0), 500.0));
    }
}
