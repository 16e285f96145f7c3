//! Selection of a contender by text.

use pagerace_core::suggest::did_you_mean;

use super::{Contender, ContenderError, ContenderText, Dimensions};

/// Returns the index of the contender that `text` selects: by its label, by its
/// properties in any order, or by a part of its label that no other label contains.
/// Properties that all contenders share may be left out. If `text` names only shared
/// properties, it selects the first contender.
///
/// # Errors
/// No contender matches or several do, with the labels; the parse error of `text` if it cannot be
/// parsed and no label contains it.
pub fn choose(contenders: &[Contender], text: &str) -> Result<usize, ContenderError> {
    let text = text.trim();
    let varying = Dimensions::varying(contenders);
    let labels: Vec<String> = contenders.iter().map(|c| c.label(varying)).collect();
    if let Some(exact) = labels.iter().position(|label| label == text) {
        return Ok(exact);
    }
    let read = text.parse::<ContenderText>();
    let matching: Vec<usize> = match &read {
        Ok(read) => {
            let fits = (0..contenders.len()).filter(|&i| read.matches(&contenders[i]));
            let mut fits: Vec<usize> = fits.collect();
            // A strategy also matches contenders without a choice, but those with
            // one take precedence.
            let choosing = |i: &usize| read.named.iter().all(|one| (one.matters)(&contenders[*i]));
            if fits.iter().any(choosing) {
                fits.retain(choosing);
            }
            if fits.len() == contenders.len() {
                fits.truncate(1);
            }
            fits
        }
        Err(_) if text.is_empty() => Vec::new(),
        Err(_) => (0..labels.len())
            .filter(|&i| labels[i].contains(text))
            .collect(),
    };
    match (matching.as_slice(), read) {
        ([one], _) => Ok(*one),
        ([], Err(error)) => Err(error),
        ([], Ok(_)) => Err(ContenderError(format!(
            "`{text}` matches none of the contenders: {}{}",
            labels.join(", "),
            did_you_mean(text, labels.iter().map(String::as_str))
        ))),
        (several, _) => {
            let labels: Vec<&str> = several.iter().map(|&i| labels[i].as_str()).collect();
            Err(ContenderError(format!(
                "`{text}` matches {}; name one of them in full",
                labels.join(", ")
            )))
        }
    }
}
