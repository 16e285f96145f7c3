//! Registrable domains according to the Mozilla public suffix list.

use public_suffix::{DEFAULT_PROVIDER, EffectiveTLDProvider as _};

/// Returns the registrable domain of `host` (`www.bbc.co.uk` gives `bbc.co.uk`), or the
/// host itself if it has none (IP addresses, `localhost`, a bare suffix).
pub fn registrable(host: &str) -> &str {
    let host = host.strip_suffix('.').unwrap_or(host);
    if is_address(host) {
        return host;
    }
    let domain = DEFAULT_PROVIDER.effective_tld_plus_one(host);
    domain.unwrap_or(host)
}

/// Returns true if two hosts belong to different registrable domains.
pub fn is_third_party(host: &str, document_host: &str) -> bool {
    !registrable(host).eq_ignore_ascii_case(registrable(document_host))
}

fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok()
}

#[cfg(test)]
mod tests;
