//! Suggestions for misspelt names.

/// Returns at most three candidates, best first. A candidate begins with the word (from
/// three characters), or its edit distance is at most a third of the word's length or
/// two, whichever is larger.
pub(super) fn nearest(
    word: &str,
    candidates: impl Iterator<Item = &'static str>,
) -> Vec<&'static str> {
    let word: String = word.to_lowercase().chars().take(64).collect();
    let length = word.chars().count();
    let enough = (length / 3).max(2);
    let begins = |c: &str| length >= 3 && c.starts_with(&word);
    let mut ranked: Vec<(usize, &'static str)> = candidates
        .map(|c| {
            (
                if begins(c) {
                    1
                } else {
                    strsim::levenshtein(&word, c)
                },
                c,
            )
        })
        .filter(|&(distance, _)| distance <= enough)
        .collect();
    ranked.sort_by_key(|&(distance, _)| distance);
    ranked.into_iter().take(3).map(|(_, c)| c).collect()
}
