use super::*;

#[test]
fn rates_are_read_and_printed_as_tc_does() {
    for (text, bits, printed, human) in [
        ("2mbit", 2_000_000, "2mbit", "2 Mbit/s"),
        ("1.6384Mbit", 1_638_400, "1.6384mbit", "1.6384 Mbit/s"),
        ("384kbit", 384_000, "384kbit", "384 kbit/s"),
        ("0.75mbit", 750_000, "750kbit", "750 kbit/s"),
        ("999bit", 999, "999bit", "999 bit/s"),
        ("1gbit", 1_000_000_000, "1gbit", "1 Gbit/s"),
        (
            "1.0000019mbit",
            1_000_002,
            "1.000002mbit",
            "1.000002 Mbit/s",
        ),
    ] {
        let rate = parse_rate(text).unwrap();
        assert_eq!(rate.bits_per_second(), bits, "{text}");
        assert_eq!(rate.to_string(), printed);
        assert_eq!(rate.to_human(), human);
        assert_eq!(parse_rate(printed).unwrap(), rate);
    }
}

#[test]
fn megabytes_that_look_like_megabits_are_refused_with_the_right_spelling() {
    let why = parse_rate("2mbps").unwrap_err();
    assert!(why.contains("write `2mbit`"), "{why}");
}

#[test]
fn rates_without_unit_sense_or_size_are_refused() {
    for text in [
        "2", "mbit", "", "0mbit", "-1mbit", "2..5mbit", "1e6bit", "2 mbit", "1001gbit", "0.4bit",
    ] {
        assert!(parse_rate(text).is_err(), "{text}");
    }
    let huge = format!("{}gbit", "9".repeat(40));
    assert!(parse_rate(&huge).is_err());
}

#[test]
fn delays_are_exact_to_the_nanosecond() {
    for (text, ns) in [
        ("50ms", 50_000_000),
        ("0.0000015s", 1_500),
        ("12us", 12_000),
        ("7ns", 7),
    ] {
        let delay = parse_delay(text).unwrap();
        assert_eq!(delay.as_nanos(), ns, "{text}");
        assert_eq!(parse_delay(&delay_text(delay)).unwrap(), delay);
    }
    assert!(parse_delay("50").unwrap_err().contains("with its unit"));
    assert!(parse_delay("3601s").is_err());
}

#[test]
fn percentages_hold_netems_seven_decimals() {
    let p = parse_percent("0.4081632%").unwrap();
    assert_eq!(p.billionths(), 4_081_632);
    assert_eq!(p.to_string(), "0.4081632%");
    assert_eq!(parse_percent("100%").unwrap(), Probability::ONE);
    for text in ["2", "101%", "%", "100.0000001%", "-1%"] {
        assert!(parse_percent(text).is_err(), "{text}");
    }
}

#[test]
fn sizes_are_powers_of_two_as_in_tc() {
    assert_eq!(parse_bytes("64kb"), Some(65_536));
    assert_eq!(parse_bytes("1.5k"), Some(1_536));
    assert_eq!(parse_bytes("1mb"), Some(1_048_576));
    assert_eq!(parse_bytes("1514b"), Some(1_514));
    assert_eq!(parse_bytes("1514"), None);
    assert_eq!(parse_bytes("99999999999999999mb"), None);
}

#[test]
fn impossible_values_are_refused_when_deserialised() {
    assert!(serde_json::from_str::<BitRate>("0").is_err());
    assert!(serde_json::from_str::<Probability>("1000000001").is_err());
}
