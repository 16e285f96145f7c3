//! Suggestions for misspelt names.

/// Returns the initials of a hyphenated name: `rr` for `round-robin`.
fn initials(name: &str) -> String {
    name.split('-')
        .filter_map(|word| word.chars().next())
        .collect()
}

/// Returns up to three names of `known` that `found` may stand for, nearest first.
pub(crate) fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let found = found.to_lowercase().replace('_', "-");
    if found.is_empty() || found.len() > 64 {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|name| {
            if initials(name) == found || name == found {
                return Some((0, name));
            }
            let edits = strsim::levenshtein(&found, name);
            let close = edits <= 1 + name.len() / 4 && edits < name.len();
            let part = found.len() >= 3 && (name.contains(&found) || found.contains(name));
            (close || part).then_some((edits, name))
        })
        .collect();
    near.sort_unstable();
    near.truncate(3);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_typos_parts_and_initials() {
        let known = [
            "round-robin",
            "batched-round-robin",
            "fifo",
            "eps",
            "firefox-eps",
        ];
        let near = |found| nearest(found, known.into_iter());
        assert_eq!(near("fifi"), ["fifo"]);
        assert_eq!(near("rr"), ["round-robin"]);
        assert_eq!(near("Round_Robin")[0], "round-robin");
        assert_eq!(near("firefox"), ["firefox-eps"]);
        assert!(near("zzzzzz").is_empty());
        assert!(near(&"x".repeat(100_000)).is_empty());
    }
}
