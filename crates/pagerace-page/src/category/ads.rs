//! Whether a URL is advertisement or analytics.
//!
//! A short list of our own: domains of well-known companies that serve little
//! else, and words that such URLs have in host or path. No replacement for a
//! filter list of a hundred thousand rules: it finds what most pages share and
//! is silent about the rest. Leaves out cosmetic rules and exceptions.

mod domains;

use url::Url;

use crate::domain;

/// Paths of services that share a domain with content.
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

/// First labels of hosts that serve ads or count visits, whatever the domain.
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

/// Whole segments of a path (without extension) that mean ads or counting.
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

/// Words that mean it at the edge of a name: before or behind a separator.
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

/// Whether `url` is advertisement or analytics.
///
/// The words in paths count for third parties, and for the first party only
/// where they make up a whole segment of what is plainly for ads.
pub fn is_ad(url: &str, third_party: bool) -> bool {
    ad_sign(url, third_party).is_some()
}

/// By which domain or word `url` is told to be advertisement or analytics;
/// `None` if it is not.
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
        // Two letters in the middle of a path are shards of a hash.
        let chance = word.len() <= 2 && i > 1 && extension.is_empty();
        let whole = !word.is_empty() && !chance && SEGMENTS.contains(&word);
        if third_party {
            return whole || WORDS.iter().any(|w| has_word(segment, w));
        }
        // A site's own /analytics or /track may be a page about that.
        whole && is_plainly_for_ads(plain)
    });
    found.map(|(_, segment)| segment.to_owned())
}

/// Segments that mean ads even on the page's own site.
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

/// Whether `word` stands in `text` between separators or edges.
fn has_word(text: &str, word: &str) -> bool {
    let bounded = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphabetic());
    text.match_indices(word).any(|(at, _)| {
        bounded(text[..at].chars().next_back()) && bounded(text[at + word.len()..].chars().next())
    })
}

/// What the binary search relies on.
#[cfg(test)]
pub(super) fn domains_are_sorted() -> bool {
    domains::DOMAINS.is_sorted_by(|a, b| a < b)
}
