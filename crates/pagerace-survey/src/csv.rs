//! All answers as a table: one row for each answer, of people who count and of others.

use std::io::{self, Write};

use crate::analysis::{Reason, reasons};
use crate::design::{Control, Task};
use crate::store::Person;
use crate::survey::{Answer, Survey};

const COLUMNS: &str =
    "person,counts,left_out_because,place,first,second,control,question,value,text,took_ms";

/// Writes the answers as CSV.
///
/// # Errors
/// Those of `out`.
pub fn write(survey: &Survey, people: &[Person], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    for person in people {
        let reasons = reasons(survey, person);
        let names: Vec<&str> = reasons.iter().map(|reason| Reason::name(*reason)).collect();
        for ((place, question), reply) in &person.answers {
            let task = place
                .checked_sub(1)
                .and_then(|place| person.tasks.get(place));
            let (first, second, control) = match task {
                Some(Task::Version(id)) => (id.as_str(), "", ""),
                Some(Task::Pair {
                    left,
                    right,
                    control,
                }) => (
                    left.as_str(),
                    right.as_str(),
                    control.map_or("", Control::name),
                ),
                None => ("", "", ""),
            };
            let text = match survey.question(question).map(|one| &one.answer) {
                Some(Answer::Preference) => match reply.value.as_str() {
                    "left" => first,
                    "right" => second,
                    _ => "",
                },
                Some(answer) => {
                    let index: Option<usize> = reply.value.parse().ok();
                    let option = index.and_then(|index| answer.options().get(index));
                    option.map_or("", String::as_str)
                }
                None => "",
            };
            let took = reply.took_ms.map(|ms| ms.to_string()).unwrap_or_default();
            writeln!(
                out,
                "{},{},{},{place},{first},{second},{control},{question},{},{},{took}",
                person.number,
                reasons.is_empty(),
                names.join(" "),
                field(&reply.value),
                field(text)
            )?;
        }
    }
    Ok(())
}

/// Returns a field, quoted if it has to be (RFC 4180).
fn field(text: &str) -> String {
    // A spreadsheet takes a field that begins so for a formula.
    let guard = if text.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}
