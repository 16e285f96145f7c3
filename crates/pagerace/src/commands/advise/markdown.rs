//! The advice as Markdown, for an issue or a pull request.

use std::fmt::Write as _;

use pagerace_lab::VERSION;
use pagerace_lab::facts::facts;

use super::words::Answer;
use super::{paste, servers};

/// Returns the text: the answer, the lines to paste as a list to tick off, and behind a fold what
/// was tried and how.
pub(super) fn of(answer: Answer<'_>) -> String {
    let (plan, page, advice) = (answer.plan(), answer.page(), answer.advice);
    let mut lines = vec![
        format!("## Loading {} faster", escaped(&page.url)),
        String::new(),
    ];
    for doubt in plan.doubts() {
        lines.push(format!("> {}", escaped(&doubt)));
        lines.push(String::new());
    }
    let mut is_list = false;
    for (is_stressed, text) in answer.first() {
        let text = escaped(&text);
        if is_stressed {
            lines.push(format!("**{text}**"));
        } else {
            lines.push(text.clone());
        }
        is_list = text.starts_with(|c: char| c.is_ascii_digit());
        // Items of a list follow each other.
        if !is_list {
            lines.push(String::new());
        }
    }
    if is_list {
        lines.push(String::new());
    }
    let changes = answer.changes();
    let paste = paste::paste(page, &changes);
    if !paste.lines.is_empty() {
        lines.push("### To do".to_owned());
        lines.push(String::new());
        lines.extend(paste.lines.iter().map(|line| match line.split_once(": ") {
            Some((place, code)) => format!("- [ ] {}: `{code}`", escaped(place)),
            None => format!("- [ ] {}", escaped(line)),
        }));
        lines.push(String::new());
    }
    if !paste.without.is_empty() {
        let without = escaped(&paste.without.join("; "));
        lines.extend([format!("No line makes: {without}."), String::new()]);
    }
    let fields = servers::fields(page, &changes);
    if !fields.is_empty() {
        for server in servers::SERVERS {
            let text = fields.lines(server);
            lines.push(fold(
                &format!("For {}, as far as fields can", server.title()),
                &format!("```\n{text}```\n"),
            ));
        }
    }
    let mut tried = String::new();
    if !advice.judged.is_empty() {
        let header = answer.header();
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        tried += &row(&header);
        let _ = writeln!(tried, "|{}", "---|".repeat(header.len()));
        for one in &advice.judged {
            tried += &row(&answer.row(one));
        }
        for text in answer.costs_alone() {
            let _ = write!(tried, "\n{}\n", escaped(&text));
        }
    }
    if let Some(text) = answer.idle() {
        let _ = write!(tried, "\n{}\n", escaped(&text));
    }
    if !tried.is_empty() {
        lines.push(fold("All changes that were tried", &tried));
    }
    let mut how = format!(
        "Pagerace {VERSION}: {}.\n\nModelled: {}, {}, strategy {}.\n\n",
        escaped(&answer.settings()),
        escaped(&facts(plan)),
        plan.contenders[0].visit,
        plan.contenders[0].strategy
    );
    for (name, text) in answer.networks() {
        let _ = writeln!(how, "- {}: {}", escaped(&name), escaped(&text));
    }
    if let Some(record) = answer.record() {
        let _ = write!(how, "\n{record}\n");
    }
    lines.push(fold("How this was computed", &how));
    lines.join("\n")
}

fn fold(title: &str, content: &str) -> String {
    format!("<details><summary>{title}</summary>\n\n{content}\n</details>\n")
}

/// Returns a text without what Markdown would take as marks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '|' | '[' | ']' | '<' | '>' | '#' => out.extend(['\\', c]),
            '\n' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn selectors_and_names_are_no_marks() {
        assert_eq!(
            escaped("preload */a_b.jpg | <b>"),
            "preload \\*/a\\_b.jpg \\| \\<b\\>"
        );
    }
}
