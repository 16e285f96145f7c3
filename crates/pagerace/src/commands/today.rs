//! The day of a measurement.

/// Today in UTC, as `2026-01-31`.
pub(super) fn today() -> String {
    time::OffsetDateTime::now_utc().date().to_string()
}
