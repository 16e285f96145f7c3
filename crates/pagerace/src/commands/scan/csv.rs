//! Rows of a scan as CSV (RFC 4180).

use std::borrow::Cow;

use pagerace_lab::export::csv::quote;
use pagerace_scan::{Cell, Row};

/// Returns the names of the columns.
pub(super) fn header() -> String {
    let row = Row::default();
    let names = row
        .cells()
        .map(|(prefix, name, _)| format!("{prefix}{name}"));
    names.collect::<Vec<_>>().join(",")
}

/// Returns a row. An unknown value is an empty field.
pub(super) fn line(row: &Row) -> String {
    let fields = row.cells().map(|(_, _, cell)| match cell {
        Cell::Text(text) => quote(text.unwrap_or_default()),
        Cell::Number(number) => number.map(|n| n.to_string().into()).unwrap_or_default(),
        Cell::Flag(flag) => Cow::Borrowed(flag.map_or("", |flag| if flag { "1" } else { "0" })),
    });
    fields.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use pagerace_scan::{Host, Row, Tcp};

    use super::{header, line};

    #[test]
    fn rows_have_the_columns_of_the_header() {
        let tcp = Tcp {
            alt_svc: Some("h3=\":443\", h2=\":444\"".to_owned()),
            status: Some(200),
            ..Tcp::default()
        };
        let row = Row {
            domain: "a.example".to_owned(),
            v4: Some(Host {
                tcp: Some(tcp),
                ..Host::default()
            }),
            ..Row::default()
        };
        let (header, line) = (header(), line(&row));
        let mut names: Vec<&str> = header.split(',').collect();
        let columns = names.len();
        // The quoted field has one comma.
        assert_eq!(line.split(',').count(), columns + 1);
        assert!(line.contains(r#""h3="":443"", h2="":444""""#), "{line}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), columns, "two columns have one name");
    }
}
