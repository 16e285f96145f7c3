//! Files of studies, as other programs read them.

use std::process::{Command, Stdio};

use super::{PLAN, exported, run, sandbox};

/// Reads all files with a Python library, and prints the number of rows and the sum of a
/// column.
const READERS: [(&str, &str); 3] = [
    (
        "duckdb",
        "q = duckdb.sql(\"select count(*), sum(lcp_ms), count(failure) from 'loads.parquet'\")\n\
         n, s, f = q.fetchall()[0]\n\
         r = duckdb.sql(\"select count(*) from 'results/requests/*.parquet' \
         join 'loads.parquet' using (cell, run)\").fetchall()[0][0]",
    ),
    (
        "polars",
        "d = polars.read_parquet('loads.parquet')\n\
         n, s, f = len(d), d['lcp_ms'].sum(), d['failure'].count()\n\
         q = polars.read_parquet('results/requests/*.parquet')\n\
         r = len(q.join(d, on=['cell', 'run']))",
    ),
    (
        "pandas",
        "d = pandas.read_parquet('loads.parquet')\n\
         n, s, f = len(d), d['lcp_ms'].sum(), d['failure'].count()\n\
         q = pandas.read_parquet('results/requests')\n\
         r = len(q.merge(d, on=['cell', 'run']))",
    ),
];

#[test]
fn other_programs_read_the_files() {
    let sandbox = sandbox("study-readers");
    sandbox.write("plan.toml", &format!("requests = true\n{PLAN}"));
    run(&sandbox, &["run", "plan.toml", "-o", "results"]);
    exported(&sandbox, "results");
    let python = |code: &str| {
        let mut command = Command::new("python3");
        command.args(["-c", code]).current_dir(sandbox.path("."));
        command.stdin(Stdio::null()).output()
    };
    let mut sums = Vec::new();
    for (library, code) in READERS {
        let has = |name: &str| {
            python(&format!("import {name}")).is_ok_and(|output| output.status.success())
        };
        // Pandas reads Parquet with the help of another library.
        if !has(library) || (library == "pandas" && !has("pyarrow")) {
            eprintln!("skipped: Python has no {library}");
            continue;
        }
        let code = format!("import {library}\n{code}\nprint(n, round(s, 3), f, r)");
        let output = python(&code).unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{library}: {told}");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let words: Vec<&str> = told.split_whitespace().collect();
        // 24 loads of five requests each, without failures.
        assert_eq!([words[0], words[2], words[3]], ["24", "0", "120"]);
        sums.push(words[1].to_owned());
    }
    assert!(sums.windows(2).all(|pair| pair[0] == pair[1]), "{sums:?}");
}
