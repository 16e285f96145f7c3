//! Help, lists and colours.

use crate::support::{Sandbox, small_har};

#[test]
fn help_shows_examples_and_version_is_told() {
    let sandbox = Sandbox::new("help");
    let help = sandbox.run(&["race", "--help"]);
    assert_eq!(help.code, 0);
    assert!(help.out.contains("Examples:") && help.out.contains("--scenario out.json"));
    let version = sandbox.run(&["--version"]);
    assert_eq!(
        version.out.trim(),
        concat!("pagerace ", env!("CARGO_PKG_VERSION"))
    );
    let mut commands: Vec<&[&str]> = vec![&["race", "--version"], &["bulk", "-V"]];
    if cfg!(feature = "study") {
        commands.push(&["study", "run", "--version"]);
    }
    for words in commands {
        assert_eq!(sandbox.run(words).out, version.out, "{words:?}");
    }
}

#[test]
fn helps_are_in_groups_and_short() {
    let sandbox = Sandbox::new("help-groups");
    let help = sandbox.run(&["--help"]).out;
    let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text}: {help}"));
    assert!(place("Ask about a page:") < place("  race "));
    assert!(place("  race ") < place("\nOptions:"));
    assert_eq!(
        help.contains("Run or examine real servers:"),
        cfg!(feature = "live")
    );
    let lines = |words: &[&str]| sandbox.run(words).out.lines().count();
    assert!(lines(&["race", "-h"]) < 70);
    assert!(lines(&["race", "--help"]) < 200);
    let live = sandbox.run(&["live", "--help"]).out;
    assert!(!live.contains("as many as"), "{live}");
}

#[test]
fn lists_name_everything_with_sources() {
    let sandbox = Sandbox::new("lists");
    for (what, known) in [
        ("strategies", "weighted-incremental"),
        ("networks", "slow-4g"),
        ("metrics", "speed-index"),
        ("browsers", "firefox"),
        ("controllers", "cubic"),
        ("protocols", "h2"),
        ("settings", "--h3-discovery"),
    ] {
        let list = sandbox.run(&["list", what]);
        assert_eq!((list.code, list.err.as_str()), (0, ""), "{what}");
        assert!(
            list.out.lines().any(|line| line == known),
            "{what}: {}",
            list.out
        );
    }
    assert!(sandbox.run(&["list", "networks"]).out.contains("Source: "));
    assert_eq!(sandbox.run(&["list", "cheeses"]).code, 2);
}

#[test]
fn colours_can_be_forced_and_forbidden() {
    let sandbox = Sandbox::new("colour");
    sandbox.write("site.har", &small_har());
    let words = [
        "race",
        "site.har",
        "--strategy",
        "eps",
        "--network",
        "cable",
        "--runs",
        "1",
    ];
    let forced = sandbox.run_with(&words, &[("CLICOLOR_FORCE", "1")]);
    assert!(forced.out.contains('\x1b'), "{}", forced.out);
    let forbidden = sandbox.run_with(&words, &[("NO_COLOR", "1")]);
    assert!(!forbidden.out.contains('\x1b'), "{}", forbidden.out);
}
