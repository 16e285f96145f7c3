//! The servers of the test.

use std::time::Duration;

use hickory_proto::rr::RecordType;

use crate::internet::authority::{ANNOUNCING, HttpsRecord};
use crate::internet::hostile::Hostile;
use crate::internet::web::{Identity, Quic, Says, Web};
use crate::internet::{Kind, Server, kind, ours};

/// A kind of which the scan excludes the addresses, and one of which it excludes the domains.
pub(crate) const EXCLUDED: &str = "excluded";
pub(crate) const UNWANTED: &str = "unwanted";

/// Returns a server like another, except for a change.
fn like(web: &Web, change: impl FnOnce(&mut Web)) -> Web {
    let mut web = web.clone();
    change(&mut web);
    web
}

/// Returns a server of HTTP/3 like another, except for a change over QUIC.
fn over_quic(web: &Web, change: impl FnOnce(&mut Quic)) -> Web {
    like(web, |web| change(web.quic.as_mut().unwrap()))
}

fn h3() -> Web {
    Web {
        h2: true,
        alt_svc: Some("h3=\":443\"; ma=86400"),
        server: Some("cloudflare"),
        quic: Some(Quic::default()),
        ..Web::default()
    }
}

fn h2() -> Web {
    Web {
        h2: true,
        ..Web::default()
    }
}

/// Kinds with so many IPv4 addresses each.
pub(crate) fn over_ipv4() -> Vec<Kind> {
    let (h3, h2) = (h3(), h2());
    let far = like(&h3, |web| web.delay = Duration::from_millis(60));
    let announced = |record: HttpsRecord| {
        like(&h3, |web| {
            web.alt_svc = None;
            web.names.record = Some(record);
        })
    };
    let webs = [
        ("h3", 60, h3.clone()),
        ("alias", 20, like(&h3, |web| web.names.alias = true)),
        ("edge", 10, like(&h2, |web| web.names.alias = true)),
        ("hosted", 5, h2.clone()),
        ("many", 5, like(&h3, |web| web.names.more = 3)),
        ("nowhere", 2, like(&h3, |web| web.names.no_a = true)),
        ("record", 20, announced(ANNOUNCING)),
        ("record-full", 5, announced(FULL)),
        ("record-alias", 5, announced(ALIAS)),
        ("record-h2", 5, announced(OLD)),
        (
            "no-record",
            5,
            like(&h3, |web| web.names.fails = Some(RecordType::HTTPS)),
        ),
        (
            "no-aaaa",
            5,
            like(&h2, |web| web.names.fails = Some(RecordType::AAAA)),
        ),
        ("silent", 20, like(&h3, |web| web.alt_svc = None)),
        ("udp-only", 5, like(&h3, |web| web.no_tcp = true)),
        ("retry", 20, over_quic(&h3, |quic| quic.retry = true)),
        (
            "no-ticket",
            20,
            over_quic(&h3, |quic| quic.no_tickets = true),
        ),
        ("early", 20, over_quic(&h3, |quic| quic.early_data = true)),
        // One server of each: its second connection is known.
        (
            "forgets",
            1,
            over_quic(&h3, |quic| {
                quic.early_data = true;
                quic.forgets = true;
            }),
        ),
        ("once", 1, over_quic(&h3, |quic| quic.once = true)),
        ("tuned", 20, over_quic(&h3, |quic| quic.says = Says::Tuned)),
        ("status", 5, {
            let forbidden = like(&h3, |web| web.status = Some(403));
            over_quic(&forbidden, |quic| quic.status = Some(503))
        }),
        ("h2", 40, h2.clone()),
        ("h1", 20, Web::default()),
        (
            "no-alpn",
            5,
            like(&Web::default(), |web| web.no_alpn = true),
        ),
        ("tls12", 20, like(&h2, |web| web.tls12 = true)),
        ("liar", 20, like(&h2, |web| web.alt_svc = h3.alt_svc)),
        (
            "draft",
            10,
            like(&h2, |web| web.alt_svc = Some("h3-29=\":443\"")),
        ),
        (
            "other-port",
            5,
            like(&h2, |web| {
                web.alt_svc = Some("h2=\":8443\", h3=\":8443\"; ma=60");
            }),
        ),
        (
            "self-signed",
            10,
            like(&h3, |web| web.identity = Identity::SelfSigned),
        ),
        (
            "expired",
            10,
            like(&h3, |web| web.identity = Identity::Expired),
        ),
        (
            "wrong-name",
            10,
            like(&h2, |web| web.identity = Identity::WrongName),
        ),
        ("fat", 5, like(&h3, |web| web.identity = Identity::Fat)),
        ("far", 10, far.clone()),
        ("far-retry", 5, over_quic(&far, |quic| quic.retry = true)),
        (
            "far-early",
            5,
            over_quic(&far, |quic| quic.early_data = true),
        ),
        ("lossy", 20, like(&far, |web| web.loss = 0.05)),
        ("ours", 20, ours::web()),
        (EXCLUDED, 2, h3.clone()),
        (UNWANTED, 2, h3.clone()),
    ];
    let webs = webs.map(|(name, count, web)| kind(name, count, Server::Web(web)));
    let hostile = [
        ("no-domain", Hostile::NoDomain),
        ("dns-fails", Hostile::ServFail),
        ("no-tls", Hostile::GarbageTcp),
        ("closer", Hostile::Closer),
        ("no-alpn-quic", Hostile::WrongAlpnQuic),
        ("old-quic", Hostile::VersionsUdp),
    ];
    let hostile = hostile.map(|(name, hostile)| kind(name, 2, Server::Hostile(hostile)));
    let dead = kind("dead", 10, Server::Dead);
    webs.into_iter().chain(hostile).chain([dead]).collect()
}

/// Kinds that let the scan wait for nothing.
pub(crate) fn waiting() -> Vec<Kind> {
    let black_hole = like(&h2(), |web| {
        web.alt_svc = h3().alt_svc;
        web.udp_silent = true;
    });
    vec![
        kind("black-hole", 4, Server::Web(black_hole)),
        kind("tarpit", 2, Server::Hostile(Hostile::Tarpit)),
        kind("silent-dns", 2, Server::Hostile(Hostile::SilentDns)),
    ]
}

/// Kinds with a server at `::1`. There is one such address, so that each needs an Internet.
pub(crate) fn over_ipv6() -> Vec<Kind> {
    let (h3, h2) = (h3(), h2());
    // A server that differs from the one at the other address in most columns.
    let four = like(&Web::default(), |web| {
        web.tls12 = true;
        web.status = Some(404);
        web.names.more = 1;
    });
    let six = [
        ("six-h3", h3.clone()),
        ("six-h2", like(&h2, |web| web.status = Some(204))),
        ("six-tuned", over_quic(&h3, |quic| quic.says = Says::Tuned)),
        ("six-early", over_quic(&h3, |quic| quic.early_data = true)),
        ("six-retry", over_quic(&h3, |quic| quic.retry = true)),
        ("six-liar", like(&h2, |web| web.alt_svc = h3.alt_svc)),
        (
            "six-expired",
            like(&h3, |web| web.identity = Identity::Expired),
        ),
        ("six-udp-only", like(&h3, |web| web.no_tcp = true)),
    ];
    let with = |web: &Web, six: Web| like(web, |web| web.six = Some(Box::new(six)));
    let mut kinds = six.map(|(name, six)| (name, with(&four, six))).to_vec();
    kinds.push(("six-dead", with(&h3, like(&h2, |web| web.no_tcp = true))));
    let mut only = with(&four, h3);
    only.names.no_a = true;
    kinds.push(("six-only", only));
    let kinds = kinds.into_iter();
    kinds
        .map(|(name, web)| kind(name, 1, Server::Web(web)))
        .collect()
}

const FULL: HttpsRecord = HttpsRecord {
    target: Some("svc.trap.example."),
    port: Some(8443),
    hints: true,
    ech: true,
    ..ANNOUNCING
};

const ALIAS: HttpsRecord = HttpsRecord {
    alias: true,
    alpn: &[],
    target: Some("pool.trap.example."),
    ..ANNOUNCING
};

const OLD: HttpsRecord = HttpsRecord {
    alpn: &["h2", "h3-29"],
    ..ANNOUNCING
};
