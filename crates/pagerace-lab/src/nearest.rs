//! Suggestions for misspelt names.

/// Returns up to three of `known`, nearest first, that are at most two edits
/// (and at most a third of the name) away from `found`, or of which one is a
/// prefix of the other.
pub(crate) fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const LONGEST: usize = 64;
    let found = found.to_lowercase();
    if found.is_empty() || found.len() > LONGEST {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|name| {
            let edits = distance(&found, name);
            let close = edits <= (name.len() / 3).min(2);
            let begins = found.len() >= 3 && (name.starts_with(&found) || found.starts_with(name));
            (close || begins).then_some((edits, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(3);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Returns the edit distance: characters to insert, delete or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(from != *to);
            row.push(replaced.min(above[j + 1] + 1).min(row[j] + 1));
        }
        above = row;
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typos_and_beginnings() {
        let near = |found| nearest(found, ["bbr", "cubic", "cubic-hystart", "h2"].into_iter());
        assert_eq!(near("bbbr"), ["bbr"]);
        assert_eq!(near("qubic"), ["cubic"]);
        assert_eq!(near("cub"), ["cubic", "cubic-hystart"]);
        assert!(near("quantum").is_empty());
        assert!(
            near("h5").is_empty(),
            "a short name is not close to all others"
        );
        assert!(near(&"x".repeat(100_000)).is_empty());
    }
}
