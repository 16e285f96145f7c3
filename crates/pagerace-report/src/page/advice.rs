//! The section on what to change.

use std::fmt::Write as _;

use super::doubts;
use super::escape::html;
use crate::input::Advice;

/// Appends the answer, what to paste, and behind folds what was tried.
pub(super) fn section(out: &mut String, advice: &Advice, doubtful: &[String]) {
    out.push_str("<section id=\"advice\" aria-labelledby=\"advice-title\">\n");
    out.push_str("<h2 id=\"advice-title\">What to change</h2>\n");
    doubts(out, doubtful);
    let (changes, others): (Vec<&String>, Vec<&String>) = advice
        .sentences
        .iter()
        .partition(|one| place(one).is_some());
    for sentence in others {
        let _ = writeln!(out, "<p>{}</p>", html(sentence));
    }
    if !changes.is_empty() {
        out.push_str("<ol>\n");
        for change in changes {
            let (_, text) = place(change).unwrap_or(("", change));
            let (what, rest) = text.split_once(": ").unwrap_or((text, ""));
            let _ = writeln!(out, "<li><code>{}</code>: {}</li>", html(what), html(rest));
        }
        out.push_str("</ol>\n");
    }
    if !advice.record.is_empty() {
        let _ = writeln!(out, "<p class=\"record\">{}</p>", html(&advice.record));
    }
    if !advice.lines.is_empty() {
        out.push_str("<h3>To paste</h3>\n<ul>\n");
        for line in &advice.lines {
            let _ = match line.split_once(": ") {
                Some((place, code)) => {
                    writeln!(out, "<li>{}: <code>{}</code></li>", html(place), html(code))
                }
                None => writeln!(out, "<li>{}</li>", html(line)),
            };
        }
        out.push_str("</ul>\n");
    }
    if !advice.without.is_empty() {
        let without = advice.without.join("; ");
        let _ = writeln!(out, "<p>No line makes: {}.</p>", html(&without));
    }
    for (server, lines) in &advice.servers {
        let _ = writeln!(
            out,
            "<details><summary>For {}, as far as fields can</summary><pre tabindex=\"0\">{}</pre>\
             </details>",
            html(server),
            html(lines)
        );
    }
    tried(out, advice);
    out.push_str("</section>\n");
}

/// Returns the number that a sentence on a change begins with, and the rest.
fn place(sentence: &str) -> Option<(&str, &str)> {
    let (number, rest) = sentence.split_once(". ")?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((number, rest))
}

/// Appends the table of all changes that were judged.
fn tried(out: &mut String, advice: &Advice) {
    if advice.rows.is_empty() && advice.remarks.is_empty() {
        return;
    }
    out.push_str("<details><summary>All changes that were tried</summary>\n");
    if !advice.rows.is_empty() {
        out.push_str(
            "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All changes that were \
             tried\"><table><thead><tr>",
        );
        for cell in &advice.header {
            let _ = write!(out, "<th scope=\"col\">{}</th>", html(cell));
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &advice.rows {
            out.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let cell = html(cell);
                let _ = match column {
                    0 => write!(out, "<th scope=\"row\"><code>{cell}</code></th>"),
                    _ => write!(out, "<td>{cell}</td>"),
                };
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
    }
    for remark in &advice.remarks {
        let _ = writeln!(out, "<p>{}</p>", html(remark));
    }
    let _ = writeln!(out, "<p class=\"hint\">{}</p>", html(&advice.settings));
    out.push_str("</details>\n");
}

#[cfg(test)]
mod tests {
    use super::{place, section};
    use crate::input::Advice;

    #[test]
    fn changes_are_a_list_and_texts_are_escaped() {
        assert_eq!(place("12. lazy a: b."), Some(("12", "lazy a: b.")));
        assert_eq!(place("It comes at 1. 2 s"), None);
        let advice = Advice {
            sentences: vec![
                "All users gain.".to_owned(),
                "1. lazy */<a>.jpg: -1 ms; because.".to_owned(),
            ],
            lines: vec!["in <head>: <link>".to_owned()],
            header: vec!["change".to_owned(), "cable".to_owned()],
            rows: vec![vec!["lazy */<a>.jpg".to_owned(), "-1 ms".to_owned()]],
            ..Advice::default()
        };
        let mut out = String::new();
        section(&mut out, &advice, &[]);
        assert!(out.contains("<p>All users gain.</p>"));
        assert!(out.contains("<li><code>lazy */&lt;a&gt;.jpg</code>: -1 ms; because.</li>"));
        assert!(out.contains("<li>in &lt;head&gt;: <code>&lt;link&gt;</code></li>"));
        assert!(out.contains("<th scope=\"row\"><code>lazy */&lt;a&gt;.jpg</code></th>"));
    }
}
