//! Reports of studies: tables, claims and texts come from the results.

use std::fs;

use super::{EVALUATION, PAPER, PLAN, exported, refused, run, sandbox};

#[test]
fn tables_and_claims_are_decided() {
    let sandbox = sandbox("study-report");
    sandbox.write("plan.toml", &format!("{PLAN}{EVALUATION}"));
    let told = run(&sandbox, &["check", "plan.toml"]);
    assert!(told.contains("24 loads in 2 shards"), "{told}");
    assert!(told.contains("1 table, 2 claims"), "{told}");
    let told = refused(
        &sandbox,
        &["report", "plan.toml", "-o", "results", "--no-run"],
    );
    assert!(told.contains("results: cannot be read"), "{told}");
    let report = run(&sandbox, &["report", "plan.toml", "-o", "results"]);
    assert!(report.starts_with("Pagerace 0.1.0 (engine "), "{report}");
    assert!(report.contains(") ran 24 loads of "), "{report}");
    assert!(report.contains("\nVersions\n"), "{report}");
    let claim = "HTTP/3 shows pages: median over pages of h3 of lcp_ms > 0: holds\n  holds: ";
    assert!(report.contains(claim), "{report}");
    assert!(
        report.contains("> 100%: does not hold\n  does not hold: "),
        "{report}"
    );
    // The same table from the file alone.
    exported(&sandbox, "results");
    let words = [
        "table",
        "loads.parquet",
        "--compare",
        "protocol",
        "--where",
        "race=hosts",
    ];
    let table = run(&sandbox, &words);
    assert!(report.contains(&table), "{table}");
    let told = refused(&sandbox, &["table", "loads.parquet"]);
    assert!(
        told.contains("several columns vary (protocol, strategy)"),
        "{told}"
    );
    let told = refused(&sandbox, &["table", "one.har"]);
    assert!(told.contains("one.har: "), "{told}");
}

#[test]
fn expected_claims_decide_the_exit_status() {
    let sandbox = sandbox("study-expected");
    let words = ["study", "report", "plan.toml", "--check"];
    let check = |evaluation: &str| {
        sandbox.write("plan.toml", &format!("{PLAN}{evaluation}"));
        sandbox.run(&words)
    };
    let unmarked = check(EVALUATION);
    assert_eq!(unmarked.code, 2, "{}", unmarked.err);
    let told = "plan.toml: has no claims that --check could decide; mark them with expected = true";
    assert!(unmarked.err.contains(told), "{}", unmarked.err);
    let mark = |claim: &str| EVALUATION.replace(claim, &format!("{claim}\nexpected = true"));
    let good = "name = \"HTTP/3 shows pages\"";
    let held = check(&mark(good));
    assert_eq!(held.code, 0, "{}", held.err);
    let both = mark(good).replace("> 100%\"", "> 100%\"\nexpected = true");
    let failed = check(&both);
    assert_eq!(failed.code, 1, "{}", failed.err);
    assert!(failed.out.contains("does not hold"), "{}", failed.out);
    let told = "error: 1 of 2 expected claims does not hold";
    assert!(failed.err.contains(told), "{}", failed.err);
    let report = sandbox.run(&words[..3]);
    assert_eq!((report.code, report.out), (0, failed.out));
}

#[test]
fn a_paper_is_a_folder_whose_report_is_a_section() {
    let sandbox = sandbox("study-paper");
    fs::create_dir(sandbox.path("paper-2022")).unwrap();
    sandbox.write("paper-2022/plan.toml", PAPER);
    sandbox.write("text.md", "# Papers\n\nBefore.\n\n## After\n");
    let pages = ["--pages", "small=one.har", "--pages", "large=two.har"];
    let words = ["report", "paper-2022", "--markdown", "text.md"];
    let told = run(&sandbox, &[&words[..], &pages].concat());
    assert!(told.contains("holds, differs in size: "), "{told}");
    assert!(told.contains("; published 100.0\n"), "{told}");
    let text = fs::read_to_string(sandbox.path("text.md")).unwrap();
    assert!(text.starts_with("# Papers\n\nBefore.\n\n## After\n\n<!-- begin of study paper-2022:"));
    // Both races have `sequential` at 1 Mbit/s, which ran once.
    for part in [
        "# A paper\n\nIt compares | strategies.\n",
        "ran 30 loads of 2 pages (1 large, 1 small); none failed.",
        "| **More bandwidth shows pages sooner** | +10000 % | +",
        " | holds, differs in size |\n",
        "| rate 1mbit rtt 100ms | ",
        "(+25 %) |\n",
        "![First paint](paper-2022-first-paint.svg)\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let svg = fs::read_to_string(sandbox.path("paper-2022-first-paint.svg")).unwrap();
    assert!(svg.contains(">rate 5mbit rtt 100ms</text>"), "{svg}");
    let status = [&["status", "paper-2022"][..], &pages].concat();
    let status = run(&sandbox, &status);
    assert!(status.contains("total: 36 of 36 loads"), "{status}");
    // A second report replaces the section, and only that.
    sandbox.write(
        "text.md",
        &text
            .replace("none failed", "all failed")
            .replace("Before", "Now"),
    );
    run(&sandbox, &[&words[..], &pages, &["--no-run"]].concat());
    let again = fs::read_to_string(sandbox.path("text.md")).unwrap();
    assert_eq!(again, text.replace("Before", "Now"));
    let (cut, _) = text.split_once("<!-- end of study").unwrap();
    sandbox.write("text.md", cut);
    let told = refused(&sandbox, &[&words[..], &pages].concat());
    assert!(
        told.contains("its section of paper-2022 must begin with"),
        "{told}"
    );
    let told = refused(&sandbox, &["report", "paper-2022"]);
    assert!(told.contains("pages: no file matches \"*.har\""), "{told}");
}

#[test]
fn a_text_takes_its_numbers_from_the_results() {
    let sandbox = sandbox("study-text");
    let plan = |text: &str, limit: &str| {
        format!(
            "text = \"{text}\"\n{PLAN}\n[[claim]]\nname = \"It lasts\"\nid = \"time\"\nholds = \
             \"median over pages of h3 of lcp_ms > {limit}\"\nwhere = {{ race = \"hosts\" }}\n"
        )
    };
    let text = "It takes {time}{time: holds}.";
    sandbox.write("plan.toml", &plan(text, "0"));
    let words = ["report", "plan.toml", "--markdown", "text.md"];
    run(&sandbox, &words);
    let read = || fs::read_to_string(sandbox.path("text.md")).unwrap();
    let written = read();
    let says = written.split_once("## What the numbers say\n\nIt takes ");
    let (number, _) = says.expect("it has the text").1.split_once(".\n").unwrap();
    assert!(number.ends_with(" ms"), "{number}");
    // The same results do not bear out another claim, and the document stays.
    sandbox.write("plan.toml", &plan(text, "1e9"));
    let broken = sandbox.run(&[&["study"], &words[..]].concat());
    assert_eq!(broken.code, 1, "{}", broken.err);
    let told = "\"It takes {time}{time: holds}.\": it rests on `time: holds`, but the claim \
                \"It lasts\" does not hold";
    assert!(broken.err.contains(told), "{}", broken.err);
    assert_eq!(read(), written);
    sandbox.write("plan.toml", &plan("It takes {gone}.", "0"));
    let told = refused(&sandbox, &["check", "plan.toml"]);
    let gone = "plan.toml: text: no claim or matrix has the id `gone`; there are time";
    assert!(told.contains(gone), "{told}");
}

#[test]
fn a_report_refuses_results_that_are_not_complete() {
    let sandbox = sandbox("study-partial");
    sandbox.write("plan.toml", &format!("{PLAN}{EVALUATION}"));
    run(&sandbox, &["run", "plan.toml", "--shard", "1/2"]);
    let told = refused(&sandbox, &["report", "plan.toml", "--no-run"]);
    let lacks = "lacks 4 loads of the plan: race \"hosts\" has 8 of 12 loads; `pagerace study run`";
    assert!(told.contains(lacks), "{told}");
}
