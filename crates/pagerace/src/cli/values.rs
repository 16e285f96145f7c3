//! Values with units.

use pagerace_core::Duration;

/// Parses a positive time with its unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("min", 60_000.0), ("s", 1_000.0), ("h", 3.6e6)];
    let parse = |(unit, millis): &(&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * millis)
    };
    match UNITS.iter().find_map(parse) {
        // A day of virtual time is longer than any page load.
        Some(millis) if (1.0..=8.64e7).contains(&millis) => Ok(Duration::from_millis_f64(millis)),
        Some(_) => Err("not between 1ms and 24h".to_owned()),
        None => Err("not a time; write it as 90s, 5min or 800ms".to_owned()),
    }
}

/// Parses a number of bytes with its unit.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    const NOTHING: &str = "not more than zero; write it as 50MB, 500kB or 10MiB";
    const UNITS: [(&str, f64); 7] = [
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("B", 1.0),
    ];
    let parse = |(unit, bytes): &(&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * bytes)
    };
    match UNITS.iter().find_map(parse) {
        Some(bytes) if (1.0..=1e11).contains(&bytes) => return Ok(bytes.round() as u64),
        Some(0.0) => return Err(NOTHING.to_owned()),
        Some(_) => return Err("not between 1B and 100GB".to_owned()),
        None => {}
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = (digits.trim_end(), text[digits.len()..].to_ascii_lowercase());
    let means = |(name, _): &&(&str, f64)| {
        let name = name.to_ascii_lowercase();
        !unit.is_empty() && (name == unit || name.strip_suffix('b') == Some(&unit))
    };
    Err(match (number.parse::<f64>(), UNITS.iter().find(means)) {
        (Ok(0.0), _) => NOTHING.to_owned(),
        (Ok(_), Some((name, _))) => format!("not a size; did you mean {number}{name}?"),
        (Ok(_), None) if unit.is_empty() => {
            format!("a size needs a unit; did you mean {number}MB?")
        }
        _ => "not a size; write it as 50MB, 500kB or 10MiB".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_need_a_unit() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("5min"), Ok(Duration::from_secs(300)));
        assert_eq!(duration("800 ms"), Ok(Duration::from_millis(800)));
        assert_eq!(duration("1h"), Ok(Duration::from_secs(3600)));
        for wrong in ["90", "", "s", "-1s", "0s", "NaNs", "infs", "25h", "1 day"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_need_a_unit() {
        assert_eq!(size("50MB"), Ok(50_000_000));
        assert_eq!(size("1.5 kB"), Ok(1_500));
        assert_eq!(size("10MiB"), Ok(10_485_760));
        assert_eq!(size("7B"), Ok(7));
        for wrong in [
            "50", "", "MB", "-1MB", "0B", "NaNMB", "infGB", "1TB", "200GB",
        ] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        let said = |text: &str| size(text).unwrap_err();
        assert!(said("5mb").ends_with("did you mean 5MB?"));
        assert!(said("1.5 KB").ends_with("did you mean 1.5kB?"));
        assert!(said("10mib").ends_with("did you mean 10MiB?"));
        assert!(said("5G").ends_with("did you mean 5GB?"));
        assert!(said("50").ends_with("did you mean 50MB?"));
        assert!(said("MB").starts_with("not a size; write"));
        assert!(said("10mbit").starts_with("not a size; write"));
        for nothing in ["0", "0MB", "0.0 kb", "0 parsecs"] {
            assert!(said(nothing).starts_with("not more than zero"), "{nothing}");
        }
    }
}
