//! Rows as CSV (RFC 4180).

use std::io::{self, Write};

use crate::row::{Cell, Row};

/// Writes the names of the columns.
///
/// # Errors
/// Errors of `out`.
pub fn write_header(out: &mut dyn Write) -> io::Result<()> {
    let row = Row::default();
    let mut names = Vec::new();
    row.visit(&mut |prefix, name, _| names.push(format!("{prefix}{name}")));
    writeln!(out, "{}", names.join(","))
}

/// Writes a row. What is not known is an empty field.
///
/// # Errors
/// Errors of `out`.
pub fn write_row(row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let mut fields = Vec::new();
    row.visit(&mut |_, _, cell| {
        fields.push(match cell {
            Cell::Text(text) => text.map(quote).unwrap_or_default(),
            Cell::Number(number) => number.map(|n| n.to_string()).unwrap_or_default(),
            Cell::Flag(flag) => flag.map(|f| u8::from(f).to_string()).unwrap_or_default(),
        });
    });
    writeln!(out, "{}", fields.join(","))
}

/// Quotes a field that needs it. Texts of servers have no line breaks: failures and fields
/// replace control characters.
fn quote(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{write_header, write_row};
    use crate::row::{Host, Row};
    use crate::tcp::Tcp;

    #[test]
    fn rows_have_the_columns_of_the_header() {
        let mut out = Vec::new();
        write_header(&mut out).unwrap();
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
        write_row(&row, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        let columns = lines[0].split(',').count();
        // The quoted field has one comma.
        assert_eq!(lines[1].split(',').count(), columns + 1);
        assert!(
            lines[1].contains(r#""h3="":443"", h2="":444""""#),
            "{}",
            lines[1]
        );
        let mut names: Vec<&str> = lines[0].split(',').collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), columns, "two columns have one name");
    }
}
