use pagerace_core::Duration;
use proptest::prelude::*;

use super::*;
use crate::link::Rate;
use crate::loss::Loss;
use crate::queue::QueueLimit;

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
        QueueLimit::Bdp {
            multiple: 1.0,
            bytes: 25_000
        }
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
    assert_eq!(network.down.loss.mean_burst(), Some(10.0));
    assert!(matches!(network.up.loss, Loss::Random(_)));
    assert_eq!(network.down.queue, QueueLimit::Packets(100));
    assert_eq!(network.up.queue, QueueLimit::Bytes(65_536));
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
        in_full("sander-2mbit rate 3mbit bucket none"),
        "rate 3mbit rtt 100ms loss 0% queue 1bdp"
    );
    assert_eq!(
        in_full("fast-4g delay 5ms"),
        "rate 9mbit up 1.5mbit rtt 10ms loss 0% queue 50p"
    );
    assert_eq!(parse("  fast-4g loss 1% ").unwrap().name, "fast-4g loss 1%");
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
        (
            "fast-4",
            "no network is called `fast-4`; did you mean `fast-4g`",
        ),
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
        (
            "rate 2mbit rtt 100ms loss 2% burst 0.5",
            "a burst that can be",
        ),
        (
            "rate 2mbit rtt 100ms loss 90% burst 2",
            "a burst that can be",
        ),
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
            "no network is called `fäst-4g`; did you mean `fast-4g`",
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
        QueueLimit::Bdp {
            multiple: 1.0,
            bytes: 60_000
        }
    );
    let again = parse(&network.to_string()).unwrap();
    assert_eq!((again.down, again.up), (network.down, network.up));
    let bucket = error(&format!("{text} bucket 1514b"));
    assert!(bucket.contains("the downlink follows a trace"), "{bucket}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Descriptions that are right, from the pieces of the grammar.
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
    let queue = || {
        prop_oneof![
            (1..9_999_u32).prop_map(|n| format!("{n}p")),
            (1_500..99_999_u32).prop_map(|n| format!("{n}b")),
            (2..9_999_u32).prop_map(|n| format!("{n}kb")),
            (0.01..50.0_f64).prop_map(|x| format!("{x}bdp")),
        ]
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
    let delays = prop_oneof![
        time().prop_map(|t| format!(" rtt {t}")),
        (time(), time()).prop_map(|(d, u)| format!(" delay {d} delay-up {u}")),
    ];
    let parts = (
        rate(),
        word("up", rate().boxed()),
        delays,
        prop::option::of(loss().prop_map(|l| format!(" {l}"))),
        prop::option::of(loss().prop_map(move |l| format!(" {}", up(l)))),
        word("queue", queue().boxed()),
        word("queue-up", queue().boxed()),
        word("bucket", or_none().boxed()),
        word("bucket-up", or_none().boxed()),
    );
    parts.prop_map(
        |(rate, up, delays, loss, loss_up, queue, queue_up, bucket, bucket_up)| {
            let options = [
                up,
                Some(delays),
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
        // And through a result file.
        let json = serde_json::to_string(&network).expect("serialises");
        prop_assert_eq!(serde_json::from_str::<Network>(&json).expect("reads back"), network);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,80}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_sequence_of_words_makes_the_parser_panic(
        words in prop::collection::vec(prop::sample::select(vec![
            "rate", "up", "rtt", "delay", "delay-up", "loss", "burst", "loss-up", "gemodel",
            "queue", "bucket", "fast-4g", "2mbit", "100ms", "0%", "2%", "100%", "1bdp", "1p",
            "1514b", "none", "trace:", "trace:\"", "0", "1e9", ".", "%", "0.0000000001ms", "\"",
        ]), 0..14),
    ) {
        if let Ok(network) = parse(&words.join(" ")) {
            let again = parse(&network.to_string()).expect("prints what it reads");
            prop_assert_eq!((network.down, network.up), (again.down, again.up));
        }
    }
}
