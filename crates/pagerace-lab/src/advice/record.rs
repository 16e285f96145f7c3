//! The fate of claims about changes that were measured in a browser.

use super::Changes;
use crate::metric::MetricId;

/// The record, written by `pagerace calibrate --changes .. --model-errors`.
const TABLE: &str = include_str!("record.csv");

/// The begin of the comment that says what was measured.
pub const OVER: &str = "# trials: ";

/// The fewest claims about one kind of change that have a record of their own.
const ENOUGH: u32 = 8;

/// The fate of claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The claims that were measured.
    pub claims: u32,
    /// Those whose sign the loads confirmed.
    pub came_true: u32,
    /// Those that the loads did not decide.
    pub undecided: u32,
    /// Those whose measured sign is the other one.
    pub wrong: u32,
    /// The claims about changes of the kind that was asked for.
    pub of_kind: u32,
}

/// Returns the record of claims about a metric: about changes of the first one's kind if there are
/// enough of them, with its name, else about all kinds.
pub fn record(metric: MetricId, changes: &Changes) -> (Option<&'static str>, Record) {
    let kind = changes
        .all()
        .first()
        .map(pagerace_page::change::Change::kind);
    let own = total(TABLE, metric, kind);
    let (kind, found) = match kind {
        Some(kind) if own.claims >= ENOUGH => (Some(kind), own),
        _ => (None, total(TABLE, metric, None)),
    };
    let of_kind = own.claims;
    (kind, Record { of_kind, ..found })
}

/// Returns the versions of HTTP and the networks over which claims were measured.
pub fn measured_over() -> &'static str {
    let mut comments = TABLE.lines().filter_map(|line| line.strip_prefix(OVER));
    comments.next().unwrap_or_default()
}

fn total(table: &str, metric: MetricId, kind: Option<&str>) -> Record {
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let rows = rows.map(|line| line.split(',').collect::<Vec<_>>());
    let mut sum = Record::default();
    for row in rows {
        let [name, of, _, claims, came_true, undecided, wrong, _] = row[..] else {
            continue;
        };
        if of != metric.metric().name || kind.is_some_and(|kind| kind != name) {
            continue;
        }
        let number = |text: &str| text.parse::<u32>().unwrap_or(0);
        sum.claims += number(claims);
        sum.came_true += number(came_true);
        sum.undecided += number(undecided);
        sum.wrong += number(wrong);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_add_up_over_kinds() {
        let table = "# measured\nkind,metric,pages,claims,true,untold,false,ratio\n\
                     preload,lcp,4,9,6,2,1,0.70\ndefer,lcp,2,3,3,0,0,1.01\ndefer,fcp,2,4,4,0,0,0.90\n";
        let lcp = MetricId::default();
        assert_eq!(total(table, lcp, None).claims, 12);
        let own = total(table, lcp, Some("preload"));
        assert_eq!((own.came_true, own.undecided, own.wrong), (6, 2, 1));
        assert_eq!(total(table, lcp, Some("lazy")), Record::default());
    }

    #[test]
    fn the_table_is_well_formed() {
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).skip(1);
        for row in rows {
            let fields: Vec<&str> = row.split(',').collect();
            assert_eq!(fields.len(), 8, "{row}");
            assert!(fields[1].parse::<MetricId>().is_ok(), "{row}");
            let number = |place: usize| fields[place].parse::<u32>().expect(row);
            assert_eq!(number(3), number(4) + number(5) + number(6), "{row}");
        }
    }
}
