//! Checks that `docs/strategies.md` describes every strategy and every parameter.

use pagerace_delivery::registry;

const DOCS: &str = include_str!("../../../docs/strategies.md");

#[test]
fn every_strategy_has_a_section_that_names_its_parameters_and_source() {
    for info in registry() {
        let heading = format!("\n## {}\n", info.name);
        let (_, rest) = DOCS
            .split_once(&heading)
            .unwrap_or_else(|| panic!("no {heading:?}"));
        let section = rest.split("\n## ").next().unwrap_or(rest);
        assert!(
            section.contains("*Source*:") && section.contains("*Parameters*:"),
            "{}",
            info.name
        );
        for parameter in info.parameters {
            assert!(
                section.contains(&format!("`{}`", parameter.name)),
                "{}",
                info.name
            );
            let default = format!("`{}={}`", parameter.name, parameter.default);
            assert!(DOCS.contains(&default), "{}: no {default}", info.name);
        }
    }
}
