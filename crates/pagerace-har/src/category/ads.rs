//! Detection of advertisement and analytics by URL.
//!
//! The list is short and our own: domains of well-known companies that serve little else,
//! and words that are typical of hosts and paths of such URLs. It does not replace a
//! filter list of a hundred thousand rules: it finds the services that most pages share,
//! and misses the rest. Cosmetic rules and exceptions are not supported.

mod domains;

use url::Url;

use crate::domain;

/// Path prefixes of services that share a domain with content.
const PREFIXES: &[&str] = &[
    "bing.com/bat.js",
    "facebook.com/tr",
    "google.com/adsense",
    "google.com/ads/",
    "google.com/ccm/",
    "google.com/gen_204",
    "google.com/log",
    "google.com/pagead/",
    "google.com/recaptcha/api2/logo",
    "google.com/uds/afs",
    "linkedin.com/px",
    "pinterest.com/ct",
    "reddit.com/pixel",
    "twitter.com/i/adsct",
    "x.com/i/adsct",
    "yahoo.com/p.gif",
    "youtube.com/api/stats",
    "youtube.com/pagead/",
    "youtube.com/ptracking",
];

/// Host labels, below any registrable domain, of hosts that serve ads or count visits.
const LABELS: &[&str] = &[
    "ad",
    "ads",
    "adimg",
    "adimages",
    "adlog",
    "adserver",
    "adservice",
    "adservices",
    "adserv",
    "adstatic",
    "adtech",
    "adv",
    "adx",
    "affiliate",
    "affiliates",
    "analytics",
    "banner",
    "banners",
    "beacon",
    "beacons",
    "collector",
    "doubleclick",
    "metrics",
    "omniture",
    "pagead",
    "pixel",
    "pixels",
    "pubads",
    "rtb",
    "securepubads",
    "smetrics",
    "sponsor",
    "sponsors",
    "stat",
    "stats",
    "telemetry",
    "track",
    "tracker",
    "tracking",
    "trk",
    "webstats",
];

/// Whole path segments (without extension) that indicate ads or tracking.
const SEGMENTS: &[&str] = &[
    "300x250",
    "300x600",
    "728x90",
    "ad",
    "adblock",
    "adclick",
    "adframe",
    "adimages",
    "adimg",
    "adjs",
    "adlog",
    "admanager",
    "adrequest",
    "ads",
    "adsbygoogle",
    "adscript",
    "adsense",
    "adserve",
    "adserver",
    "adservice",
    "adtag",
    "adtech",
    "adunit",
    "adv",
    "advert",
    "advertise",
    "advertisement",
    "advertisements",
    "advertiser",
    "advertising",
    "adverts",
    "adview",
    "adx",
    "afr",
    "analytics",
    "atrk",
    "banner",
    "banners",
    "bannerads",
    "beacon",
    "chartbeat",
    "comscore",
    "doubleclick",
    "dfp",
    "ezoic",
    "fbevents",
    "fingerprint",
    "fpb",
    "ga",
    "gampad",
    "generate_204",
    "gen_204",
    "getad",
    "getads",
    "google-analytics",
    "googletag",
    "gpt",
    "gtag",
    "gtm",
    "hitcount",
    "house-ads",
    "mixpanel",
    "openx",
    "optimizely",
    "pagead",
    "piwik",
    "matomo",
    "pixel",
    "pingd",
    "popunder",
    "popup-ads",
    "prebid",
    "promo-ads",
    "publicidad",
    "publicidade",
    "pubads",
    "quant",
    "rum",
    "show_ads",
    "showad",
    "showads",
    "sponsor",
    "sponsored",
    "sponsors",
    "spc",
    "stat",
    "stats",
    "targeting-ads",
    "textads",
    "track",
    "tracker",
    "tracking",
    "trk",
    "utag",
    "vast",
    "videoads",
    "vpaid",
    "web-vitals-beacon",
    "webtrends",
    "werbung",
    "yads",
];

/// Words that indicate ads or tracking if no letter precedes or follows them.
const WORDS: &[&str] = &[
    "adsense",
    "adserver",
    "adserving",
    "adsystem",
    "advert",
    "advertisement",
    "analytics",
    "beacon",
    "chartbeat",
    "doubleclick",
    "googleads",
    "googletag",
    "prebid",
    "telemetry",
    "tracking",
    "webtrekk",
];

/// Returns true if `url` serves advertisement or analytics.
///
/// For third parties, a typical word in the path is sufficient. For the first party, the
/// word must be a whole path segment that unambiguously indicates ads.
pub fn is_ad(url: &str, third_party: bool) -> bool {
    ad_sign(url, third_party).is_some()
}

/// Returns the domain or word that identifies `url` as advertisement or analytics; `None`
/// if there is none.
pub fn ad_sign(url: &str, third_party: bool) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let host = host.strip_suffix('.').unwrap_or(host);
    let in_name = || by_label(host).map(|label| format!("\"{label}\" in the host's name"));
    let in_path = || by_path(url.path(), third_party).map(|s| format!("\"{s}\" in the path"));
    let known = by_domain(host).or_else(|| by_prefix(host, &url));
    known.map(str::to_owned).or_else(in_name).or_else(in_path)
}

fn by_domain(host: &str) -> Option<&str> {
    let listed = |name: &str| domains::DOMAINS.binary_search(&name).is_ok();
    // The list has registrable domains and some hosts below them.
    let mut rest = host;
    loop {
        if listed(rest) {
            return Some(rest);
        }
        match rest.split_once('.') {
            Some((_, parent)) if parent.contains('.') => rest = parent,
            _ => return None,
        }
    }
}

fn by_prefix(host: &str, url: &Url) -> Option<&'static str> {
    let tail = domain::registrable(host);
    let fits = |prefix: &&&str| {
        let (domain, path) = prefix.split_once('/').unwrap_or((prefix, ""));
        domain == tail && url.path()[1.min(url.path().len())..].starts_with(path)
    };
    PREFIXES.iter().find(fits).copied()
}

fn by_label(host: &str) -> Option<&str> {
    let registrable = domain::registrable(host);
    let below = host
        .strip_suffix(registrable)
        .unwrap_or_default()
        .trim_end_matches('.');
    below.split('.').find(|label| {
        let label = label.trim_end_matches(|c: char| c.is_ascii_digit());
        LABELS.contains(&label) || WORDS.iter().any(|w| has_word(label, w))
    })
}

fn by_path(path: &str, third_party: bool) -> Option<String> {
    let path = path.to_ascii_lowercase();
    let mut segments = path.split('/').enumerate();
    let found = segments.find(|&(i, segment)| {
        let (stem, extension) = segment.split_once('.').unwrap_or((segment, ""));
        let plain = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let word = if SEGMENTS.contains(&stem) {
            stem
        } else {
            plain
        };
        // One or two letters further down a path are usually a shard of a hash.
        let chance = word.len() <= 2 && i > 1 && extension.is_empty();
        let whole = !word.is_empty() && !chance && SEGMENTS.contains(&word);
        if third_party {
            return whole || WORDS.iter().any(|w| has_word(segment, w));
        }
        // A site's own /analytics or /track may be a page about that topic.
        whole && is_plainly_for_ads(plain)
    });
    found.map(|(_, segment)| segment.to_owned())
}

/// Returns true for segments that indicate ads even on the page's own site.
fn is_plainly_for_ads(segment: &str) -> bool {
    matches!(
        segment,
        "ads"
            | "adserver"
            | "adserve"
            | "adsense"
            | "adsbygoogle"
            | "advertisement"
            | "advertisements"
            | "advertising"
            | "banners"
            | "bannerads"
            | "ezoic"
            | "gampad"
            | "house-ads"
            | "pagead"
            | "prebid"
            | "publicidade"
            | "publicidad"
            | "pubads"
            | "show_ads"
            | "showads"
            | "sponsors"
            | "vpaid"
            | "google-analytics"
            | "chartbeat"
            | "gtm"
            | "piwik"
            | "matomo"
    )
}

/// Returns true if `text` contains `word` with no letter before or after it.
fn has_word(text: &str, word: &str) -> bool {
    let bounded = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphabetic());
    text.match_indices(word).any(|(at, _)| {
        bounded(text[..at].chars().next_back()) && bounded(text[at + word.len()..].chars().next())
    })
}

/// Returns true if the list is sorted, as the binary search requires.
#[cfg(test)]
pub(super) fn domains_are_sorted() -> bool {
    domains::DOMAINS.is_sorted_by(|a, b| a < b)
}
