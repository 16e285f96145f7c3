use super::{Unit, percent, probability, signed_percent};

#[test]
fn milliseconds_change_their_step() {
    assert_eq!(Unit::Milliseconds.format(3.26), "3.3 ms");
    assert_eq!(Unit::Milliseconds.format(9.96), "10 ms");
    assert_eq!(Unit::Milliseconds.format(1234.4), "1234 ms");
    assert_eq!(Unit::Milliseconds.format(9999.4), "9999 ms");
    assert_eq!(Unit::Milliseconds.format(9999.6), "10.00 s");
    assert_eq!(Unit::Milliseconds.format(f64::INFINITY), "∞");
}

#[test]
fn bytes_and_counts() {
    assert_eq!(Unit::Bytes.format(999.0), "999 B");
    assert_eq!(Unit::Bytes.format(1500.0), "1.5 kB");
    assert_eq!(Unit::Bytes.format(4_800_000.0), "4.80 MB");
    assert_eq!(Unit::Count.format(12.5), "12.5");
    assert_eq!(Unit::Count.format(4000.0), "4000");
}

#[test]
fn a_column_shares_its_step() {
    let scale = Unit::Milliseconds.scale(12_000.0);
    assert_eq!(scale.format(9_000.0), "9.00 s");
    assert_eq!(scale.format_signed(500.0), "+0.50 s");
    assert_eq!(scale.format_signed(-500.0), "-0.50 s");
    assert_eq!(scale.format_range(-500.0, 0.1), "-0.50 to 0.00 s");
    assert_eq!(
        scale.format_plain_range(500.0, f64::INFINITY),
        "0.50 to ∞ s"
    );
}

#[test]
fn zero_has_no_sign() {
    let scale = Unit::Milliseconds.scale(100.0);
    assert_eq!(scale.format_signed(-0.2), "0 ms");
    assert_eq!(scale.format_signed(0.0), "0 ms");
    assert_eq!(signed_percent(-0.0001), "0 %");
    assert_eq!(signed_percent(0.081), "+8.1 %");
}

#[test]
fn per_cent_and_probability() {
    assert_eq!(percent(0.081), "8.1 %");
    assert_eq!(percent(-0.125), "-12 %");
    assert_eq!(percent(1.5), "150 %");
    assert_eq!(probability(0.0004), "< 0.001");
    assert_eq!(probability(0.0123), "0.012");
}
