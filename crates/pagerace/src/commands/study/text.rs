//! The text of a plan: what the results say, with references in braces.
//!
//! ```text
//! reference = [ form "of" ] fact | claim ":" verdict | "=" typed
//! form      = "rise" | "fall" | "factor"
//! fact      = claim [ "@" networks ] | matrix "[" rows "," columns "]"
//! verdict   = "holds" | "does not hold" | "cannot be told" | "not shown"
//! ```
//!
//! Networks, rows and columns are patterns: `*` stands for any text, and `|` separates
//! alternatives. Several numbers become a range. A reference with a verdict leaves no text; it says
//! on which claim its sentence rests. What does not hold, or cannot be told, is not shown. What is
//! typed after `=` is no result.

use std::collections::BTreeSet;

use pagerace_study::Study;
use pagerace_study::claim::{Claim, ClaimVerdict, Decision, Measure};
use pagerace_study::matrix::Matrix;

use super::evaluate::{Answers, NONE, holds, measured, summed_up, worst};

/// The facts of a study to which its text may refer.
pub(super) struct Facts<'a> {
    claims: Vec<(&'a Claim, &'a [Decision])>,
    matrices: Vec<(&'a Matrix, &'a [Vec<Option<f64>>])>,
}

/// A text with all references filled in.
#[derive(Debug, Default)]
pub(super) struct Filled {
    pub(super) text: String,
    /// The sentences that the results do not bear out, each with the reason.
    pub(super) broken: Vec<String>,
}

/// How a reference shows numbers.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// As tables do.
    Plain,
    /// Without a sign. All numbers must be above zero.
    Rise,
    /// Without a sign. All numbers must be below zero.
    Fall,
    /// As a factor: one more than the change.
    Factor,
}

impl<'a> Facts<'a> {
    /// Collects the claims and matrices with an `id`.
    ///
    /// # Errors
    /// An `id` that two of them have.
    pub(super) fn of(study: &'a Study, answers: &'a Answers) -> Result<Self, String> {
        let claims = study.claims.iter().zip(&answers.claims);
        let claims = claims.map(|(claim, all)| (claim, all.as_slice()));
        let matrices = study.matrices.iter().zip(&answers.matrices);
        let matrices = matrices.map(|(matrix, all)| (matrix, all.as_slice()));
        let facts = Self {
            claims: claims.filter(|(claim, _)| !claim.id.is_empty()).collect(),
            matrices: matrices.filter(|(one, _)| !one.id.is_empty()).collect(),
        };
        let mut seen = BTreeSet::new();
        let twice = facts.ids().find(|id| !seen.insert(*id));
        match twice {
            Some(twice) => Err(format!(
                "the id `{twice}` is given twice; give each one once"
            )),
            None => Ok(facts),
        }
    }

    fn ids(&self) -> impl Iterator<Item = &'a str> {
        let claims = self.claims.iter().map(|(claim, _)| claim.id.as_str());
        claims.chain(self.matrices.iter().map(|(one, _)| one.id.as_str()))
    }

    /// Fills in the references of a text.
    ///
    /// # Errors
    /// A reference that cannot be read, or to nothing.
    pub(super) fn fill(&self, text: &str) -> Result<Filled, String> {
        let mut filled = Filled::default();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (reference, after) = after
                .split_once('}')
                .ok_or_else(|| format!("the brace before `{}` does not end", start(after)))?;
            filled.text.push_str(before);
            let words = reference
                .split_whitespace()
                .collect::<Vec<&str>>()
                .join(" ");
            match self.answer(&words)? {
                Ok(shown) => filled.text.push_str(&shown),
                Err(why) => {
                    filled.text.push_str(NONE);
                    let place = text.len() - after.len() - reference.len() - 2;
                    let sentence = format!("\"{}\"", sentence(text, place));
                    match filled.broken.last_mut() {
                        Some(last) if last.starts_with(&sentence) => last.extend(["; ", &why]),
                        _ => filled.broken.push(format!("{sentence}: {why}")),
                    }
                }
            }
            rest = after;
        }
        filled.text.push_str(rest);
        Ok(filled)
    }

    /// The text in place of a reference, or the reason why there is none.
    fn answer(&self, reference: &str) -> Result<Result<String, String>, String> {
        if let Some(typed) = reference.strip_prefix('=') {
            let typed = typed.trim();
            if typed.is_empty() {
                return Err("`{=}` holds no text; write it behind the equals sign".to_owned());
            }
            return Ok(Ok(typed.to_owned()));
        }
        if let Some((id, verdict)) = reference.split_once(": ") {
            return self.verdict(id, verdict);
        }
        let forms = [
            ("rise of ", Form::Rise),
            ("fall of ", Form::Fall),
            ("factor of ", Form::Factor),
        ];
        let form = forms.into_iter().find_map(|(words, form)| {
            let fact = reference.strip_prefix(words)?;
            Some((fact, form))
        });
        let (fact, form) = form.unwrap_or((reference, Form::Plain));
        let (measure, numbers) = self.numbers(fact)?;
        Ok(show(measure, &numbers, form).map_err(|why| format!("{{{reference}}} {why}")))
    }

    fn verdict(&self, id: &str, wanted: &str) -> Result<Result<String, String>, String> {
        let (claim, decisions) = self.claim(id)?;
        let found = worst(decisions);
        let fits = match wanted {
            "holds" => holds(found),
            "does not hold" => found == ClaimVerdict::DoesNotHold,
            "cannot be told" => found == ClaimVerdict::CannotBeTold,
            "not shown" => !holds(found),
            other => {
                return Err(format!(
                    "`{other}` is no verdict on {id}; use holds, does not hold, cannot be told, \
                     not shown"
                ));
            }
        };
        Ok(if fits {
            Ok(String::new())
        } else {
            let found = summed_up(decisions);
            Err(format!(
                "it rests on `{}: {wanted}`, but the claim \"{}\" {found}",
                claim.id, claim.name
            ))
        })
    }

    fn claim(&self, id: &str) -> Result<(&'a Claim, &'a [Decision]), String> {
        let found = self.claims.iter().find(|(claim, _)| claim.id == id);
        found.copied().ok_or_else(|| self.unknown(id))
    }

    fn unknown(&self, id: &str) -> String {
        let known: Vec<&str> = self.ids().collect();
        format!(
            "no claim or matrix has the id `{id}`; there are {}",
            known.join(", ")
        )
    }

    /// The numbers of a fact, and their measure.
    fn numbers(&self, fact: &str) -> Result<(&'a Measure, Vec<Option<f64>>), String> {
        if let Some((id, sides)) = fact.split_once('[') {
            let sides = sides
                .strip_suffix(']')
                .and_then(|sides| sides.split_once(','));
            let (rows, columns) =
                sides.ok_or_else(|| format!("write {fact} as {id}[ROWS, COLUMNS]"))?;
            return self.cells(id, rows.trim(), columns.trim());
        }
        let (id, networks) = fact.split_once(" @ ").unwrap_or((fact, "*"));
        let (claim, decisions) = self.claim(id)?;
        let fits = |one: &&Decision| {
            let network = one.measured.network.as_deref().unwrap_or_default();
            fits(networks, network)
        };
        let numbers: Vec<_> = decisions
            .iter()
            .filter(fits)
            .map(|one| one.measured.number)
            .collect();
        if numbers.is_empty() {
            return Err(format!("the claim {id} has no network `{networks}`"));
        }
        Ok((&claim.sentence.measure, numbers))
    }

    fn cells(
        &self,
        id: &str,
        rows: &str,
        columns: &str,
    ) -> Result<(&'a Measure, Vec<Option<f64>>), String> {
        let found = self.matrices.iter().find(|(matrix, _)| matrix.id == id);
        let (matrix, numbers) = *found.ok_or_else(|| self.unknown(id))?;
        let mut first = None;
        let mut all = Vec::new();
        for (row, name) in matrix.rows.iter().enumerate() {
            for (column, other) in matrix.columns.iter().enumerate() {
                if fits(rows, name) && fits(columns, other) {
                    first.get_or_insert(&matrix.measures[row][column]);
                    all.push(numbers[row][column]);
                }
            }
        }
        let measure = first.ok_or_else(|| {
            format!("the matrix {id} has no row `{rows}` with a column `{columns}`")
        })?;
        Ok((measure, all))
    }
}

/// True if a text fits one of the patterns.
fn fits(patterns: &str, text: &str) -> bool {
    patterns
        .split('|')
        .any(|pattern| like(pattern.trim(), text))
}

/// True if a text is like a pattern, in which `*` stands for any text.
fn like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            let places = rest.char_indices().map(|(place, _)| place);
            places
                .chain([rest.len()])
                .any(|place| like(after, &rest[place..]))
        }),
    }
}

/// Formats numbers, or says why they do not fit the form.
fn show(measure: &Measure, numbers: &[Option<f64>], form: Form) -> Result<String, String> {
    let all = || numbers.iter().copied().flatten();
    if all().count() < numbers.len() {
        return Err("has no number".to_owned());
    }
    let (low, high) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| {
        (low.min(one), high.max(one))
    });
    let (low, high) = match form {
        Form::Rise if low <= 0.0 => {
            return Err(format!("is no rise, but {}", measured(measure, low)));
        }
        Form::Fall if high >= 0.0 => {
            return Err(format!("is no fall, but {}", measured(measure, high)));
        }
        Form::Fall => (-high, -low),
        _ => (low, high),
    };
    let text = |number: f64| match form {
        Form::Plain => measured(measure, number),
        Form::Factor => factor(1.0 + number),
        _ => measured(measure, number).trim_start_matches('+').to_owned(),
    };
    Ok(range(&text(low), &text(high)))
}

/// Formats a factor with two digits.
fn factor(number: f64) -> String {
    if number < 9.95 {
        format!("{number:.1}")
    } else {
        format!("{number:.0}")
    }
}

/// Joins two numbers; they share their unit.
fn range(low: &str, high: &str) -> String {
    if low == high {
        return low.to_owned();
    }
    let (number, unit) = low.split_once(' ').unwrap_or((low, ""));
    match high.split_once(' ') {
        Some((_, other)) if other == unit => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// The sentence around a place of a text.
fn sentence(text: &str, place: usize) -> String {
    let (before, after) = text.split_at(place);
    let begin = ["\n\n", ". ", ".\n", "\n- "].map(|end| before.rfind(end).map(|at| at + end.len()));
    let begin = begin.into_iter().flatten().max().unwrap_or(0);
    let end = ["\n\n", ". ", ".\n", "\n- "].map(|end| after.find(end));
    let end = end.into_iter().flatten().min().unwrap_or(after.len());
    let whole = [&before[begin..], &after[..end]].concat();
    whole.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The start of a text for a message.
fn start(text: &str) -> String {
    text.chars().take(30).collect()
}

#[cfg(test)]
mod tests;
