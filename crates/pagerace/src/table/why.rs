//! Time by what it goes into.

use std::collections::BTreeMap;

use comfy_table::{Attribute, Cell, Table};
use pagerace_lab::Plan;
use pagerace_lab::unit::signed_percent;
use pagerace_lab::why::{Why, steps};
use pagerace_sim::Part;

use super::{NONE, add, fits, table};

/// Most contenders that stand side by side.
const COLUMNS_MAX: usize = 5;

/// Differences to the baseline: one column for each contender, a row for each
/// part; the other way round where there are many or the terminal is narrow. Of
/// several pages the mean.
pub(crate) fn race(plan: &Plan, whys: &[&Why]) -> Table {
    let columns = columns(plan, whys);
    let mut upright = upright(&columns);
    if columns.len() <= COLUMNS_MAX && fits(&mut upright) {
        return upright;
    }
    let mut header = vec![plan.noun().one()];
    header.extend(Part::ALL.map(Part::name));
    header.push("in all");
    let mut flat = table(&header, 1);
    for (name, tenths) in &columns {
        let mut cells = vec![Cell::new(name)];
        cells.extend(tenths.iter().map(|n| Cell::new(signed(*n))));
        let sum: i64 = tenths.iter().sum();
        cells.push(Cell::new(signed(sum)).add_attribute(Attribute::Bold));
        add(&mut flat, 1, cells);
    }
    flat
}

fn upright(columns: &[(String, [i64; 8])]) -> Table {
    let mut header = vec!["ms"];
    header.extend(columns.iter().map(|(name, _)| name.as_str()));
    let mut upright = table(&header, 1);
    for (i, part) in Part::ALL.into_iter().enumerate() {
        let mut cells = vec![Cell::new(part.title())];
        cells.extend(
            columns
                .iter()
                .map(|(_, tenths)| Cell::new(signed(tenths[i]))),
        );
        add(&mut upright, 1, cells);
    }
    let mut cells = vec![Cell::new("in all").add_attribute(Attribute::Bold)];
    cells.extend(
        columns.iter().map(|(_, tenths)| {
            Cell::new(signed(tenths.iter().sum())).add_attribute(Attribute::Bold)
        }),
    );
    add(&mut upright, 1, cells);
    upright
}

/// Name and differences in tenths of a millisecond of each contender.
fn columns(plan: &Plan, whys: &[&Why]) -> Vec<(String, [i64; 8])> {
    let mut sums: BTreeMap<usize, ([i64; 8], i64)> = BTreeMap::new();
    for why in whys {
        let (sum, pages) = sums.entry(why.contender).or_default();
        let (own, base) = (steps(&why.own.parts), steps(&why.base.parts));
        for (sum, (own, base)) in sum.iter_mut().zip(own.into_iter().zip(base)) {
            *sum += own - base;
        }
        *pages += 1;
    }
    let mean = |(contender, (sum, pages)): (usize, ([i64; 8], i64))| {
        let half = pages / 2;
        let mean = sum.map(|n| (n + n.signum() * half) / pages);
        (plan.label(contender), mean)
    };
    sums.into_iter().map(mean).collect()
}

/// A pair of runs: both times, their difference and its share of the whole.
pub(crate) fn pair(plan: &Plan, why: &Why) -> Table {
    let (own, base) = (steps(&why.own.parts), steps(&why.base.parts));
    let names = [plan.label(plan.baseline), plan.label(why.contender)];
    let header = [
        "ms",
        names[0].as_str(),
        names[1].as_str(),
        "difference",
        "share",
    ];
    let mut table = table(&header, 1);
    let sum = |tenths: &[i64; 8]| tenths.iter().sum::<i64>();
    let whole = sum(&own) - sum(&base);
    let row = |name: &str, base: i64, own: i64| {
        let share = (whole != 0).then(|| (own - base) as f64 / whole as f64);
        vec![
            Cell::new(name),
            Cell::new(plain(base)),
            Cell::new(plain(own)),
            Cell::new(signed(own - base)),
            Cell::new(share.map_or_else(|| NONE.to_owned(), signed_percent)),
        ]
    };
    for (i, part) in Part::ALL.into_iter().enumerate() {
        add(&mut table, 1, row(part.title(), base[i], own[i]));
    }
    let total = row("in all", sum(&base), sum(&own));
    let bold = |cell: Cell| cell.add_attribute(Attribute::Bold);
    add(&mut table, 1, total.into_iter().map(bold).collect());
    table
}

/// Tenths of a millisecond as milliseconds.
fn plain(tenths: i64) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    let size = tenths.unsigned_abs();
    format!("{sign}{}.{}", size / 10, size % 10)
}

/// The same, with a plus sign where there is more.
fn signed(tenths: i64) -> String {
    let sign = if tenths > 0 { "+" } else { "" };
    format!("{sign}{}", plain(tenths))
}

#[cfg(test)]
mod tests {
    use super::{plain, signed};

    #[test]
    fn tenths() {
        assert_eq!(plain(0), "0.0");
        assert_eq!(plain(1234), "123.4");
        assert_eq!(plain(-5), "-0.5");
        assert_eq!(
            (signed(5), signed(-15), signed(0)),
            ("+0.5".into(), "-1.5".into(), "0.0".into())
        );
    }
}
