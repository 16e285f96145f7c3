use pagerace_core::Words;
use std::path::{Path, PathBuf};

use super::{PageFile, Study, mixes_of};
use crate::losses::By;

/// Reads a plan whose pages are the sources of this crate.
fn read(text: &str) -> Result<Study, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    Study::parse(text, folder, &[])
}

#[test]
fn options_are_arguments() {
    let study = read(
        r#"
        title = "Priorities"
        pages = ["src/plan.rs"]
        runs = 30
        cpu = 1.5
        network = "cable"

        [[race]]
        name = "loss"
        network = ["slow-4g", "rate 2mbit rtt 100ms loss 1%"]
        reliability = ["full", "datagram:fonts,ads"]
        no-prediction = true
        open = false

        [[race]]
        runs = 5
        "#,
    )
    .unwrap();
    assert_eq!(study.title, "Priorities");
    assert_eq!(study.races[0].name, "loss");
    let arguments = [
        "--cpu",
        "1.5",
        "--network",
        "slow-4g",
        "--network",
        "rate 2mbit rtt 100ms loss 1%",
        "--no-prediction",
        "--reliability",
        "full",
        "--reliability",
        "\"datagram:fonts,ads\"",
        "--runs",
        "30",
    ];
    assert_eq!(study.races[0].arguments, arguments);
    let arguments = ["--cpu", "1.5", "--network", "cable", "--runs", "5"];
    assert_eq!(
        (
            study.races[1].name.as_str(),
            study.races[1].arguments.as_slice()
        ),
        ("race 2", &arguments.map(str::to_owned)[..])
    );
}

#[test]
fn mixes_have_names() {
    let text = "pages = [\"src/plan.rs\"]\n[mix.home]\ncable = 5\nslow-4g = 0.5\n";
    assert!(read(text).is_ok());
    let weights = [("cable".to_owned(), 5.0), ("slow-4g".to_owned(), 0.5)];
    assert_eq!(
        mixes_of(text).unwrap()["home"],
        std::collections::BTreeMap::from(weights)
    );
    for (text, told) in [
        ("mix = 1", "TOML parse error at line 1, column 7"),
        ("[mix]\nhome = 1", "TOML parse error at line 2, column 8"),
        (
            "[mix.home]\ncable = -1",
            "mix.home.cable: found -1, expected a number from 0",
        ),
        (
            "[mix.home]\ncable = nan",
            "mix.home.cable: found NaN, expected a number from 0",
        ),
        (
            "[mix.home]",
            "mix.home: has no network with a weight above 0",
        ),
    ] {
        let error = read(&format!("{text}\n")).unwrap_err();
        assert!(error.starts_with(told), "{text}: {error}");
    }
}

#[test]
fn pages_have_groups() {
    let study = read("[pages]\nsmall = \"src/li*.rs\"\nlarge = [\"src/pla*.rs\", \"src/plan.rs\"]")
        .unwrap();
    let page = |group: &str, file: &str| PageFile {
        group: group.to_owned(),
        path: PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("src")
            .join(file),
    };
    assert_eq!(
        study.pages,
        [page("large", "plan.rs"), page("small", "lib.rs")]
    );
    assert_eq!(study.races.len(), 1);
}

#[test]
fn plans_say_what_to_keep_and_what_to_make_of_it() {
    let study = read(
        r#"
        requests = true
        parts = "speed-index"

        [[race]]
        scenario = "race.json"

        [[table]]
        name = "Versions"
        kind = "cdf"
        metric = "speed_index_ms"
        compare = "protocol"
        where = { network = ["cable", "slow-4g"] }

        [[losses]]
        name = "When packets are lost"
        by = "time"

        [[claim]]
        holds = "median over pages of (h2 - h3)/h2 of lcp > 5%"
        "#,
    )
    .unwrap();
    assert!(study.details.requests);
    assert_eq!(study.details.parts.unwrap().name(), "speed-index");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(study.races[0].scenario, Some(folder.join("race.json")));
    assert_eq!(study.tables[0].kind.word(), "cdf");
    assert_eq!(study.tables[0].metric.metric().name, "speed-index");
    assert_eq!(study.tables[0].filter["network"], ["cable", "slow-4g"]);
    assert_eq!(study.claims[0].sentence.measure.metric.metric().name, "lcp");
    assert_eq!(study.losses[0].by, By::Time);
    let error = read("pages = \"src/lib.rs\"\n[[losses]]\n").unwrap_err();
    assert!(error.contains("add `requests = true`"), "{error}");
}

#[test]
fn mistakes_are_named_by_place() {
    let refused = [
        ("runs = 3", "pages: is missing"),
        (
            "pages = [\"none/*.har\"]",
            "pages: no file matches \"none/*.har\" in",
        ),
        ("pages = [\"a[\"]", "pages: \"a[\" is no pattern"),
        (
            "pages = [\"src/lib.rs\"]\nrace = 3",
            "race: found integer, expected [[race]]",
        ),
        (
            "pages = [\"src/lib.rs\"]\n[claim]\nholds = \"\"",
            "claim: found table, expected [[claim]]",
        ),
        (
            "pages = [\"src/lib.rs\"]\n[[race]]\nname = \" \"",
            "race 1: name: is empty",
        ),
        (
            "pages = [\"src/lib.rs\"]\n[[race]]\nruns = [[3]]",
            "race 1: runs: found array",
        ),
        (
            "pages = [\"src/lib.rs\"]\n[[race]]\nname = \"a\"\n[[race]]\nname = \"a\"",
            "race 2: the name \"a\" is given twice",
        ),
        ("pages = [", "TOML parse error at line 1"),
        ("[pages]\na = \"src/lib.rs\"\nb = \"src/lib.rs\"", "pages: "),
        (
            "pages = [\"src/lib.rs\"]\nstrategy = []",
            "race 1: strategy: the list is empty",
        ),
        (
            "pages = [\"src/lib.rs\"]\nparts = \"tti\"",
            "parts: `tti` cannot be explained; use ttfb",
        ),
        (
            "pages = [\"src/lib.rs\"]\n[[plot]]\nmetric = \"lcp\"",
            "plot 1: name: is missing; its file is called so",
        ),
        (
            "pages = [\"src/lib.rs\"]\n[[plot]]\nname = \"a\"\nkind = \"pages\"",
            "plot 1: `kind` and `with` are no keys; use name, metric",
        ),
    ];
    for (text, start) in refused {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(start), "{text}: {error}");
    }
}

#[test]
fn mistakes_are_shown_in_their_line() {
    let refused = [
        (
            "pages = 3",
            "9",
            "expected files, as in [\"*.har\"], or groups",
        ),
        (
            "pages = [\"a\", 3]",
            "9",
            "expected files, as in [\"*.har\"]",
        ),
        (
            "title = 3",
            "9",
            "invalid type: integer `3`, expected a string",
        ),
        ("requests = \"all\"", "12", "expected a boolean"),
        ("[[race]]\nname = 7", "8", "expected a string"),
        (
            "[[table]]\nkind = \"pie\"",
            "8",
            "unknown variant `pie`, expected one of `summary`, `pages`,",
        ),
        (
            "[[table]]\nmetrics = \"lcp\"",
            "1",
            "unknown field `metrics`, expected one of `name`, `kind`, `metric`",
        ),
        (
            "[[table]]\nmetric = \"lpc\"",
            "10",
            "`lpc` is no metric; use ttfb_ms,",
        ),
        (
            "[[table]]\nwhere = { network = 3 }",
            "21",
            "expected a text or a list of texts",
        ),
        (
            "[[claim]]\nname = \"a\"",
            "1",
            "missing field `holds`; write a claim, such as \"median over pages of (h2",
        ),
        (
            "[[claim]]\nholds = \"median of h2 of lcp > 0\"",
            "9",
            "found `of`, expected `over`",
        ),
    ];
    for (text, column, told) in refused {
        let error = read(&format!("# A comment.\n{text}\n")).unwrap_err();
        assert!(error.starts_with("TOML parse error at line "), "{error}");
        let place = format!(", column {column}\n");
        assert!(error.contains(&place) && error.contains(told), "{error}");
        let line = text.lines().last().unwrap_or_default();
        let head = error.contains("missing field");
        assert!(head || error.contains(&format!(" | {line}\n")), "{error}");
    }
}

#[test]
fn given_pages_replace_those_of_the_plan() {
    let text = "pages = [\"no-such.har\"]";
    let folder = Path::new("/nowhere");
    let pattern = |text: &str| format!("{}/{text}", env!("CARGO_MANIFEST_DIR"));
    let given = [
        format!("small={}", pattern("src/pl?n.rs")),
        pattern("src/key.rs"),
    ];
    let study = Study::parse(text, folder, &given).unwrap();
    let pages: Vec<(&str, bool)> = study
        .pages
        .iter()
        .map(|page| (page.group.as_str(), page.path.ends_with("plan.rs")))
        .collect();
    assert_eq!(pages, [("", false), ("small", true)]);
    let given = ["small=/nowhere/*.har".to_owned()];
    let error = Study::parse("", folder, &given).unwrap_err();
    assert!(
        error.starts_with("--pages.small: no file matches"),
        "{error}"
    );
}

#[test]
fn matrices_and_plots_are_read() {
    let plan = |published: &str| {
        format!(
            r#"
            pages = ["src/plan.rs"]

            [[matrix]]
            name = "Medians"
            rows = ["lcp_ms", "fcp_ms"]
            columns = ["h2", "h3"]
            value = "median over pages of {{column}} of {{row}}"
            published = {published}

            [[plot]]
            name = "Speed Index"
            baseline = "h2"

            [[claim]]
            holds = "median over pages of h2 of lcp_ms > 0"
            published = 3
            "#
        )
    };
    let study = read(&plan("[[1, 2.5], [nan, 4]]")).unwrap();
    let matrix = &study.matrices[0];
    assert_eq!(matrix.published(0, 1), Some(2.5));
    assert_eq!(matrix.published(1, 0), None);
    assert_eq!(study.plots[0].name, "Speed Index");
    assert_eq!(study.claims[0].published, Some(3.0));
    let error = read(&plan("[[1, 2.5]]")).unwrap_err();
    assert!(
        error.starts_with("matrix 1: published: has another shape"),
        "{error}"
    );
    let error = read(&plan("[[1, \"x\"], [1, 2]]")).unwrap_err();
    assert!(
        error.contains("line 9, column 30\n")
            && error.contains("invalid type: string \"x\", expected f64"),
        "{error}"
    );
}

#[test]
fn synthetic_pages_have_names() {
    let plan = |name: &str| {
        read(&format!(
            "pages = [\"{name}\"]\n[[race]]\nnetwork = \"cable\"\n"
        ))
    };
    let path = PathBuf::from("srivastava-news-2");
    assert_eq!(plan("srivastava-news-2").unwrap().pages[0].path, path);
    let error = plan("srivastava-news-9").unwrap_err();
    assert!(error.contains("srivastava-news-6"), "{error}");
}
