use super::*;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/traces");

fn opportunities(text: &str) -> Arc<Opportunities> {
    match Trace::parse("test", text).unwrap().shape {
        Shape::Opportunities(o) => o,
        Shape::Steps(_) => panic!("not a mahimahi trace"),
    }
}

fn steps(text: &str) -> Vec<(u64, u64)> {
    match Trace::parse("test", text).unwrap().shape {
        Shape::Steps(s) => s.steps,
        Shape::Opportunities(_) => panic!("no steps"),
    }
}

fn error(text: &str) -> String {
    Trace::parse("a.trace", text).unwrap_err().to_string()
}

#[test]
fn a_mahimahi_trace_counts_what_crosses_at_each_millisecond() {
    let o = opportunities("0\n0\n# a remark\n\n5\n7\n7\n");
    assert_eq!(o.runs(), [(0, 2), (5, 1), (7, 2)]);
    assert_eq!(o.period(), Duration::from_millis(7));
}

#[test]
fn one_packet_each_millisecond_is_twelve_megabits() {
    // The example in mahimahi's documentation.
    let trace = Trace::parse("test", "1\n").unwrap();
    assert_eq!(trace.mean_rate().bits_per_second(), 12_000_000);
}

#[test]
fn a_rate_holds_until_the_next_line_and_the_last_as_long_as_the_one_before() {
    let ms = 1_000_000;
    assert_eq!(
        steps("180.0\t0.5\n185.0\t1\n190\t0\n"),
        [
            (5_000 * ms, 500_000),
            (5_000 * ms, 1_000_000),
            (5_000 * ms, 0)
        ]
    );
    assert_eq!(steps("0 3\n"), [(1_000 * ms, 3_000_000)]);
    let trace = Trace::parse("test", "0 1\n1 3\n3 0\n").unwrap();
    assert_eq!(trace.period(), Duration::from_secs(5));
    assert_eq!(trace.mean_rate().bits_per_second(), 1_400_000);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, wanted) in [
        (
            "5\nfive\n",
            "a.trace, line 2: found `five`, expected one time in whole ms",
        ),
        ("5\n\n4\n", "line 3: found `4`"),
        (
            "-5\n",
            "line 1: found `-5`, expected a time in ms (mahimahi), or",
        ),
        (
            "1 2 3\n",
            "line 1: found `1 2 3`, expected a time in ms (mahimahi), or",
        ),
        (
            "0 1\n1 fast\n",
            "line 2: found `1 fast`, expected a time in seconds",
        ),
        ("0 1\n0 2\n", "line 2: found `0 2`"),
        ("0 NaN\n", "line 1"),
        ("0 1e300\n", "line 1"),
        ("0\n0\n", "it ends at 0 ms"),
        ("", "it is empty"),
        ("0 0\n1 0\n", "nothing would ever arrive"),
    ] {
        let got = error(text);
        assert!(got.contains(wanted), "{text:?}: {got}");
    }
}

#[test]
fn a_missing_file_and_a_folder_are_refused() {
    let error = |path: &str| Trace::read(path).unwrap_err().to_string();
    assert!(error("/no/such/trace").starts_with("trace /no/such/trace: No such file"));
    assert!(error("/").starts_with("trace /: not a regular file"));
}

#[test]
fn traces_survive_being_embedded() {
    for text in ["0\n0\n3\n9\n4294967295\n", "180 0.46\n185.5 1.1\n190 0\n"] {
        let trace = Trace::parse("some/path", text).unwrap();
        let json = serde_json::to_string(&trace).unwrap();
        assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), trace);
    }
}

#[test]
fn damaged_embedded_traces_are_refused() {
    for json in [
        r#"{"name":"x"}"#,
        r#"{"name":"x","mahimahi":"!!!!"}"#,
        r#"{"name":"x","mahimahi":"AAAA"}"#,
        r#"{"name":"x","steps":[]}"#,
        r#"{"name":"x","steps":[[0,5]]}"#,
        r#"{"name":"x","steps":[[5,0]]}"#,
        r#"{"name":"x","steps":[[18446744073709551615,1],[18446744073709551615,1]]}"#,
        r#"{"name":"x","steps":[[1,1]],"mahimahi":""}"#,
        r#"{"name":"x","steps":[[1,1]],"more":1}"#,
    ] {
        assert!(serde_json::from_str::<Trace>(json).is_err(), "{json}");
    }
}

#[test]
fn long_traces_load_and_embed_compactly() {
    // A changing rate, written down twice a second.
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../calibration/cellular.trace"
    );
    let json = loads_and_embeds(path, &Trace::read(path).unwrap());
    assert!(json < 5_000, "{json} bytes");
    // Fifteen minutes of packets in the form of mahimahi: bursts, pauses, and holes.
    let mut rng = pagerace_core::Rng::new(1, "trace");
    let (mut text, mut at) = (String::new(), 0);
    while at < 900_000 {
        let most = if rng.chance(0.2) { 40 } else { 4 };
        for _ in 0..=rng.below(most) {
            text += &at.to_string();
            text.push('\n');
        }
        let longest = if rng.chance(0.001) { 3_000 } else { 20 };
        at += 1 + rng.below(longest);
    }
    assert!(text.len() > 1_000_000, "{} bytes of text", text.len());
    let json = loads_and_embeds("bursts", &Trace::parse("bursts", &text).unwrap());
    assert!(json < 250_000, "{json} bytes");
}

/// Checks that a trace has the rate of an access link and survives being embedded, and
/// returns the bytes of the embedded text.
fn loads_and_embeds(name: &str, trace: &Trace) -> usize {
    let rate = trace.mean_rate().bits_per_second();
    assert!((50_000..60_000_000).contains(&rate), "{name}: {rate} bit/s");
    let json = serde_json::to_string(trace).unwrap();
    assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), *trace);
    json.len()
}

/// Reads files that are no part of the repository, and passes without them.
#[test]
fn extra_every_recorded_trace_loads_and_embeds_compactly() {
    let Ok(folders) = std::fs::read_dir(DATA) else {
        eprintln!("skipped: ../shared/data is not there (recorded traces)");
        return;
    };
    let mut files: Vec<_> = folders
        .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .filter(|file| {
            let name = file.file_name().unwrap().to_string_lossy();
            !name.starts_with("README") && !name.starts_with("LICENSE")
        })
        .collect();
    files.sort();
    assert!(files.len() > 100, "{} traces", files.len());
    for file in files {
        let path = file.to_str().unwrap();
        let json = loads_and_embeds(path, &Trace::read(path).unwrap());
        // Steps stay readable, and mahimahi traces are packed to below 250 kB.
        assert!(json < 250_000, "{path}: {json} bytes");
    }
}
