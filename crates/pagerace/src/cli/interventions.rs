//! Interventions from arguments.

use anyhow::{Context as _, Error, Result, bail};
use pagerace_page::intervention::{EACH_HOST, Effect, Failure, InterventionError, each_host};
use pagerace_page::{Intervention, Interventions, Page};
use pagerace_papers::srivastava::{self, THESIS};

use super::model::InterventionArgs;
use super::warn::warn;
use crate::lists::split_all;

/// Returns the interventions of `--block` and `--delay`, which apply to every load.
pub(crate) fn shared(args: &InterventionArgs) -> Result<Interventions> {
    let mut all = Vec::new();
    for text in split_all("block", &args.block)? {
        let refused = Effect::Block(Failure::Refused);
        let read = Intervention::parse_or(&text, refused).context("--block")?;
        if let Effect::Delay(_) = read.effect {
            bail!("--block: {read} is a delay; write --delay {read}");
        }
        all.push(read);
    }
    for text in split_all("delay", &args.delay)? {
        let read: Intervention = text.parse().context("--delay")?;
        if let Effect::Block(_) = read.effect {
            bail!("--delay: {read} is not a delay; write --block {read}, or a time as in fonts=1s");
        }
        all.push(read);
    }
    Ok(Interventions::new(all))
}

/// An item of `--what-if`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WhatIf {
    /// A single variant.
    One(Interventions),
    /// The seven variants of Srivastava 2024.
    Thesis,
    /// A variant for each third-party host.
    EachHost(Failure),
}

/// Parses `--what-if`. Errors are found before any page is loaded.
pub(crate) fn read(values: &[String]) -> Result<Vec<WhatIf>> {
    let items = split_all("what-if", values)?;
    let items = items
        .iter()
        .map(|text| item(text).context("--what-if"))
        .collect::<Result<Vec<WhatIf>>>()?;
    for (i, item) in items.iter().enumerate() {
        if items[..i].contains(item) {
            bail!("--what-if: item {} is given twice", i + 1);
        }
    }
    Ok(items)
}

fn item(text: &str) -> Result<WhatIf> {
    if text == THESIS {
        return Ok(WhatIf::Thesis);
    }
    let (name, how) = text.split_once('=').unwrap_or((text, "hang"));
    if name == EACH_HOST {
        return match how.parse::<Effect>() {
            Ok(Effect::Block(failure)) => Ok(WhatIf::EachHost(failure)),
            _ => bail!("`{text}`: write {EACH_HOST}, {EACH_HOST}=hang or {EACH_HOST}=refused"),
        };
    }
    // An explicit `block=` is allowed.
    let words = text.split_whitespace();
    let words: Vec<&str> = words
        .map(|word| word.strip_prefix("block=").unwrap_or(word))
        .collect();
    match words.join(" ").parse::<Interventions>() {
        Ok(read) => Ok(WhatIf::One(read)),
        // Selectors without an effect are blocked.
        Err(InterventionError::NoEffect(_) | InterventionError::Effect { .. }) => {
            let refused = Effect::Block(Failure::Refused);
            let all = words.into_iter();
            let all: Result<Vec<Intervention>, _> = all
                .map(|word| Intervention::parse_or(word, refused))
                .collect();
            Ok(WhatIf::One(Interventions::new(all?)))
        }
        Err(error) => Err(Error::from(error)),
    }
}

/// Returns true if the variants depend on the pages.
pub(crate) fn needs_pages(items: &[WhatIf]) -> bool {
    items.iter().any(|item| !matches!(item, WhatIf::One(_)))
}

/// Returns the variants, the original first.
pub(crate) fn variants(items: &[WhatIf], pages: &[impl AsRef<Page>]) -> Result<Vec<Interventions>> {
    let mut variants = vec![Interventions::default()];
    for item in items {
        let more = match item {
            WhatIf::One(one) => vec![one.clone()],
            WhatIf::Thesis => {
                let (fit, unfit): (Vec<_>, Vec<_>) = srivastava::interventions()
                    .into_iter()
                    .partition(|variant| variant.unmatched(pages).is_empty());
                if !unfit.is_empty() {
                    let names: Vec<String> = unfit.iter().map(ToString::to_string).collect();
                    warn(&format!(
                        "--what-if {THESIS}: there is nothing to delay for {}",
                        names.join(", ")
                    ));
                }
                fit
            }
            WhatIf::EachHost(failure) => {
                let hosts = each_host(pages, *failure);
                if hosts.is_empty() {
                    bail!("--what-if {EACH_HOST}: there is no third-party host");
                }
                hosts
            }
        };
        for variant in more {
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
    }
    Ok(variants)
}

#[cfg(test)]
mod tests {
    use super::{item, read};

    #[test]
    fn items_say_what_happens_or_are_blocked() {
        let shown = |text: &str| format!("{:?}", item(text).unwrap());
        assert_eq!(shown("cdn.example"), shown("cdn.example=refused"));
        assert_eq!(shown("block=cdn.example"), shown("cdn.example=refused"));
        assert_eq!(shown("block=cdn.example=hang"), shown("cdn.example=hang"));
        assert_eq!(shown("fonts=1s ads"), shown("fonts=1s ads=refused"));
        assert_eq!(shown("none"), shown("original"));
        assert_eq!(shown("each-host"), shown("each-host=hang"));
        assert_ne!(shown("each-host"), shown("each-host=refused"));
        assert_eq!(shown("each-host.test"), shown("each-host.test=refused"));
        for wrong in ["each-host=1s", "fonts=soon", "a b?", "none fonts=1s=x"] {
            assert!(item(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_is_there_twice() {
        let values = |text: &str| [text.to_owned()];
        assert!(read(&values("font=1s,fonts=1s")).is_err());
        assert_eq!(
            read(&values("none,fonts=1s,thesis,each-host"))
                .unwrap()
                .len(),
            4
        );
    }
}
