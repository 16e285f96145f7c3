//! Table of two runs side by side.

use pagerace_lab::Plan;
use pagerace_lab::model_error::is_lossy;
use pagerace_lab::unit::signed_percent;
use pagerace_lab::why::{Why, steps};
use pagerace_sim::Part;

use super::super::{NONE, fits, table};
use super::{Explained, OVERFLOW, bold, first_fitting, plain, signed, sized};

/// Minimum difference, relative to the larger time, for which shares are meaningful.
const SHARED_FROM: f64 = 0.05;

/// Returns a table of two runs with both times, their difference, and its share of the
/// total difference if that is large enough.
pub(crate) fn pair(plan: &Plan, why: &Why, width: Option<usize>) -> Explained {
    let labels = [plan.label(plan.baseline), plan.label(why.contender)];
    let times = Times {
        base: steps(&why.base.parts),
        own: steps(&why.own.parts),
    };
    let mut explained = lay_out(&labels, &times, width);
    let (base, own) = (
        why.base.parts.get(Part::Loss),
        why.own.parts.get(Part::Loss),
    );
    let lost = !base.is_zero() || !own.is_zero();
    if lost && !is_lossy(&plan.networks[why.network]) {
        explained.notes.push(OVERFLOW.to_owned());
    }
    explained
}

/// Times by part, in tenths of a millisecond.
struct Times {
    base: [i64; 8],
    own: [i64; 8],
}

/// Returns the first layout that fits the terminal.
fn lay_out(labels: &[String; 2], times: &Times, width: Option<usize>) -> Explained {
    let names = [labels[0].as_str(), labels[1].as_str()];
    let letters = ["A", "B"];
    let layouts = [
        (names, Part::title as fn(Part) -> &'static str, true),
        (names, Part::name, true),
        (names, Part::name, false),
        (letters, Part::name, false),
    ];
    first_fitting(layouts.into_iter().map(|(heads, part_name, shares)| {
        let mut table = sized(times.table(heads, part_name, shares), width);
        let mut notes = Vec::new();
        if heads == letters {
            notes.push(format!(" A: {}; B: {}", labels[0], labels[1]));
        }
        let fits = fits(&mut table);
        (Explained { table, notes }, fits)
    }))
}

impl Times {
    fn table(
        &self,
        heads: [&str; 2],
        part_name: fn(Part) -> &'static str,
        shares: bool,
    ) -> comfy_table::Table {
        let mut header = vec!["ms", heads[0], heads[1], "difference"];
        header.extend(shares.then_some("share"));
        let mut table = table(&header, 1);
        let sum = |tenths: &[i64; 8]| tenths.iter().sum::<i64>();
        let (base, own) = (sum(&self.base), sum(&self.own));
        for (i, part) in Part::ALL.into_iter().enumerate() {
            table.add_row(self.row(part_name(part), self.base[i], self.own[i], shares));
        }
        let total = self.row("total", base, own, shares);
        table.add_row(total.into_iter().map(bold));
        table
    }

    fn row(&self, name: &str, base: i64, own: i64, shares: bool) -> Vec<String> {
        let mut cells = vec![name.to_owned(), plain(base), plain(own), signed(own - base)];
        if shares {
            let share = self.share(own - base);
            cells.push(share.map_or_else(|| NONE.to_owned(), signed_percent));
        }
        cells
    }

    /// Returns the share of `part` in the total difference, if that is large enough.
    fn share(&self, part: i64) -> Option<f64> {
        let sum = |tenths: &[i64; 8]| tenths.iter().sum::<i64>();
        let (base, own) = (sum(&self.base), sum(&self.own));
        let whole = own - base;
        let worth = whole.abs() as f64 >= SHARED_FROM * base.max(own) as f64;
        (whole != 0 && worth).then(|| part as f64 / whole as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::{Times, lay_out};

    fn times(base: i64, own: i64) -> Times {
        Times {
            base: [base, 4_000, 0, 0, 0, 0, 0, 0],
            own: [own, 3_500, 0, 0, 0, 0, 0, 0],
        }
    }

    #[test]
    fn shares_of_next_to_nothing_are_not_told() {
        // 1000.0 ms and 950.1 ms: just below a twentieth.
        assert_eq!(times(6_000, 6_001).share(500), None);
        assert_eq!(times(6_000, 6_000).share(250), Some(-0.5));
        assert_eq!(times(6_000, 6_500).share(500), None, "nothing to share");
    }

    #[test]
    fn narrow_terminals_get_fewer_columns_and_whole_numbers() {
        let labels = ["h2 cubic".to_owned(), "static.example=h3 *=h2".to_owned()];
        for width in [Some(30), Some(44), Some(60), Some(80), Some(200), None] {
            let explained = lay_out(&labels, &times(60_000, 123_456), width);
            let lines: Vec<String> = explained.table.lines().collect();
            for number in ["12345.6", "+6345.6", "+6295.6"] {
                let whole = lines.iter().any(|line| line.contains(number));
                assert!(whole, "{number} at {width:?}:\n{}", lines.join("\n"));
            }
            assert_eq!(lines.len(), 2 + 9, "{width:?}:\n{}", lines.join("\n"));
            let shares = lines[0].contains("share");
            assert_eq!(shares, width.is_none_or(|width| width > 60), "{width:?}");
        }
    }
}
