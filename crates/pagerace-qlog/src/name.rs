//! Names that every file system takes.

/// Longest name kept whole; three of them and a suffix stay under the 255
/// bytes that most file systems allow.
const LONGEST: usize = 50;

/// `name` in ASCII letters, digits, `.`, `_` and `-`; never empty, never
/// beginning with `.` or `-`.
///
/// Spaces become `-`. If anything else had to change, a hash of `name`
/// follows.
pub(crate) fn safe(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let exact = name.len() <= LONGEST
        && name.chars().all(|c| plain(c) || c == ' ')
        && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let mut text: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    if exact {
        return text;
    }
    while text.contains("--") {
        text = text.replace("--", "-");
    }
    let text = text.trim_matches(['.', '-', '_']);
    // All ASCII by now: every byte is a character.
    let text = &text[..text.len().min(LONGEST)];
    let separator = if text.is_empty() { "" } else { "-" };
    format!("{text}{separator}{:08x}", fnv1a(name))
}

/// FNV-1a, 32 bits (draft-eastlake-fnv): short, and the same everywhere.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, b| {
        (hash ^ u32::from(b)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests;
