//! The date of a measurement.

/// Returns the current date in UTC, as `2026-01-31`.
pub(super) fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}
