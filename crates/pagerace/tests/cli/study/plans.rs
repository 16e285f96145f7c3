//! Plans of studies: their options, their mistakes, and those of papers.

use std::fs;
use std::process::Command;

use super::{EVALUATION, PLAN, refused, run, sandbox};
use crate::support::{Sandbox, small_har};

#[test]
fn options_have_other_names() {
    let sandbox = sandbox("study-names");
    let plan = PLAN.replace("network = ", "networks = ");
    let plan = plan.replace(
        "protocol = [\"h2\", \"h3\"]",
        "protocols = [\"HTTP/2\", \"H3\"]",
    );
    sandbox.write("named.toml", &plan.replace("strategy = ", "strategies = "));
    assert_eq!(
        run(&sandbox, &["check", "named.toml"]),
        run(&sandbox, &["check", "plan.toml"])
    );
    let twice = PLAN.replace("strategy = ", "networks = \"cable\"\nstrategy = ");
    sandbox.write("twice.toml", &twice);
    let told = refused(&sandbox, &["check", "twice.toml"]);
    let twin = "race 1: `networks` is another name of `network`, which is there, too";
    assert!(told.contains(twin), "{told}");
    for (from, to, near) in [
        ("strategy = ", "stratgy = ", "did you mean strategy?"),
        ("runs = ", "rums = ", "did you mean runs?"),
        (
            "[[race]]\nname = \"loss\"",
            "[[tabel]]\nname = \"loss\"",
            "did you mean table?",
        ),
    ] {
        sandbox.write("typo.toml", &PLAN.replace(from, to));
        let told = refused(&sandbox, &["check", "typo.toml"]);
        assert!(told.contains(near), "{told}");
    }
    let metric = EVALUATION.replace("compare = ", "comapre = ");
    sandbox.write("typo.toml", &format!("{PLAN}{metric}"));
    let told = refused(&sandbox, &["check", "typo.toml"]);
    assert!(told.contains("did you mean compare?"), "{told}");
}

#[test]
fn metrics_have_hyphens_or_underscores() {
    let sandbox = sandbox("study-spellings");
    let spell = |metric: &str, parts: &str| {
        let evaluation = format!(
            "{EVALUATION}[[plot]]\nname = \"One\"\nmetric = \"{metric}\"\ncompare = \
             \"protocol\"\nwhere = {{ race = \"hosts\" }}\n"
        )
        .replace("of lcp_ms", &format!("of {metric}"));
        let plan = format!("parts = \"{parts}\"\n{PLAN}{evaluation}");
        sandbox.write("plan.toml", &plan);
        run(&sandbox, &["report", "plan.toml"]).replace(metric, "METRIC")
    };
    let hyphens = spell("speed-index", "speed-index");
    for spelling in ["speed_index", "speed_index_ms", "speed-index-ms"] {
        assert_eq!(spell(spelling, spelling), hyphens, "{spelling}");
    }
    let table = |metric: &str| {
        let shared = ["table", "results", "--where", "race=hosts", "--metric"];
        run(&sandbox, &[&shared[..], &[metric]].concat())
    };
    assert_eq!(table("speed-index-ms"), table("speed_index"));
    let race = |metric: &str| {
        let words = ["race", "one.har", "--runs", "2", "--metric", metric];
        let run = sandbox.run(&words);
        assert_eq!(run.code, 0, "{}", run.err);
        run.out
    };
    assert_eq!(race("speed-index"), race("speed_index_ms"));
}

#[test]
fn contenders_need_not_be_a_product() {
    let sandbox = sandbox("study-explicit");
    let plan = "pages = [\"*.har\"]\nruns = 2\nnetwork = \"cable\"\n";
    let explicit = "contender = [\"h1\", \"h2 cubic\", \"h3 bbr round-robin\"]";
    sandbox.write("plan.toml", &format!("{plan}{explicit}"));
    let told = run(&sandbox, &["check", "plan.toml"]);
    assert!(told.contains("12 loads"), "{told}");
    run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    let words = [
        "table",
        "results",
        "--compare",
        "contender",
        "--baseline",
        "h2",
    ];
    let table = run(&sandbox, &words);
    assert!(table.contains("h3 bbr round-robin"), "{table}");
    assert!(table.contains("baseline: h2 cubic sequential"), "{table}");
    for (more, told) in [
        ("cc = \"bbr\"", "`cc` and `contender` both name contenders"),
        (
            "scenario = \"race.json\"",
            "`scenario` and `contender` both",
        ),
    ] {
        sandbox.write("plan.toml", &format!("{plan}{explicit}\n{more}"));
        let error = refused(&sandbox, &["check", "plan.toml"]);
        assert!(error.contains(told), "{error}");
    }
    sandbox.write("plan.toml", &format!("{plan}contender = [\"h9\"]"));
    let error = refused(&sandbox, &["check", "plan.toml"]);
    assert!(
        error.contains("contender: `h9` is not a protocol"),
        "{error}"
    );
}

#[test]
fn traces_lie_beside_the_plan() {
    let sandbox = Sandbox::new("study-traces");
    fs::create_dir(sandbox.path("study")).unwrap();
    sandbox.write("study/one.har", &small_har());
    sandbox.write("study/phone.trace", "1\n");
    let plan = "pages = \"one.har\"\nruns = 1\nnetwork = \"rate trace:phone.trace rtt 40ms\"\n";
    sandbox.write("study/plan.toml", plan);
    let ran = run(&sandbox, &["run", "study"]);
    assert!(!ran.contains("Ran 0 loads"), "{ran}");
    // The place of the command changes neither the loads nor the name of the network.
    let inside = sandbox
        .command(&["study", "run", "plan.toml"])
        .current_dir(sandbox.path("study"))
        .output()
        .unwrap();
    let ran = String::from_utf8_lossy(&inside.stdout);
    assert!(ran.contains("Ran 0 loads"), "{ran}");
    let checked = run(&sandbox, &["check", "study"]);
    assert!(
        checked.contains("  networks    rate trace:phone.trace rtt 40ms\n"),
        "{checked}"
    );
    let whole = sandbox.path("study/phone.trace");
    let absolute = plan.replace("phone.trace", &whole.display().to_string());
    sandbox.write("study/plan.toml", &absolute);
    run(&sandbox, &["check", "study"]);
    sandbox.write("study/plan.toml", &plan.replace("phone", "no"));
    let told = refused(&sandbox, &["check", "study"]);
    assert!(
        told.contains("study/plan.toml: race \"race 1\": --network")
            && told.contains("trace study/no.trace: "),
        "{told}"
    );
}

#[test]
fn mistakes_in_plans_are_named() {
    let sandbox = sandbox("study-errors");
    let many = (0..101).map(|i| format!("\"hybrid:alpha=0.{i:03}\""));
    let many = many.collect::<Vec<String>>().join(", ");
    let huge = format!(
        "strategy = [{many}]\ncc = [{}\"cubic\"]",
        "\"cubic\", ".repeat(99)
    );
    let mistakes = [
        (
            "strategy = [\"sequential\"",
            "strategy = [\"no-such\"",
            "no-such",
        ),
        ("runs = 3", "runs = 0", "runs"),
        (
            "runs = 3",
            "colour = 3",
            "`colour` is no option of a race in a plan",
        ),
        (
            "runs = 3",
            "json = \"x.json\"",
            "`json` is no option of a race in a plan",
        ),
        ("*.har", "*.none", "no file matches"),
        ("runs = 3", "runs = 100000\nseed = -1", "race \"loss\""),
        (
            "protocol = [\"h2\", \"h3\"]",
            &huge,
            "make 10100 contenders",
        ),
        ("[\"h2\", \"h3\"]", "[]", "protocol: the list is empty"),
        (
            "runs = 3",
            "parts = \"tbt\"",
            "parts: `tbt` cannot be explained",
        ),
    ];
    for (from, to, told) in mistakes {
        sandbox.write("plan.toml", &PLAN.replace(from, to));
        let error = refused(&sandbox, &["check", "plan.toml"]);
        assert!(error.starts_with("error: plan.toml: "), "{to}: {error}");
        assert!(error.contains(told), "{to}: {error}");
    }
    let wrong = EVALUATION.replace("of h3 of", "of h9 of");
    sandbox.write("plan.toml", &format!("{PLAN}{wrong}"));
    let error = refused(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(
        error.contains("plan.toml: claim 1: `h9` names no contender"),
        "{error}"
    );
    sandbox.write("plan.toml", PLAN);
    sandbox.write("two.har", "no HAR");
    let error = refused(&sandbox, &["check", "plan.toml"]);
    assert!(error.contains("two.har"), "{error}");
    sandbox.write("one.har", "no HAR either");
    let error = refused(&sandbox, &["run", "plan.toml", "-o", "results"]);
    assert!(
        error.contains("one.har") && error.contains("two.har"),
        "{error}"
    );
    sandbox.write("taken", "a file");
    let error = refused(&sandbox, &["run", "plan.toml", "-o", "taken"]);
    assert!(error.contains("taken"), "{error}");
}

#[test]
fn the_studies_of_papers_are_valid() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let studies = fs::read_dir(format!("{root}/studies")).unwrap();
    let plans = studies.map(|entry| entry.unwrap().path());
    let plans: Vec<_> = plans.filter(|path| path.is_dir()).collect();
    assert!(plans.len() > 2);
    for plan in plans {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pagerace"));
        let checked = command.args(["study", "check"]).arg(&plan);
        let checked = checked.output().unwrap();
        let out = String::from_utf8_lossy(&checked.stdout);
        let err = String::from_utf8_lossy(&checked.stderr);
        if err.contains(": trace ") && err.contains("No such file") {
            println!("skipped: {}: its traces are not here", plan.display());
            continue;
        }
        assert!(checked.status.success(), "{}: {err}", plan.display());
        assert!(out.contains(" loads in "), "{}: {out}", plan.display());
    }
}
