use clap::error::ErrorKind;
use clap::{Arg, Parser as _};

use super::race::RaceArgs;
use super::{program, table};

/// Returns the definition of the program.
fn all() -> clap::Command {
    program(&table())
}

#[test]
fn the_definition_is_sound() {
    all().debug_assert();
}

/// Returns words that give an argument a value that it takes.
fn words_of(arg: &Arg) -> Vec<String> {
    let possible = arg.get_possible_values();
    let possible = possible.first().map(|value| value.get_name().to_owned());
    let default = arg.get_default_values().first();
    let default = default.map(|value| value.to_string_lossy().into_owned());
    let value = default.or(possible).unwrap_or_else(|| "1".to_owned());
    match arg.get_long() {
        None => vec![value],
        Some(long) if arg.get_action().takes_values() => vec![format!("--{long}={value}")],
        Some(long) => vec![format!("--{long}")],
    }
}

/// Returns the arguments of a command, and whether each may stand beside these words.
fn beside(name: &str, words: &str) -> Vec<(Arg, bool)> {
    let command = all();
    let command = command.find_subcommand(name).unwrap();
    let tried = |arg: &Arg| {
        let words = words.split(' ').map(str::to_owned).chain(words_of(arg));
        let error = all().try_get_matches_from(words).err();
        let conflict = error.is_some_and(|e| e.kind() == ErrorKind::ArgumentConflict);
        (arg.clone(), !conflict)
    };
    command.get_arguments().map(tried).collect()
}

#[test]
fn a_scenario_leaves_nothing_to_choose() {
    let all = beside("race", "pagerace race --scenario=x.json");
    assert!(all.len() > 40, "all arguments of a race");
    for (arg, may) in all {
        // Results may go elsewhere. A second scenario is no other argument.
        let expected = arg.get_help_heading() == Some("Output");
        assert_eq!(may, expected, "{}", arg.get_id());
    }
}

#[test]
fn without_loads_nothing_decides_them() {
    for (arg, may) in beside("corpus", "pagerace corpus a.har --no-loads") {
        let of_loads = arg.get_help_heading() == Some("Loads") && arg.get_id() != "no_progress";
        let expected = !of_loads && !["loads", "no_loads"].contains(&arg.get_id().as_str());
        assert_eq!(may, expected, "{}", arg.get_id());
    }
}

/// A race and a live race have the same options, with other defaults.
#[test]
fn helps_tell_the_defaults_of_their_command() {
    let help = |name: &str, id: &str| {
        let command = all();
        let command = command.find_subcommand(name).unwrap();
        let mut all = command.get_arguments();
        let arg = all.find(|arg| arg.get_id() == id).unwrap();
        arg.get_help().unwrap().to_string()
    };
    for (name, id, default) in [
        ("race", "network", "slow-4g,cable,lossy-wifi"),
        ("live", "network", "slow-4g,cable"),
        ("live", "strategy", "sequential"),
        ("live", "cc", "cubic"),
        ("live", "baseline", "the first"),
        ("bulk", "network", "cable"),
        ("explain", "network", "fast-4g"),
    ] {
        let help = help(name, id);
        let end = format!(". [default: {default}]");
        assert!(help.ends_with(&end), "{name} {id}: {help}");
    }
}

/// Races, explanations, transfers and live loads use the same settings by default.
#[test]
fn all_commands_have_the_same_settings() {
    use pagerace_page::Interventions;
    use pagerace_sim::LoadSettings;

    let race = RaceArgs::try_parse_from(["race", "a.har"]).unwrap();
    let usual = LoadSettings::default();
    assert_eq!(race.model.settings(), usual);
    let live = super::live::LiveArgs::try_parse_from(["live", "a.page"]).unwrap();
    let calibrate = ["calibrate", "a.page"];
    let calibrate = super::calibrate::CalibrateArgs::try_parse_from(calibrate).unwrap();
    for world in [&live.world, &calibrate.world] {
        let plan = super::live::common(world, 1, Interventions::default());
        let deadline = plan.settings.deadline;
        assert_eq!(plan.settings, LoadSettings { deadline, ..usual });
        assert_eq!(plan.browser, race.model.browser());
    }
}

/// Returns all commands that have arguments, with the words that name them.
fn all_commands() -> Vec<(String, clap::Command)> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), all())];
    while let Some((words, command)) = open.pop() {
        for inner in command.get_subcommands() {
            open.push((format!("{words} {}", inner.get_name()), inner.clone()));
        }
        found.push((words, command));
    }
    found
}

/// A list that is given twice is one longer list, and anything else that is given twice is
/// refused.
#[test]
fn an_option_given_twice_is_never_overridden() {
    let mut lists = 0;
    for (words, command) in all_commands() {
        for arg in command.get_arguments() {
            let names = arg.get_value_names().unwrap_or_default();
            let is_list = names.iter().any(|name| *name == "LIST");
            lists += usize::from(is_list);
            let id = arg.get_id();
            let appends = matches!(arg.get_action(), clap::ArgAction::Append);
            assert!(appends || !is_list, "{words} --{id}");
        }
        assert!(!command.is_args_override_self(), "{words}");
    }
    assert!(lists > 20, "{lists} lists");
}

#[test]
fn lists_have_the_other_names_of_plans() {
    for (other, name) in pagerace_study::plan::OTHER_NAMES {
        let command = all();
        let race = command.find_subcommand("race").unwrap();
        let mut all = race.get_arguments();
        let Some(arg) = all.find(|arg| arg.get_long() == Some(name)) else {
            assert_eq!(name, "contender", "an option that there is not");
            continue;
        };
        let others = arg.get_all_aliases().unwrap_or_default();
        assert!(
            others.contains(&other),
            "--{name} has no other name {other}"
        );
    }
}

#[test]
fn defaults() {
    let args = RaceArgs::try_parse_from(["race", "a.har"]).unwrap();
    let (loads, metric) = (&args.design.loads, args.design.metric);
    assert_eq!((loads.runs, loads.random.seed), (None, 1));
    assert_eq!(metric.to_string(), "lcp");
    assert_eq!(args.design.contenders.baseline, None);
}
