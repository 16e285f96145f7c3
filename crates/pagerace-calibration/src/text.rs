//! Terminal output for the accuracy of the model: errors, winners and Lighthouse.

use std::fmt::Write as _;

use crate::accuracy::Accuracy;
use crate::tables::{Extent, Table, sections};

/// Formats plain text without colours, with a final line break.
pub fn text(accuracy: &Accuracy) -> String {
    let mut out = String::new();
    for (i, section) in sections(accuracy, "", Extent::Terminal).iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "{}", section.title);
        if section.list {
            for line in &section.text {
                let _ = writeln!(out, "  {line}");
            }
        }
        for table in &section.tables {
            write_table(&mut out, table);
        }
    }
    out
}

/// Writes columns as wide as their widest cell, two spaces apart.
fn write_table(out: &mut String, table: &Table) {
    if table.rows.is_empty() {
        return;
    }
    out.push('\n');
    if !table.caption.is_empty() {
        let _ = writeln!(out, "{}", table.caption);
    }
    let length = |text: &str| text.chars().count();
    let mut widths: Vec<usize> = table.header.iter().map(|name| length(name)).collect();
    for row in &table.rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(length(cell));
        }
    }
    for row in std::iter::once(&table.header).chain(&table.rows) {
        let mut line = String::new();
        for (i, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if i == 0 { "" } else { "  " };
            let _ = if i < table.words {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

#[cfg(test)]
mod tests;
