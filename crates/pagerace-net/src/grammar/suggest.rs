//! Suggestions for misspelt names.

/// Returns at most three candidates, best first. A candidate begins with the word (from
/// three characters), or its edit distance is at most a third of the word's length or
/// two, whichever is larger.
pub(super) fn nearest(
    word: &str,
    candidates: impl Iterator<Item = &'static str>,
) -> Vec<&'static str> {
    let word: Vec<char> = word.to_lowercase().chars().take(64).collect();
    let enough = (word.len() / 3).max(2);
    let begins = |c: &str| word.len() >= 3 && c.chars().take(word.len()).eq(word.iter().copied());
    let mut ranked: Vec<(usize, &'static str)> = candidates
        .map(|c| (if begins(c) { 1 } else { edits(&word, c) }, c))
        .filter(|&(distance, _)| distance <= enough)
        .collect();
    ranked.sort_by_key(|&(distance, _)| distance);
    ranked.into_iter().take(3).map(|(_, c)| c).collect()
}

/// Returns the Levenshtein distance.
fn edits(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (i, cb) in b.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &ca) in a.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[a.len()]
}
