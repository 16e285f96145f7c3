//! The statistics of a race, one method per file.
//!
//! All methods except the line and Welch's test rest on ranks and order statistics, so that
//! no distribution of load times is assumed. A failed load counts as "later than
//! any finished one": positive infinity is a valid value for these methods.
//! Not-a-number is invalid and panics. Logarithms, exponentials and `erfc` come
//! from `libm`, so that the same runs give the same digits on every machine.

pub mod crossed;
pub mod effect;
pub mod holm;
pub mod line;
pub mod mann_whitney;
pub mod paired;
pub mod quantile;
pub mod rank;
pub mod spearman;
pub mod tail;
pub mod welch;
pub mod wilcoxon;

pub use crossed::{Grouped, crossed, lower_share};
pub use effect::{cliffs_delta, matched_pairs_rank_biserial};
pub use holm::holm;
pub use line::{Line, line};
pub use mann_whitney::{MannWhitney, mann_whitney};
pub use paired::{Interval, differences, median_interval};
pub use quantile::{median, median_place, quantile, weighted_quantile};
pub use spearman::{Spearman, spearman};
pub use welch::welch;
pub use wilcoxon::{SignedRank, signed_rank};

/// Returns `None` for infinite values, which JSON cannot represent.
pub(crate) fn finite(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite())
}
