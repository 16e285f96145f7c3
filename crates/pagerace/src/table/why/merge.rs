//! Merging of contenders with equal rows.

use super::Row;

/// Merges rows with equal numbers at the position of the first one.
pub(super) fn merged(rows: Vec<Row>) -> Vec<Row> {
    let mut groups: Vec<(Vec<String>, [i64; 8])> = Vec::new();
    for Row { name, tenths } in rows {
        match groups.iter_mut().find(|(_, own)| *own == tenths) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], tenths)),
        }
    }
    let row = |(names, tenths): (Vec<String>, _)| Row {
        name: joined(&names),
        tenths,
    };
    groups.into_iter().map(row).collect()
}

/// Joins names as in "h2 cubic = reno = vegas": common leading words appear once.
fn joined(names: &[String]) -> String {
    let words: Vec<Vec<&str>> = names.iter().map(|name| name.split(' ').collect()).collect();
    let [first, others @ ..] = words.as_slice() else {
        return String::new();
    };
    // Each name keeps at least one word.
    let most = words.iter().map(Vec::len).min().unwrap_or(1) - 1;
    let same = |i: &usize| others.iter().all(|other| other[*i] == first[*i]);
    let shared = if others.is_empty() {
        0
    } else {
        (0..most).take_while(same).count()
    };
    let rests: Vec<String> = words
        .iter()
        .map(|words| words[shared..].join(" "))
        .collect();
    let mut text = first[..shared].to_vec();
    let rests = rests.join(" = ");
    text.push(&rests);
    text.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Row, joined, merged};

    #[test]
    fn what_is_shared_is_said_once() {
        let join = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            joined(&names)
        };
        assert_eq!(join(&["h2 cubic"]), "h2 cubic");
        assert_eq!(
            join(&["h2 cubic", "h2 reno", "h2 vegas"]),
            "h2 cubic = reno = vegas"
        );
        assert_eq!(join(&["h1 reno", "h2 reno"]), "h1 reno = h2 reno");
        assert_eq!(join(&["h1", "h1 fifo"]), "h1 = h1 fifo");
        assert_eq!(join(&["a=h3 *=h2", "h2"]), "a=h3 *=h2 = h2");
    }

    #[test]
    fn only_equal_rows_are_joined() {
        let row = |name: &str, first: i64| Row {
            name: name.to_owned(),
            tenths: [first, 0, 0, 0, 0, 0, 0, 0],
        };
        let rows = merged(vec![row("h2 a", 1), row("h2 b", 2), row("h2 c", 1)]);
        assert_eq!(rows, [row("h2 a = c", 1), row("h2 b", 2)]);
    }
}
