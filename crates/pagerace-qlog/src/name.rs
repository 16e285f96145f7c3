//! File names that are valid on every file system.

/// Longest name, in bytes, that is kept unshortened. Three names and a suffix stay below
/// the 255 bytes that most file systems allow.
const LONGEST: usize = 50;

/// Converts `name` to ASCII letters, digits, `.`, `_` and `-`. The result is never empty
/// and never begins with `.` or `-`.
///
/// Spaces become `-`. If `name` needs any other change, the result ends in a hash of
/// `name`.
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
    // The text is ASCII, so every byte is a character.
    let text = &text[..text.len().min(LONGEST)];
    let separator = if text.is_empty() { "" } else { "-" };
    format!("{text}{separator}{:08x}", fnv1a(name))
}

/// 32-bit FNV-1a hash (draft-eastlake-fnv), which is short and platform-independent.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, b| {
        (hash ^ u32::from(b)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests;
