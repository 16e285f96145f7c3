use std::fmt::Write as _;

use pagerace_core::{Destination, Duration, Instant, Protocol, RequestPriority};
use pagerace_page::timeline::{FrameSent, ResourceTiming, Trace};

use super::{
    FOOTER, HOW_LIVE, HOW_SIMULATED, LIBRARY, SCRIPTS, SECTIONS, STYLE, own_script, render,
};
use crate::input::{
    AcrossSection, Comparison, Metric, Named, NetworkResult, PageResult, Provenance, Report,
    Resource, Row, RunDetail, VerdictKind, Why,
};

/// Text that would end a script, open a comment, and break out of an attribute, within a
/// URL.
const HOSTILE: &str = "https://x/\"'><!--</script><img src=x onerror=alert(1)>&\0\u{2028}";

fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        description: format!("about {name}"),
    }
}

fn timing() -> ResourceTiming {
    ResourceTiming {
        protocol: Protocol::H3,
        priority: None,
        connection: None,
        reused: false,
        discovered: Instant::ZERO,
        queued: Duration::ZERO,
        blocked: Duration::ZERO,
        dns: Duration::ZERO,
        connect: Duration::ZERO,
        wait: Duration::ZERO,
        receive: Duration::ZERO,
        hol_blocked_bytes: 0,
        hol_other_bytes: 0,
    }
}

fn report(text: &str) -> Report {
    let detail = RunDetail {
        marks: vec![(text.to_owned(), Instant::from_nanos(5_000_000))],
        timings: vec![Some(timing())],
        trace: Trace {
            frames: vec![FrameSent {
                at: Instant::from_nanos(1),
                length: 1_200,
                ..FrameSent::default()
            }],
            ..Trace::default()
        },
        failure: Some(text.to_owned()),
        ..RunDetail::default()
    };
    Report {
        title: text.to_owned(),
        version: "0.0.0".to_owned(),
        seed: u64::MAX,
        runs: 3,
        rerun: text.to_owned(),
        scenario: text.to_owned(),
        metrics: vec![Metric {
            name: "lcp".to_owned(),
            title: text.to_owned(),
            ..Metric::default()
        }],
        noun: text.to_owned(),
        nouns: text.to_owned(),
        shared: text.to_owned(),
        environment: vec![named(text)],
        parts: vec![named(text)],
        contenders: vec![named(text)],
        networks: vec![named(text)],
        pages: vec![PageResult {
            name: text.to_owned(),
            url: text.to_owned(),
            resources: vec![Resource {
                url: text.to_owned(),
                destination: Destination::Image,
                bytes: 0,
                render_blocking: false,
                status: 200,
                priority: RequestPriority::Low,
                owner: text.to_owned(),
            }],
            scene: None,
            largest: None,
            networks: vec![NetworkResult {
                verdict: text.to_owned(),
                outcome: VerdictKind::Better,
                rows: vec![Row {
                    values: vec![Comparison {
                        median: Some(f64::NAN),
                        ..Comparison::default()
                    }],
                    detail: Some(detail),
                    ..Row::default()
                }],
                whys: vec![Why {
                    sentence: text.to_owned(),
                    baseline: vec![Duration::from_millis(1)],
                    own: vec![Duration::from_millis(2)],
                    ..Why::default()
                }],
                ..NetworkResult::default()
            }],
        }],
        across: vec![AcrossSection {
            verdict: text.to_owned(),
            ..AcrossSection::default()
        }],
        notes: vec![text.to_owned()],
        ..Report::default()
    }
}

/// The embedded JSON.
fn data(html: &str) -> &str {
    let (_, rest) = html.split_once("id=\"data\">").expect("data is embedded");
    rest.split_once("</script>").expect("the element ends").0
}

/// The page without the library, the data and the scripts.
fn frame(html: &str) -> String {
    html.replace(LIBRARY, "")
        .replace(data(html), "")
        .replace(&own_script(&SCRIPTS), "")
}

#[test]
fn data_is_embedded_and_reads_back() {
    let html = render(&report("plain"));
    let json: serde_json::Value = serde_json::from_str(data(&html)).expect("valid JSON");
    assert_eq!(json["title"], "plain");
    assert_eq!(
        json["seed"], "18446744073709551615",
        "as text: too large for JavaScript"
    );
    assert_eq!(
        json["pages"][0]["networks"][0]["rows"][0]["detail"]["wire"]["bytes"][0],
        1_200
    );
    assert!(json["pages"][0]["networks"][0]["rows"][0]["values"][0][0].is_null());
}

#[test]
fn hostile_text_stays_text() {
    let html = render(&report(HOSTILE));
    let json: serde_json::Value = serde_json::from_str(data(&html)).expect("valid JSON");
    assert_eq!(
        json["pages"][0]["resources"][0]["url"], HOSTILE,
        "nothing is lost"
    );
    assert!(!data(&html).contains('<'), "the element cannot end early");
    let frame = frame(&html);
    assert_eq!(frame.matches("<img").count(), 0);
    assert_eq!(frame.matches("</script>").count(), 3, "data, library, ours");
    assert_eq!(frame.matches("<!--").count(), 0);
    assert!(
        frame.contains("&lt;img src=x onerror=alert(1)&gt;"),
        "shown as it is"
    );
}

#[test]
fn same_report_same_bytes() {
    assert_eq!(render(&report("a")), render(&report("a")));
    assert_ne!(render(&report("a")), render(&report("b")));
}

#[test]
fn assets_load_nothing() {
    for asset in SCRIPTS
        .iter()
        .chain([&STYLE, &SECTIONS, &HOW_SIMULATED, &HOW_LIVE, &FOOTER])
    {
        let code = asset
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let words = [
                "http:", "https:", "@import", "url(", "fetch(", "XMLHttp", "import(", "src=",
            ];
            for word in words {
                assert!(!line.contains(word), "{word} in {line}");
            }
        }
    }
}

#[test]
fn policy_names_the_scripts_it_runs() {
    let html = render(&report("a"));
    let policy = html
        .lines()
        .find(|l| l.contains("Content-Security-Policy"))
        .expect("a policy");
    assert!(policy.contains("default-src 'none'"));
    assert!(policy.contains(&format!("'sha256-{}'", super::hash(&own_script(&SCRIPTS)))));
    assert_eq!(policy.matches("sha256-").count(), 2);
    for script in SCRIPTS {
        assert!(!script.contains("</script"), "would end the element");
        assert!(script.ends_with('\n'), "files are joined");
    }
}

/// The hash is also written in `assets/echarts/README.md`.
#[test]
fn library_is_the_one_we_chose() {
    let mut hex = String::new();
    for byte in super::digest(&super::SHA256, LIBRARY.as_bytes()).as_ref() {
        write!(hex, "{byte:02x}").expect("writing to a String");
    }
    let readme = include_str!("../../assets/echarts/README.md");
    assert!(readme.contains(&hex), "README.md does not name {hex}");
    assert!(!LIBRARY.contains("</script"), "would end the element");
}

#[test]
fn nothing_raced_is_still_a_page() {
    let html = render(&Report::default());
    assert!(html.starts_with("<!doctype html>"));
    assert!(html.ends_with("</html>\n"));
}

#[test]
fn a_verdict_does_not_repeat_its_heading() {
    let mut report = report("cable");
    let verdict = |report: &mut Report, text: &str| {
        report.pages[0].networks[0].verdict = text.to_owned();
        render(report)
    };
    report.contenders[0].name = "eps".to_owned();
    assert!(verdict(&mut report, "cable: no strategy is sooner.").contains("<p>No strategy"));
    assert!(verdict(&mut report, "cable: eps is sooner.").contains("<p>eps is sooner"));
    assert!(verdict(&mut report, "cables: fine.").contains("<p>Cables: fine"));
}

#[test]
fn many_notes_are_folded() {
    let mut report = report("a");
    report.notes = vec!["one".to_owned(); 12];
    assert!(!render(&report).contains("12 notes"));
    report.notes.push("more".to_owned());
    let html = render(&report);
    let fold = html
        .split("<summary>13 notes on data left out")
        .nth(1)
        .expect("folded");
    assert!(fold.find("</ul>") < fold.find("</details>"));
}

#[test]
fn each_world_claims_what_holds_in_it() {
    let simulated = frame(&render(&report("plain")));
    let live = frame(&render(&Report {
        world: Provenance::Live,
        environment: vec![Named {
            name: "kernel".to_owned(),
            description: "6.18 <x>".to_owned(),
        }],
        ..report("plain")
    }));
    assert!(simulated.contains("All times are simulated by a model."));
    assert!(simulated.contains("<p class=\"facts\">simulated · "));
    assert!(!live.contains("simulated") && !live.contains("a model"));
    assert!(live.contains("measured in a real browser"));
    assert!(live.contains("<p class=\"facts\"><b>live</b> · "));
    assert!(live.contains("<dt>kernel</dt><dd>6.18 &lt;x&gt;</dd>"));
}
