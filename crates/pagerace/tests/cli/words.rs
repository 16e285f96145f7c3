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
    for words in [["race", "--version"], ["bulk", "-V"]] {
        assert_eq!(sandbox.run(&words).out, version.out, "{words:?}");
    }
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
