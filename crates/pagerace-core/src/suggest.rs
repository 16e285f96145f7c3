//! Suggestions for misspelt names.

/// The longest text, in bytes, for which names are suggested.
const LONGEST: usize = 64;

/// Returns up to three of `known` that `found` may stand for, nearest first: names with these
/// initials (`rr` for `round-robin`), names with this word (`4g` for `fast-4g`), names of which one
/// is a prefix of the other, and names that are at most three edits, and at most a third of the
/// name, away. An edit inserts, deletes or replaces a character, or swaps two neighbours.
pub fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let found = found.to_lowercase();
    if found.is_empty() || found.len() > LONGEST {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|name| {
            let initials = name.split('-').filter_map(|word| word.chars().next());
            if initials.eq(found.chars()) {
                return Some((0, name));
            }
            if name.split('-').any(|word| word == found) {
                return Some((0, name));
            }
            let edits = strsim::osa_distance(&found, name);
            let close = edits <= (name.len() / 3).min(3);
            let begins = found.len() >= 3 && (name.starts_with(&found) || found.starts_with(name));
            (close || begins).then_some((edits, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Returns `; did you mean A or B?` with the names of [`nearest`]; an empty text if there are
/// none.
pub fn did_you_mean<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> String {
    match nearest(found, known).join(" or ") {
        none if none.is_empty() => none,
        near => format!("; did you mean {near}?"),
    }
}

#[cfg(test)]
mod tests;
