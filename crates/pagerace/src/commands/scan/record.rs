//! Rows of a scan in Parquet files.

use pagerace_scan::{Cell, Row};
use pagerace_study::columns::{Column, Columns, Record};

/// A row that can be written.
pub(super) struct Recorded<'a>(pub(super) &'a Row);

impl Record for Recorded<'_> {
    const TABLE: &'static str = "domains";

    fn columns(rows: &[Self]) -> Columns<'_> {
        let empty = Row::default();
        let columns = empty.cells().map(|(prefix, name, cell)| {
            let column = match cell {
                Cell::Text(_) => Column::Texts(Vec::with_capacity(rows.len())),
                Cell::Number(_) | Cell::Flag(_) => Column::Numbers(Vec::with_capacity(rows.len())),
            };
            (format!("{prefix}{name}"), column)
        });
        let mut columns: Columns<'_> = columns.collect();
        for row in rows {
            for ((_, column), (_, _, cell)) in columns.iter_mut().zip(row.0.cells()) {
                match (column, cell) {
                    (Column::Texts(texts), Cell::Text(text)) => texts.push(text),
                    (Column::Numbers(numbers), Cell::Number(number)) => numbers.push(number),
                    (Column::Numbers(numbers), Cell::Flag(flag)) => {
                        numbers.push(flag.map(|flag| f64::from(u8::from(flag))));
                    }
                    _ => unreachable!("a column has one type"),
                }
            }
        }
        columns
    }
}
