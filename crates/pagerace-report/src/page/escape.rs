//! Escaping of untrusted text, such as text from recordings.

use std::borrow::Cow;

/// Escapes text for the content of an element or a quoted attribute.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // NUL is a parse error in HTML.
            '\0' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes JSON for a script element. Without `<`, nothing in it can end the element or
/// open a comment (`</script`, `<!--`). In JSON, `<` occurs only in strings.
///
/// Source: HTML standard, "Restrictions for contents of script elements",
/// <https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements>.
pub(crate) fn json_in_script(json: &str) -> Cow<'_, str> {
    if json.contains('<') {
        json.replace('<', "\\u003c").into()
    } else {
        json.into()
    }
}
