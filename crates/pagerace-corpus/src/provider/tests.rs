use std::collections::BTreeSet;

use super::{PROVIDERS, Provider};

fn of_fields(fields: &[(&str, &str)]) -> Option<&'static str> {
    let fields: Vec<(String, String)> = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Provider::of_fields(&fields).map(|provider| provider.name)
}

fn of_host(host: &str) -> Option<&'static str> {
    Provider::of_host(host).map(|provider| provider.name)
}

#[test]
fn fields_name_the_edge() {
    for (fields, name) in [
        (&[("cf-ray", "8e2c-ARN")][..], Some("Cloudflare")),
        (&[("server", "AkamaiGHost")], Some("Akamai")),
        (
            &[("x-served-by", "cache-bma1677-BMA"), ("x-cache", "HIT")],
            Some("Fastly"),
        ),
        (&[("server", "sffe")], Some("Google")),
        (&[("via", "1.1 google")], None),
        // Cloudflare stands before CloudFront.
        (
            &[("x-amz-cf-id", "a=="), ("server", "Cloudflare")],
            Some("Cloudflare"),
        ),
        // Many servers have these.
        (&[("x-served-by", "web-7"), ("x-cache", "HIT")], None),
        (&[("via", "1.1 varnish")], None),
        (&[("server", "nginx")], None),
    ] {
        assert_eq!(of_fields(fields), name, "{fields:?}");
    }
}

#[test]
fn hosts_belong_to_domains() {
    for (host, name) in [
        ("fonts.gstatic.com", Some("Google")),
        ("www.google.co.uk", Some("Google")),
        ("D1.CloudFront.net.", Some("Amazon CloudFront")),
        ("fbcdn.net", Some("Facebook")),
        ("notfbcdn.net", None),
        ("google.example.com", None),
        ("127.0.0.1", None),
    ] {
        assert_eq!(of_host(host), name, "{host}");
    }
}

#[test]
fn the_table_is_whole() {
    let names: BTreeSet<_> = PROVIDERS.iter().map(|provider| provider.name).collect();
    assert_eq!((names.len(), PROVIDERS.len()), (30, 30));
    let word = |text: &str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        !text.is_empty() && text.chars().all(plain)
    };
    for provider in PROVIDERS.iter() {
        let fields = || provider.fields.iter().flatten();
        assert!(fields().all(|(name, _)| word(name)), "{provider:?}");
        let texts = fields().all(|(_, text)| !text.contains(['|', '&']) && text.trim() == *text);
        assert!(texts, "{provider:?}");
        let domains = || provider.domains.iter();
        let plain = domains().all(|domain| word(domain) && domain.contains('.'));
        assert!(plain && domains().len() > 0, "{provider:?}");
    }
}
