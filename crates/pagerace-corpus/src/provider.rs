//! The content delivery networks, and how their responses are told.
//!
//! # Source
//! Names, response fields and hosts: the table of `WebPageTest`'s agent (`optimization_checks.py`,
//! Apache-2.0), which HTTP Archive and the Web Almanac use; Zhou 2024 used `LocEdge`, whose rules
//! agree on these providers. Where a rule of theirs hits other servers as well, it is left out:
//! `x-cache` alone, `via: varnish`, `server: Tengine`, `server: ATS`.

use pagerace_har::domain::registrable;

/// A content delivery network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Provider {
    /// The name, as `WebPageTest` writes it.
    pub name: &'static str,
    /// True if its edges speak HTTP/3: those of Zhou 2024, table I, and those of the Web Almanac
    /// 2024 that announced it in at least a tenth of their responses.
    pub http3: bool,
    /// Alternatives of response fields, all of which a response has: names, and texts that
    /// their values contain. An empty text stands for any value.
    fields: &'static [&'static [(&'static str, &'static str)]],
    /// Domains whose hosts are its own. One that ends in a dot stands for all top-level
    /// domains.
    domains: &'static [&'static str],
}

impl Provider {
    /// Returns the provider with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PROVIDERS
            .iter()
            .find(|provider| provider.name.eq_ignore_ascii_case(name))
    }

    /// Returns the provider that the fields of a response name. A response that passed through
    /// several has the fields of all; the edge is the one that stands before the others.
    pub fn of_fields(fields: &[(String, String)]) -> Option<&'static Self> {
        let has = |(name, text): &(&str, &str)| {
            let mut named = fields.iter().filter(|(n, _)| n == name);
            named.any(|(_, value)| contains(value, text))
        };
        PROVIDERS
            .iter()
            .find(|provider| provider.fields.iter().any(|all| all.iter().all(has)))
    }

    /// Returns the provider that owns the host.
    pub fn of_host(host: &str) -> Option<&'static Self> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let registered = registrable(&host);
        let is_in = |domain: &&str| {
            if domain.ends_with('.') {
                return registered.starts_with(*domain);
            }
            let before = host.strip_suffix(*domain);
            before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        PROVIDERS
            .iter()
            .find(|provider| provider.domains.iter().any(&is_in))
    }
}

/// Returns true if `value` contains `text`, in any case.
fn contains(value: &str, text: &str) -> bool {
    text.is_empty()
        || value
            .as_bytes()
            .windows(text.len())
            .any(|part| part.eq_ignore_ascii_case(text.as_bytes()))
}

/// The providers. Those that stand before other providers come first.
const PROVIDERS: &[Provider] = &[
    Provider {
        name: "Cloudflare",
        http3: true,
        fields: &[&[("cf-ray", "")], &[("server", "cloudflare")]],
        domains: &[
            "cloudflare.com",
            "cloudflare.net",
            "cloudflareinsights.com",
            "pages.dev",
            "r2.dev",
            "workers.dev",
        ],
    },
    Provider {
        name: "BunnyCDN",
        http3: true,
        fields: &[&[("server", "bunnycdn")], &[("cdn-pullzone", "")]],
        domains: &["b-cdn.net", "bunny.net", "bunnycdn.com"],
    },
    Provider {
        name: "Incapsula",
        http3: false,
        fields: &[
            &[("x-iinfo", "")],
            &[("x-cdn", "incapsula")],
            &[("x-cdn", "imperva")],
        ],
        domains: &["incapdns.net"],
    },
    Provider {
        name: "Sucuri Firewall",
        http3: true,
        fields: &[&[("x-sucuri-id", "")], &[("server", "sucuri/cloudproxy")]],
        domains: &["sucuri.net"],
    },
    Provider {
        name: "QUIC.cloud",
        http3: true,
        fields: &[&[("x-qc-pop", ""), ("x-qc-cache", "")]],
        domains: &["quic.cloud"],
    },
    Provider {
        name: "KeyCDN",
        http3: false,
        fields: &[&[("server", "keycdn-engine")]],
        domains: &["kxcdn.com"],
    },
    Provider {
        name: "CDN77",
        http3: true,
        fields: &[
            &[("server", "cdn77")],
            &[("x-77-pop", "")],
            &[("x-77-cache", "")],
        ],
        domains: &["cdn77.net", "cdn77.org"],
    },
    Provider {
        name: "Edgecast",
        http3: false,
        fields: &[
            &[("server", "ecs (")],
            &[("server", "ecacc (")],
            &[("server", "ecd (")],
        ],
        domains: &[
            "edgecastcdn.net",
            "systemcdn.net",
            "transactcdn.net",
            "v1cdn.net",
            "v2cdn.net",
            "v3cdn.net",
            "v4cdn.net",
            "v5cdn.net",
        ],
    },
    Provider {
        name: "Limelight",
        http3: false,
        fields: &[&[("server", "edgeprism")], &[("x-llid", "")]],
        domains: &["llnwd.net", "llnw.net", "llnwi.net", "lldns.net"],
    },
    Provider {
        name: "Highwinds",
        http3: false,
        fields: &[&[("x-hw", "")], &[("server", "netdna")]],
        domains: &[
            "hwcdn.net",
            "netdna-cdn.com",
            "netdna-ssl.com",
            "stackpathcdn.com",
        ],
    },
    Provider {
        name: "Akamai",
        http3: true,
        fields: &[
            &[("x-akamai-request-id", "")],
            &[("x-akamai-transformed", "")],
            &[("akamai-grn", "")],
            &[("akamai-cache-status", "")],
            &[("server", "akamai")],
            &[("server-timing", "ak_p;")],
        ],
        domains: &[
            "akamai.com",
            "akamai.net",
            "akamaiedge.net",
            "akamaihd.net",
            "akamaized.net",
            "akamaitechnologies.com",
            "akstat.io",
            "edgekey.net",
            "edgesuite.net",
            "go-mpulse.net",
        ],
    },
    Provider {
        name: "Microsoft Azure",
        http3: false,
        fields: &[&[("x-azure-ref", "")], &[("x-msedge-ref", "")]],
        domains: &[
            "azureedge.net",
            "azurefd.net",
            "bing.com",
            "bing.net",
            "msecnd.net",
        ],
    },
    Provider {
        name: "Amazon CloudFront",
        http3: true,
        fields: &[
            &[("x-amz-cf-id", "")],
            &[("x-amz-cf-pop", "")],
            &[("via", "cloudfront")],
        ],
        domains: &[
            "cloudfront.net",
            "media-amazon.com",
            "ssl-images-amazon.com",
        ],
    },
    Provider {
        name: "Fastly",
        http3: true,
        fields: &[
            &[("x-served-by", "cache-"), ("x-cache", "")],
            &[("x-fastly-request-id", "")],
        ],
        domains: &["fastly.net", "fastlylb.net", "nocookie.net"],
    },
    Provider {
        name: "Facebook",
        http3: true,
        fields: &[&[("x-fb-debug", "")]],
        domains: &[
            "cdninstagram.com",
            "facebook.com",
            "facebook.net",
            "fbcdn.net",
            "instagram.com",
        ],
    },
    Provider {
        name: "Twitter",
        http3: false,
        fields: &[&[("server", "tsa_")]],
        domains: &["t.co", "twimg.com"],
    },
    Provider {
        name: "Automattic",
        http3: true,
        fields: &[],
        domains: &["gravatar.com", "wordpress.com", "wp.com"],
    },
    Provider {
        name: "Google",
        http3: true,
        fields: &[
            &[("via", "google")],
            &[("server", "gws")],
            &[("server", "sffe")],
            &[("server", "esf")],
            &[("server", "gse")],
            &[("server", "golfe2")],
            &[("server", "cafe")],
        ],
        domains: &[
            "doubleclick.net",
            "ggpht.com",
            "google-analytics.com",
            "google.",
            "googleapis.com",
            "googlesyndication.com",
            "googletagmanager.com",
            "googletagservices.com",
            "googleusercontent.com",
            "googlevideo.com",
            "gstatic.com",
            "youtube.com",
            "ytimg.com",
        ],
    },
    Provider {
        name: "Vercel",
        http3: false,
        fields: &[&[("x-vercel-id", "")], &[("server", "vercel")]],
        domains: &["now.sh", "vercel.app", "vercel.com", "zeit.co"],
    },
    Provider {
        name: "Netlify",
        http3: false,
        fields: &[&[("x-nf-request-id", "")], &[("server", "netlify")]],
        domains: &["netlify.app", "netlify.com"],
    },
    Provider {
        name: "Alibaba",
        http3: true,
        fields: &[&[("eagleid", "")], &[("x-swift-cachetime", "")]],
        domains: &["alicdn.com", "tbcdn.cn", "taobaocdn.com"],
    },
    Provider {
        name: "Tencent",
        http3: false,
        fields: &[&[("x-nws-log-uuid", "")], &[("eo-log-uuid", "")]],
        domains: &["gtimg.com", "myqcloud.com", "qpic.cn"],
    },
    Provider {
        name: "ChinaNetCenter",
        http3: false,
        fields: &[
            &[("x-ws-request-id", "")],
            &[("x-cache", "cache.51cdn.com")],
        ],
        domains: &["lxdns.com", "wscdns.com", "wscloudcdn.com"],
    },
    Provider {
        name: "CDNetworks",
        http3: false,
        fields: &[&[("x-px", "")]],
        domains: &["cdngc.net", "gccdn.net", "panthercdn.com"],
    },
    Provider {
        name: "Gcore",
        http3: false,
        fields: &[&[("x-id-fe", "")]],
        domains: &["gcdn.co"],
    },
    Provider {
        name: "Medianova",
        http3: false,
        fields: &[&[("server", "mncdn")]],
        domains: &["mncdn.com", "mncdn.net", "mncdn.org"],
    },
    Provider {
        name: "Cachefly",
        http3: false,
        fields: &[&[("x-cf1", "")]],
        domains: &["cachefly.net"],
    },
    Provider {
        name: "Fly",
        http3: false,
        fields: &[&[("fly-request-id", "")], &[("server", "fly/")]],
        domains: &["fly.dev"],
    },
    Provider {
        name: "Yahoo",
        http3: false,
        fields: &[],
        domains: &["yahooapis.com", "yimg.com"],
    },
    Provider {
        name: "jsDelivr",
        http3: true,
        fields: &[&[("x-jsd-version", "")]],
        domains: &["jsdelivr.net"],
    },
];

#[cfg(test)]
mod tests;
