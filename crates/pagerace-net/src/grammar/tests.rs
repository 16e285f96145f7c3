use pagerace_core::Duration;
use proptest::prelude::*;

use super::*;
use crate::link::Rate;
use crate::loss::Loss;
use crate::queue::{Queue, QueueLimit};
use crate::units::Probability;

fn parse(text: &str) -> Result<Network, NetworkError> {
    super::parse(text, &[], Path::new(""))
}

fn error(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

fn in_full(text: &str) -> String {
    parse(text)
        .unwrap_or_else(|e| panic!("{text}: {e}"))
        .to_string()
}

#[test]
fn the_example_of_the_manual_means_what_it_says() {
    let network = parse("rate 2mbit rtt 100ms loss 2% queue 1bdp").unwrap();
    assert_eq!(network.down, network.up);
    assert_eq!(network.rtt(), Duration::from_millis(100));
    assert_eq!(network.down.rate.mean().bits_per_second(), 2_000_000);
    assert_eq!(network.down.loss.to_string(), "loss 2%");
    assert_eq!(
        network.down.queue,
        Queue::TailDrop(QueueLimit::Bdp {
            multiple: 1.0,
            bytes: 25_000
        })
    );
}

#[test]
fn upper_and_lower_case_are_the_same() {
    let cable = parse("cable loss 1%").unwrap();
    assert_eq!(parse("CABLE Loss 1%").unwrap().down, cable.down);
    assert_eq!(parse("Cable loss 1%").unwrap().name, "cable loss 1%");
    assert_eq!(
        in_full("Rate 2Mbit RTT 100ms"),
        in_full("rate 2mbit rtt 100ms")
    );
}

#[test]
fn words_hold_for_both_directions_unless_they_say_up() {
    let network = parse(
        "rate 8mbit up 1mbit delay 30ms delay-up 10ms loss 2% burst 10 loss-up 1% \
         queue 100p queue-up 64kb bucket 3kb bucket-up none",
    )
    .unwrap();
    assert_eq!(network.rtt(), Duration::from_millis(40));
    assert!(matches!(
        network.down.rate,
        Rate::TokenBucket { burst: 3_072, .. }
    ));
    assert!(matches!(network.up.rate, Rate::Constant(r) if r.bits_per_second() == 1_000_000));
    assert_eq!(
        network.down.loss,
        Loss::Burst {
            mean: Probability::from_billionths(20_000_000).unwrap(),
            length: 10.0
        }
    );
    assert!(matches!(network.up.loss, Loss::Random(_)));
    assert_eq!(
        network.down.queue,
        Queue::TailDrop(QueueLimit::Packets(100))
    );
    assert_eq!(network.up.queue, Queue::TailDrop(QueueLimit::Bytes(65_536)));
}

#[test]
fn words_after_a_name_replace_its_own() {
    assert_eq!(
        in_full("fast-4g loss 1% rtt 80ms"),
        "rate 9mbit up 1.5mbit rtt 80ms loss 1% queue 50p"
    );
    assert_eq!(
        in_full("fast-4g rate 5mbit"),
        "rate 5mbit up 1.5mbit rtt 60ms loss 0% queue 50p"
    );
    assert_eq!(
        in_full("fast-4g delay 5ms"),
        "rate 9mbit up 1.5mbit rtt 10ms loss 0% queue 50p"
    );
    assert_eq!(parse("  fast-4g loss 1% ").unwrap().name, "fast-4g loss 1%");
}

#[test]
fn further_networks_are_known_by_name() {
    let toy = [NamedNetwork {
        name: "toy-2mbit",
        summary: "",
        source: "",
        spec: "rate 2mbit rtt 100ms queue 1bdp bucket 1514b",
    }];
    assert_eq!(
        super::parse("toy-2mbit rate 3mbit bucket none", &toy, Path::new(""))
            .unwrap()
            .to_string(),
        "rate 3mbit rtt 100ms loss 0% queue 1bdp"
    );
    let unknown = super::parse("toy-3mbit", &toy, Path::new(""))
        .unwrap_err()
        .to_string();
    assert!(unknown.contains("toy-2mbit"), "{unknown}");
    assert!(!error("toy-3mbit").contains("toy-2mbit"));
}

#[test]
fn netems_model_is_read_with_one_to_four_parameters() {
    for (text, printed) in [
        ("gemodel 0.4% 20%", "gemodel 0.4% 20% 100% 0%"),
        ("gemodel 0.4%", "gemodel 0.4% 99.6% 100% 0%"),
        ("gemodel 0.4% 20% 70% 0.1%", "gemodel 0.4% 20% 70% 0.1%"),
    ] {
        let text = format!("rate 2mbit rtt 100ms {text} queue 1bdp");
        assert_eq!(
            in_full(&text),
            format!("rate 2mbit rtt 100ms {printed} queue 1bdp")
        );
    }
}

#[test]
fn schedules_are_read_and_printed() {
    for (text, printed) in [
        ("rtt 50ms..250ms over 10s", "rtt 50ms..250ms over 10s"),
        (
            "rtt 50ms..250ms over 10s after 2s",
            "rtt 50ms for 2s then 50ms..250ms over 10s",
        ),
        (
            "rtt 50ms..250ms over 1500ms then 80ms for 1s then 80ms..60ms over 2s",
            "rtt 50ms..250ms over 1500ms then 80ms for 1s then 80ms..60ms over 2s",
        ),
        ("delay 10ms for 5s then 100ms", "rtt 20ms for 5s then 200ms"),
        (
            "delay 10ms for 5s then 100ms delay-up 10ms",
            "delay 10ms for 5s then 100ms delay-up 10ms",
        ),
        (
            "rtt 40ms for 15s then 60ms for 15s repeat",
            "rtt 40ms for 15s then 60ms for 15s repeat",
        ),
        // An odd round trip is split without losing a nanosecond.
        (
            "rtt 3ns..5ns over 1s",
            "delay 0.000001ms..0.000002ms over 1s delay-up 0.000002ms..0.000003ms over 1s",
        ),
        ("rtt 40ms jitter 10ms", "rtt 40ms jitter 10ms"),
        (
            "rtt 40ms jitter 10ms reorder normal",
            "rtt 40ms jitter 10ms normal reorder",
        ),
        (
            "rtt 40ms jitter 10ms jitter-up 0s",
            "rtt 40ms jitter 10ms jitter-up 0ms",
        ),
        ("rtt 40ms jitter 0ms", "rtt 40ms"),
        (
            "rtt 40ms jitter 0ms reorder normal",
            "rtt 40ms jitter 0ms reorder",
        ),
    ] {
        let printed = format!("rate 2mbit {printed} loss 0% queue 1p");
        assert_eq!(in_full(&format!("rate 2mbit {text} queue 1p")), printed);
        assert_eq!(in_full(&printed), printed);
    }
    for (text, printed) in [
        (
            "rate 10mbit for 5s then 2mbit",
            "rate 10mbit for 5s then 2mbit",
        ),
        ("rate 10mbit..1mbit over 20s", "rate 10mbit..1mbit over 20s"),
        (
            "rate 9mbit for 2s then 0mbit for 150ms then 4mbit up 1mbit",
            "rate 9mbit for 2s then 0bit for 150ms then 4mbit up 1mbit",
        ),
        (
            "rate 2mbit up 1mbit..3mbit over 1s then 3mbit..1mbit over 1s repeat bucket 2kb",
            "rate 2mbit up 1mbit..3mbit over 1s then 3mbit..1mbit over 1s repeat \
             rtt 40ms loss 0% queue 1p bucket 2048b bucket-up none",
        ),
    ] {
        let text = format!("{text} rtt 40ms queue 1p");
        assert!(in_full(&text).starts_with(printed), "{}", in_full(&text));
    }
}

#[test]
fn queues_are_read_and_printed() {
    for (text, printed) in [
        ("queue codel", "queue codel"),
        (
            "queue codel target 5ms interval 0.1s limit 1000p",
            "queue codel",
        ),
        (
            "queue codel limit 2bdp target 10ms queue-up 50p",
            "queue codel target 10ms limit 2bdp queue-up 50p",
        ),
        ("queue fq-codel limit 10240p", "queue fq-codel"),
        (
            "queue fq-codel quantum 300b interval 50ms limit 1mb",
            "queue fq-codel interval 50ms limit 1048576b quantum 300b",
        ),
    ] {
        let printed = format!("rate 2mbit rtt 40ms loss 0% {printed}");
        assert_eq!(in_full(&format!("rate 2mbit rtt 40ms {text}")), printed);
        assert_eq!(in_full(&printed), printed);
    }
}

#[test]
fn a_queue_in_bdp_is_sized_for_the_fastest_and_longest_moment() {
    let bytes = |text: &str| parse(text).unwrap().down.queue;
    let bdp = |bytes| {
        Queue::TailDrop(QueueLimit::Bdp {
            multiple: 1.0,
            bytes,
        })
    };
    assert_eq!(bytes("rate 8mbit rtt 50ms..250ms over 10s"), bdp(250_000));
    assert_eq!(
        bytes("rate 8mbit for 1s then 1mbit rtt 100ms"),
        bdp(100_000)
    );
    assert_eq!(
        bytes("rate 1mbit..8mbit over 1s repeat rtt 100ms"),
        bdp(100_000)
    );
    // `rtt` returns the round trip at the start of the run.
    let network = parse("rate 8mbit rtt 50ms..250ms over 10s").unwrap();
    assert_eq!(network.rtt(), Duration::from_millis(50));
}

#[test]
fn an_odd_round_trip_loses_no_nanosecond() {
    assert_eq!(
        parse("rate 2mbit rtt 101ns").unwrap().rtt(),
        Duration::from_nanos(101)
    );
}

#[test]
fn errors_name_the_place_the_word_and_what_would_be_right() {
    for (text, wanted) in [
        ("", "the network is empty"),
        (" \t ", "the network is empty"),
        ("fast-4", "unknown network `fast-4`; did you mean `fast-4g`"),
        ("fats-3g", "did you mean `fast-3g`"),
        ("rat 2mbit", "did you mean `rate`"),
        ("xyzzyxyzzy", "describe one in full"),
        (
            "rate 2mbps rtt 100ms",
            "column 6 of the network: found `2mbps`, expected a rate",
        ),
        ("rate 2mbps rtt 100ms", "write `2mbit`"),
        ("rate 2 rtt 100ms", "with its unit"),
        (
            "rate 2mbit rtt 100",
            "column 16 of the network: found `100`, expected a time",
        ),
        (
            "rate 2mbit rtt 100ms los 2%",
            "column 22 of the network: found `los`, expected `loss`",
        ),
        ("rate 2mbit rtt 100ms loss 2", "column 27"),
        (
            "rate 2mbit rtt 100ms burst 2",
            "expected `loss` and a percentage before it",
        ),
        ("rate 2mbit rtt 100ms loss 2% burst 0.5", "a valid burst"),
        ("rate 2mbit rtt 100ms loss 90% burst 2", "a valid burst"),
        ("rate 2mbit rtt 100ms gemodel 0% 0%", "a chain that moves"),
        (
            "rate 2mbit rtt",
            "the network ends after `rtt`, which needs a time",
        ),
        (
            "rate 2mbit loss 2%",
            "the network has no delay; add for example `rtt 100ms`",
        ),
        (
            "rtt 100ms",
            "the network has no rate; add for example `rate 2mbit`",
        ),
        (
            "rate 2mbit rate 3mbit rtt 1ms",
            "column 12 of the network: `rate` after `rate`",
        ),
        ("rate 2mbit rtt 1ms delay 2ms", "`delay` after `rtt`"),
        (
            "rate 2mbit rtt 1ms loss 1% gemodel 1% 2%",
            "`gemodel` after `loss`",
        ),
        (
            "rate 2mbit rtt 50ms..250ms",
            "the network ends after `50ms..250ms`, which needs `over` and a time",
        ),
        (
            "rate 2mbit rtt 50ms..250ms loss 2%",
            "column 28 of the network: found `loss`, expected `over` and a time",
        ),
        (
            "rate 2mbit rtt 50..250ms over 1s",
            "column 16 of the network: found `50..250ms`, expected a time such as `50ms`, with its unit",
        ),
        (
            "rate 2mbit rtt 5ms for 1s",
            "ends after `1s`, which needs `then` and the next value, or `repeat`",
        ),
        (
            "rate 2mbit rtt 5ms for 1s loss 1%",
            "column 27 of the network: found `loss`, expected `then` and the next value",
        ),
        (
            "rate 2mbit rtt 5ms for 0s then 6ms",
            "column 24 of the network: found `0s`, expected a time above zero",
        ),
        (
            "rate 2mbit rtt 5ms then 6ms",
            "a value with its time before it",
        ),
        (
            "rate 2mbit rtt 5ms for 1s then 6ms then 7ms",
            "a value with its time before it",
        ),
        (
            "rate 2mbit rtt 5ms repeat",
            "a value with its time before it",
        ),
        ("rate 2mbit rtt 5ms over 1s", "a ramp before it"),
        (
            "rate 2mbit rtt 1ms for 1s then 5ms..6ms over 1s after 1s",
            "a ramp before it",
        ),
        (
            "rate 0mbit rtt 5ms",
            "a rate such as `2mbit` or `750kbit`, from 1bit",
        ),
        (
            "rate 1mbit for 1s then 0mbit rtt 5ms",
            "column 6 of the network: found `1mbit`, expected valid rates; it stays at zero",
        ),
        (
            "rate 0mbit for 1s repeat rtt 5ms",
            "no rate in it is above zero",
        ),
        (
            "rate 1mbit for 1s then 2mbit rtt 5ms bucket 1514b",
            "the downlink follows a schedule",
        ),
        (
            "rate 2mbit rtt 1ms jitter 10",
            "expected a time such as `50ms`, with its unit",
        ),
        ("rate 2mbit rtt 1ms jiter 10ms", "expected `jitter`"),
        (
            "rate 2mbit rtt 1ms reorder",
            "`jitter` and a time before it",
        ),
        (
            "rate 2mbit rtt 1ms jitter 1ms reorder reorder",
            "column 39 of the network: `reorder` after `reorder`",
        ),
        ("rate 2mbit rtt 1ms codel", "`queue` before it"),
        ("rate 2mbit rtt 1ms queue cdel", "`codel` or `fq-codel`"),
        ("rate 2mbit rtt 1ms queue", "which needs a queue such as"),
        ("rate 2mbit rtt 1ms target 5ms", "`queue codel` before it"),
        (
            "rate 2mbit rtt 1ms queue codel quantum 300b",
            "`queue fq-codel` before it",
        ),
        (
            "rate 2mbit rtt 1ms queue codel target 0ms",
            "a time above zero",
        ),
        (
            "rate 2mbit rtt 1ms queue codel limit codel",
            "a limit such as",
        ),
        (
            "rate 2mbit rtt 1ms queue fq-codel quantum 255b",
            "at least 256b",
        ),
        (
            "rate 2mbit rtt 1ms queue codel limit 1p limit 2p",
            "`limit` after `limit`",
        ),
        ("rate 2mbit rtt 1ms queue 100", "a queue such as"),
        (
            "rate 2mbit rtt 1ms queue 100b",
            "no room for a packet of 1500",
        ),
        ("rate 2mbit rtt 1ms bucket 100b", "at least 1500b"),
        ("rate trace:/no/such rtt 1ms", "trace /no/such: "),
        (
            "fast-4g slow-3g",
            "column 9 of the network: found `slow-3g`, expected one of rate",
        ),
        (
            "fäst-4g ü",
            "unknown network `fäst-4g`; did you mean `fast-4g`",
        ),
    ] {
        let got = error(text);
        assert!(
            got.contains(wanted),
            "{text:?}\n  says {got}\n  not  {wanted}"
        );
    }
}

#[test]
fn a_trace_is_read_from_its_path_even_with_spaces() {
    let folder = std::env::temp_dir().join(format!("pagerace net {}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("twelve.trace");
    std::fs::write(&path, "1\n").unwrap();
    let text = format!("rate trace:\"{}\" rtt 40ms loss 1%", path.display());
    let network = parse(&text).unwrap();
    assert_eq!(network.down, network.up);
    assert_eq!(network.down.rate.mean().bits_per_second(), 12_000_000);
    assert_eq!(
        network.down.queue,
        Queue::TailDrop(QueueLimit::Bdp {
            multiple: 1.0,
            bytes: 60_000
        })
    );
    let again = parse(&network.to_string()).unwrap();
    assert_eq!((again.down, again.up), (network.down, network.up));
    let bucket = error(&format!("{text} bucket 1514b"));
    assert!(bucket.contains("the downlink follows a trace"), "{bucket}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Returns schedules of these values. All are valid because the last word is a value or
/// `repeat`.
fn series(value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let span = (1..3_600_000_u32).prop_map(|ms| format!("{ms}ms"));
    let piece = prop_oneof![
        (value.clone(), span.clone()).prop_map(|(v, t)| format!("{v} for {t}")),
        (value.clone(), value.clone(), span.clone())
            .prop_map(|(a, b, t)| format!("{a}..{b} over {t}")),
    ];
    let end = prop_oneof![
        value.prop_map(|v| format!(" then {v}")),
        Just(" repeat".to_owned()),
    ];
    (prop::collection::vec(piece, 1..4), end)
        .prop_map(|(pieces, end)| format!("{}{end}", pieces.join(" then ")))
        .boxed()
}

/// Returns valid descriptions, composed from the pieces of the grammar.
fn descriptions() -> impl Strategy<Value = String> {
    let rate = || {
        (
            1..5_000_000_u32,
            prop::sample::select(vec!["bit", "kbit", "mbit"]),
        )
    };
    let rate = || rate().prop_map(|(n, unit)| format!("{}{unit}", f64::from(n) / 8.0 + 1.0));
    let time = || (0..2_000_000_000_u64).prop_map(|ns| format!("{}us", ns as f64 / 1e3));
    let percent = || (0..=1_000_000_000_u64).prop_map(|b| format!("{}%", b as f64 / 1e7));
    let some_percent = || (1..=999_999_u64).prop_map(|b| format!("{}%", b as f64 / 1e4));
    let loss = move || {
        prop_oneof![
            percent().prop_map(|p| format!("loss {p}")),
            (1..500_u32, 1.0..500.0_f64)
                .prop_map(|(p, n)| format!("loss {}% burst {n}", f64::from(p) / 10.0)),
            (some_percent(), some_percent()).prop_map(|(p, r)| format!("gemodel {p} {r}")),
            (some_percent(), percent(), percent(), percent())
                .prop_map(|(p, r, h, k)| format!("gemodel {p} {r} {h} {k}")),
        ]
    };
    let limit = || {
        prop_oneof![
            (1..9_999_u32).prop_map(|n| format!("{n}p")),
            (1_500..99_999_u32).prop_map(|n| format!("{n}b")),
            (2..9_999_u32).prop_map(|n| format!("{n}kb")),
            (0.01..50.0_f64).prop_map(|x| format!("{x}bdp")),
        ]
    };
    let control = move || {
        let time = || (1..300_000_u32).prop_map(|us| format!("{us}us"));
        let parts = (
            prop::option::of(time().prop_map(|t| format!(" target {t}"))),
            prop::option::of(time().prop_map(|t| format!(" interval {t}"))),
            prop::option::of(limit().prop_map(|l| format!(" limit {l}"))),
        );
        parts.prop_map(|(t, i, l)| [t, i, l].into_iter().flatten().collect::<String>())
    };
    let queue = move || {
        prop_oneof![
            3 => limit(),
            1 => control().prop_map(|c| format!("codel{c}")),
            1 => (control(), 256..9_999_u32)
                .prop_map(|(c, quantum)| format!("fq-codel{c} quantum {quantum}b")),
        ]
    };
    let jitter = || {
        let options = prop::sample::select(vec!["", " normal", " reorder", " reorder normal"]);
        (0..90_000_u32, options).prop_map(|(us, options)| format!("{us}us{options}"))
    };
    let bucket = || (1_500..99_999_u32).prop_map(|n| format!("{n}b"));
    let or_none = move || prop_oneof![bucket(), Just("none".to_owned())];
    let word = |name: &'static str, value: BoxedStrategy<String>| {
        prop::option::of(value.prop_map(move |v| format!(" {name} {v}")))
    };
    let up = |text: String| {
        text.replace("loss ", "loss-up ")
            .replace("gemodel ", "gemodel-up ")
    };
    let times = move || series(time().boxed());
    let delays = prop_oneof![
        times().prop_map(|t| format!(" rtt {t}")),
        (times(), times()).prop_map(|(d, u)| format!(" delay {d} delay-up {u}")),
        time().prop_map(|t| format!(" rtt {t}")),
        (time(), time()).prop_map(|(d, u)| format!(" delay {d} delay-up {u}")),
    ];
    let parts = (
        prop_oneof![rate().boxed(), series(rate().boxed())],
        word(
            "up",
            prop_oneof![rate().boxed(), series(rate().boxed())].boxed(),
        ),
        delays,
        word("jitter", jitter().boxed()),
        word("jitter-up", jitter().boxed()),
        prop::option::of(loss().prop_map(|l| format!(" {l}"))),
        prop::option::of(loss().prop_map(move |l| format!(" {}", up(l)))),
        word("queue", queue().boxed()),
        word("queue-up", queue().boxed()),
        word("bucket", or_none().boxed()),
        word("bucket-up", or_none().boxed()),
    );
    parts.prop_map(
        |(
            rate,
            up,
            delays,
            jitter,
            jitter_up,
            loss,
            loss_up,
            queue,
            queue_up,
            bucket,
            bucket_up,
        )| {
            // A bucket on a changing rate would be rejected.
            let changes = |rate: &str| rate.contains(" for ") || rate.contains(" over ");
            let constant = !changes(&rate) && !up.as_deref().is_some_and(changes);
            let (bucket, bucket_up) = if constant {
                (bucket, bucket_up)
            } else {
                (None, None)
            };
            let options = [
                up,
                Some(delays),
                jitter,
                jitter_up,
                loss,
                loss_up,
                queue,
                queue_up,
                bucket,
                bucket_up,
            ];
            format!(
                "rate {rate}{}",
                options.into_iter().flatten().collect::<String>()
            )
        },
    )
}

proptest! {
    #[test]
    fn what_is_printed_parses_back_to_the_same_links(text in descriptions()) {
        let network = parse(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        let printed = network.to_string();
        let again = parse(&printed).map_err(|e| TestCaseError::fail(format!("{printed}: {e}")))?;
        prop_assert_eq!((&network.down, &network.up), (&again.down, &again.up), "{}", printed);
        prop_assert_eq!(again.to_string(), printed);
        // The network also survives serialisation to JSON.
        let json = serde_json::to_string(&network).expect("serialises");
        prop_assert_eq!(serde_json::from_str::<Network>(&json).expect("reads back"), network);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,80}") {
        if let Ok(network) = parse(&text) {
            parse(&network.to_string()).expect("prints what it reads");
        }
    }

    #[test]
    fn no_sequence_of_words_makes_the_parser_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "rate", "up", "rtt", "delay", "delay-up", "loss", "burst", "loss-up", "gemodel",
            "queue", "bucket", "fast-4g", "2mbit", "100ms", "0%", "2%", "100%", "1bdp", "1p",
            "1514b", "none", "for", "then", "over", "after", "repeat", "1ms..9ms", "5s", "jitter",
            "reorder", "normal", "codel", "fq-codel", "target", "limit", "0mbit", "..", "trace:", "trace:\"", "0", "1e9", ".", "%", "0.0000000001ms", "\"",
        ]), 0..14),
    ) {
        if let Ok(network) = parse(&words.join(" ")) {
            let again = parse(&network.to_string()).expect("prints what it reads");
            prop_assert_eq!((network.down, network.up), (again.down, again.up));
        }
    }
}
