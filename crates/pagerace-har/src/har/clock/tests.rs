use super::*;

#[test]
fn zones_and_fractions() {
    assert_eq!(parse_millis("1970-01-01T00:00:00.000Z"), Some(0.0));
    assert_eq!(
        parse_millis("2000-03-01T00:00:00Z"),
        Some(951_868_800_000.0)
    );
    assert_eq!(
        parse_millis("2024-07-11T04:00:51.471Z"),
        Some(1_720_670_451_471.0)
    );
    let west = parse_millis("2026-03-27T17:36:33.948-04:00");
    assert_eq!(west, parse_millis("2026-03-27T21:36:33.948Z"));
    assert_eq!(
        parse_millis("2015-08-29T19:47:08.963+00:00"),
        parse_millis("2015-08-29T19:47:08.963")
    );
    assert_eq!(
        parse_millis("2017-06-28T03:15:03+0200"),
        parse_millis("2017-06-28T01:15:03Z")
    );
}

#[test]
fn what_is_no_time_is_refused() {
    for bad in [
        "",
        "yesterday",
        "2024-13-01T00:00:00Z",
        "2024-01-01",
        "2024-01-01T99:00:00Z",
        "2024-01-01T00:00:00+ab",
        "2024-01-01T00:00:é0Z",
        "99999-01-01T00:00:00Z",
        "2024-01-01T00:00:00+1",
    ] {
        assert_eq!(parse_millis(bad), None, "{bad}");
    }
}
