//! Patterns in which `*` matches any text.

/// Returns true if `pattern` matches all of `text`. The running time is at most
/// proportional to the product of their lengths.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // Position of the last star in the pattern, and the text position up to which it
    // matches.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else {
                    return false;
                };
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_any_text() {
        assert!(fits("*.cdn.example", "a.b.cdn.example"));
        assert!(!fits("*.cdn.example", "cdn.example"));
        assert!(fits("*", ""));
        assert!(fits("a*b*c", "a--b-b-c"));
        assert!(!fits("a*b*c", "a--b-b-"));
        assert!(fits("a**", "a"));
        assert!(fits("*/app.js*", "site.example/js/app.js?v=1"));
        assert!(!fits("*/app.js", "site.example/js/app.js?v=1"));
        assert!(!fits("", "x"));
    }

    #[test]
    fn many_stars_do_not_explode() {
        let pattern = "*a".repeat(200);
        assert!(!fits(&pattern, &"a".repeat(199)));
        assert!(!fits(&format!("{pattern}b"), &"a".repeat(5_000)));
    }
}
