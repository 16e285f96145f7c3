//! Counts of how often predicted effects came true.

use std::fmt::Write as _;

use pagerace_lab::stats::median;

use super::{Outcome, Trial};

/// Counts of predictions that came true.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// The trials.
    pub trials: usize,
    /// Those in which the loads tell a sign.
    pub told: usize,
    /// Those in which the prediction has it.
    pub sign_right: usize,
    /// The trials in which the predicted difference is as large as the measured one.
    pub near: usize,
    /// Median distance of the predicted difference from the measured one, in milliseconds.
    pub distance_ms: Option<f64>,
    /// Claims with the measured sign.
    pub claims_true: usize,
    /// Claims that the loads do not decide.
    pub claims_untold: usize,
    /// Claims with the other sign.
    pub claims_false: usize,
    /// Median over the claims of the measured difference as a share of the predicted one.
    pub ratio: Option<f64>,
}

impl Tally {
    /// Counts these trials.
    pub fn of<'a>(trials: &(impl Iterator<Item = &'a Trial> + Clone)) -> Self {
        let count = |of: fn(&Trial) -> bool| trials.clone().filter(|one| of(one)).count();
        let outcomes = |of: Outcome| {
            let all = trials.clone();
            all.filter(|one| one.outcome() == Some(of)).count()
        };
        let distances: Vec<f64> = trials.clone().filter_map(Trial::distance).collect();
        let claims = trials.clone().filter(|one| one.outcome().is_some());
        let ratios = claims.filter_map(|one| Some(one.measured / one.predicted?.difference));
        Self {
            trials: trials.clone().count(),
            told: count(Trial::tells),
            sign_right: count(|one| one.tells() && one.has_sign()),
            near: count(Trial::is_near),
            distance_ms: median(&distances),
            claims_true: outcomes(Outcome::True),
            claims_untold: outcomes(Outcome::Untold),
            claims_false: outcomes(Outcome::False),
            ratio: median(&ratios.collect::<Vec<_>>()),
        }
    }

    /// The number of claims.
    pub fn claims(&self) -> usize {
        self.claims_true + self.claims_untold + self.claims_false
    }
}

/// Returns the record that advice prints, as CSV with these comments: for each kind of change and
/// metric, what became of claims.
pub fn record(trials: &[Trial], comments: &[String]) -> String {
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    for comment in comments {
        let _ = writeln!(text, "# {comment}");
    }
    text.push_str("kind,metric,pages,claims,true,untold,false,ratio\n");
    let mut keys: Vec<_> = trials.iter().map(|one| (one.kind(), one.metric)).collect();
    keys.sort_unstable();
    keys.dedup();
    for (kind, metric) in keys {
        let own = trials.iter();
        let own = own.filter(|one| one.kind() == kind && one.metric == metric);
        let mut pages: Vec<&str> = own.clone().map(|one| one.page.as_str()).collect();
        pages.sort_unstable();
        pages.dedup();
        let tally = Tally::of(&own);
        let ratio = tally
            .ratio
            .map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let _ = writeln!(
            text,
            "{kind},{},{},{},{},{},{},{ratio}",
            metric.metric().name,
            pages.len(),
            tally.claims(),
            tally.claims_true,
            tally.claims_untold,
            tally.claims_false,
        );
    }
    text
}
