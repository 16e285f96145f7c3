use super::{number, quote, write_comparisons, write_runs};
use crate::fake::{self, times};
use crate::metric::metrics;

fn results() -> crate::Results {
    let plan = fake::plan(&["sequential", "round-robin"], 7);
    fake::results(&plan, |(_, _, s), k| {
        if s == 1 && k == 2 {
            fake::failed()
        } else {
            times(1000.5 + k as f64, 2.0, 3.0)
        }
    })
}

#[test]
fn one_line_per_load() {
    let mut out = Vec::new();
    write_runs(&results(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 2 * 2 * 7);
    assert!(lines[0].starts_with(
        "page,network,protocol,congestion,visit,strategy,reliability,interventions,changes,run,seed,failure,ttfb_ms,fcp_ms,lcp_ms,"
    ));
    assert_eq!(lines[0].split(',').count(), 12 + metrics().len() + 1 + 8);
    let nominal = ",simulated,1,0,1,1,1,0,1,";
    assert!(lines[0].ends_with(",largest_draw") && lines[1].ends_with(nominal));
    let seed = results().plan.run_seed(0);
    assert!(lines[1].starts_with(&format!(
        "news,fast-4g,h3,cubic,cold,sequential,full,none,unchanged,1,{seed},,,,1000.5,2,"
    )));
    assert!(lines[10].contains(",3,") && lines[10].contains(",the deadline passed,"));
}

#[test]
fn one_line_per_comparison() {
    let mut out = Vec::new();
    write_comparisons(&results(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 4);
    let columns = lines[0].split(',').count();
    assert!(
        lines.iter().all(|line| line.split(',').count() == columns),
        "{text}"
    );
    assert!(lines[1].starts_with(
        "news,fast-4g,h3,cubic,cold,sequential,full,none,unchanged,lcp,ms,1,baseline,7,0,1003.5,,"
    ));
}

#[test]
fn fields_that_need_quotes_get_them() {
    assert_eq!(quote("plain text"), "plain text");
    assert_eq!(quote("a,b"), "\"a,b\"");
    assert_eq!(quote("say \"hi\""), "\"say \"\"hi\"\"\"");
    assert_eq!(quote("two\nlines"), "\"two\nlines\"");
}

#[test]
fn numbers_read_back() {
    assert_eq!(number(Some(0.1 + 0.2)), "0.30000000000000004");
    assert_eq!(number(Some(f64::INFINITY)), "inf");
    assert_eq!(number(None), "");
}
