use clap::CommandFactory as _;
use clap::Parser as _;
use pagerace_core::Duration;

use super::model::duration;
use super::{Cli, Command};

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn times_need_a_unit() {
    assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
    assert_eq!(duration("5min"), Ok(Duration::from_secs(300)));
    assert_eq!(duration("800 ms"), Ok(Duration::from_millis(800)));
    assert_eq!(duration("1h"), Ok(Duration::from_secs(3600)));
    for wrong in ["90", "", "s", "-1s", "0s", "NaNs", "infs", "25h", "1 day"] {
        assert!(duration(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_scenario_leaves_nothing_to_choose() {
    let parse = |words: &str| Cli::try_parse_from(words.split(' '));
    assert!(parse("pagerace race --scenario x.json --jobs 2 --json y.json").is_ok());
    for other in [
        "a.har",
        "--seed 1",
        "--runs 30",
        "--metric lcp",
        "--strategy eps",
        "--cpu 4",
        "--protocol h2",
        "--cc reno",
        "--visit warm",
        "--tls-version 1.2",
        "--early-data off",
        "--what-if thesis",
        "--block ads",
        "--delay css=1s",
        "--dns none",
    ] {
        let error = parse(&format!("pagerace race --scenario x.json {other}")).unwrap_err();
        assert_eq!(
            error.kind(),
            clap::error::ErrorKind::ArgumentConflict,
            "{other}"
        );
    }
}

/// Races, explanations, transfers and live loads use the same settings by default.
#[test]
fn all_commands_have_the_same_settings() {
    use pagerace_page::Interventions;
    use pagerace_sim::LoadSettings;

    let parse = |words: &str| Cli::try_parse_from(words.split(' ')).unwrap().command;
    let usual = LoadSettings::default();
    let Command::Race(race) = parse("pagerace race a.har") else {
        panic!("not a race")
    };
    assert_eq!(race.model.settings(), usual);
    let Command::Live(live) = parse("pagerace live a.page") else {
        panic!("not live")
    };
    let Command::Calibrate(calibrate) = parse("pagerace calibrate a.page") else {
        panic!("no calibration")
    };
    for world in [&live.world, &calibrate.world] {
        let plan = crate::commands::live::common(world, 1, Interventions::default());
        let deadline = plan.settings.deadline;
        assert_eq!(plan.settings, LoadSettings { deadline, ..usual });
        assert_eq!(plan.browser, race.model.browser());
    }
}

#[test]
fn defaults() {
    let cli = Cli::try_parse_from(["pagerace", "race", "a.har"]).unwrap();
    let Command::Race(args) = cli.command else {
        panic!("not a race")
    };
    assert_eq!(
        (args.runs, args.seed, args.metric.to_string()),
        (30, 1, "lcp".to_owned())
    );
    assert_eq!(args.baseline, None);
}
