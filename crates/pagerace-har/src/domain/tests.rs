use super::*;

#[test]
fn the_registrable_domain_follows_the_public_suffix_list() {
    assert_eq!(registrable("www.bbc.co.uk"), "bbc.co.uk");
    assert_eq!(registrable("a.b.example.com."), "example.com");
    assert_eq!(
        registrable("user.github.io"),
        "user.github.io",
        "a private suffix"
    );
    assert_eq!(registrable("localhost"), "localhost");
    assert_eq!(registrable("192.0.2.7"), "192.0.2.7");
    assert_eq!(registrable("[2001:db8::1]"), "[2001:db8::1]");
    assert_eq!(registrable("co.uk"), "co.uk");
    assert_eq!(registrable(""), "");
}

#[test]
fn third_party_compares_registrable_domains() {
    assert!(!is_third_party("cdn.Example.com", "www.example.com"));
    assert!(is_third_party("example.net", "example.com"));
    assert!(is_third_party("one.github.io", "two.github.io"));
    assert!(is_third_party("192.0.2.7", "192.0.2.8"));
}
