//! Matrices: a measure for each row and column, beside the numbers that others published.

use crate::claim::{Measure, parse_measure};
use crate::frame::{Filter, Frame};
use crate::measure::Pooling;

/// The placeholder for the row in a measure.
const ROW: &str = "{row}";
/// The placeholder for the column.
const COLUMN: &str = "{column}";

/// A matrix of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// The heading.
    pub name: String,
    /// A short name for the plan's text; empty if that does not name the matrix.
    pub id: String,
    /// The names of the rows.
    pub rows: Vec<String>,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The measures of each row.
    pub measures: Vec<Vec<Measure>>,
    /// The published numbers of each row, not-a-number where there is none.
    pub published: Option<Vec<Vec<f64>>>,
    /// True if the runs of all networks count together.
    pub pooled: bool,
    /// The loads that count.
    pub filter: Filter,
}

impl Matrix {
    /// Builds a matrix. In `value`, `{row}` and `{column}` stand for the names of the row and
    /// the column.
    ///
    /// # Errors
    /// A mistake in a measure, no rows or columns, or published numbers of another shape.
    pub fn new(
        name: String,
        value: &str,
        (rows, columns): (Vec<String>, Vec<String>),
        published: Option<Vec<Vec<f64>>>,
        filter: Filter,
    ) -> Result<Self, String> {
        if rows.is_empty() || columns.is_empty() {
            return Err("rows and columns need a name each at least".to_owned());
        }
        for place in [ROW, COLUMN] {
            if !value.contains(place) {
                return Err(format!("value: has no {place}"));
            }
        }
        if let Some(published) = &published {
            let fits = published.len() == rows.len();
            if !fits || published.iter().any(|row| row.len() != columns.len()) {
                return Err(format!(
                    "published: has another shape than {} rows of {} numbers; write nan for a \
                     number that is missing",
                    rows.len(),
                    columns.len()
                ));
            }
        }
        let measure = |row: &str, column: &str| {
            let text = value.replace(ROW, row).replace(COLUMN, column);
            parse_measure(&text).map_err(|error| format!("value: {error}, in `{text}`"))
        };
        let of_row = |row: &String| columns.iter().map(|column| measure(row, column)).collect();
        let measures = rows.iter().map(of_row).collect::<Result<_, String>>()?;
        Ok(Self {
            name,
            id: String::new(),
            rows,
            columns,
            measures,
            published,
            pooled: false,
            filter,
        })
    }

    /// Returns the numbers of each row; `None` where no page has one.
    ///
    /// # Errors
    /// A name that no contender or several have, a measure that has several numbers, or an
    /// unknown column or value of the filter.
    pub fn fill(&self, frame: &Frame) -> Result<Vec<Vec<Option<f64>>>, String> {
        let frame = frame.filter(&self.filter)?;
        let pooling = Pooling::of(self.pooled, &self.filter);
        let number = |measure: &Measure| match measure.numbers(&frame, pooling)?.as_slice() {
            [one] => Ok(one.number),
            several => Err(format!(
                "value: has a number in each of {} races or networks; write `@` and the network \
                 in its names, or choose loads with `where`",
                several.len()
            )),
        };
        let of_row = |row: &Vec<Measure>| row.iter().map(number).collect();
        self.measures.iter().map(of_row).collect()
    }

    /// Returns the published number of a row and column, if there is one.
    pub fn published(&self, row: usize, column: usize) -> Option<f64> {
        let number = self.published.as_ref()?.get(row)?.get(column)?;
        (!number.is_nan()).then_some(*number)
    }
}

#[cfg(test)]
mod tests;
