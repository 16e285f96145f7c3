//! Tables of data that are built into the program.

/// Returns the rows of a table: lines of `N` columns between tabs. Lines that begin with `#`
/// are comments.
///
/// # Panics
/// The iterator panics at a line that has not `N` columns.
pub fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let columns: Vec<_> = line.split('\t').collect();
        let exact = <[_; N]>::try_from(columns);
        exact.unwrap_or_else(|_| panic!("not {N} columns: {line}"))
    })
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn comments_are_left_out() {
        let all: Vec<_> = rows::<2>("# two\na\t1\nb\t\n").collect();
        assert_eq!(all, [["a", "1"], ["b", ""]]);
    }

    #[test]
    #[should_panic(expected = "not 2 columns: b")]
    fn a_line_with_other_columns_is_named() {
        rows::<2>("a\t1\nb\n").for_each(drop);
    }
}
