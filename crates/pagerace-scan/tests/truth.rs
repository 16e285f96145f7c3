//! What a scan says of several hundred servers, beside what they do.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

mod internet;

use std::time::Duration;

use internet::asked::{Folder, rows, scan};
use internet::web::{Identity, Quic, Web};
use internet::{Internet, Kind, Server, kind};
use pagerace_scan::{Host, Row};

/// The kinds. Their servers do what `Web` says.
fn kinds() -> Vec<Kind> {
    let h3 = Web {
        h2: true,
        alt_svc: Some("h3=\":443\"; ma=86400"),
        server: Some("cloudflare"),
        quic: Some(Quic::default()),
        ..Web::default()
    };
    let quic = |quic: Quic| Web {
        quic: Some(quic),
        ..h3.clone()
    };
    let h2 = Web {
        h2: true,
        ..Web::default()
    };
    let far = Web {
        delay: Duration::from_millis(60),
        ..h3.clone()
    };
    let webs = [
        ("h3", 60, h3.clone()),
        (
            "alias",
            20,
            Web {
                alias: true,
                ..h3.clone()
            },
        ),
        (
            "six",
            1,
            Web {
                six: true,
                ..h3.clone()
            },
        ),
        (
            "record",
            20,
            Web {
                alt_svc: None,
                record: true,
                ..h3.clone()
            },
        ),
        (
            "silent",
            20,
            Web {
                alt_svc: None,
                ..h3.clone()
            },
        ),
        (
            "retry",
            20,
            quic(Quic {
                retry: true,
                ..Quic::default()
            }),
        ),
        (
            "no-ticket",
            20,
            quic(Quic {
                no_tickets: true,
                ..Quic::default()
            }),
        ),
        (
            "early",
            20,
            quic(Quic {
                early_data: true,
                ..Quic::default()
            }),
        ),
        (
            "forgets",
            1,
            quic(Quic {
                early_data: true,
                forgets: true,
                ..Quic::default()
            }),
        ),
        ("h2", 40, h2.clone()),
        ("h1", 20, Web::default()),
        (
            "tls12",
            20,
            Web {
                tls12: true,
                ..h2.clone()
            },
        ),
        (
            "liar",
            20,
            Web {
                alt_svc: h3.alt_svc,
                ..h2.clone()
            },
        ),
        (
            "black-hole",
            4,
            Web {
                alt_svc: h3.alt_svc,
                udp_silent: true,
                ..h2.clone()
            },
        ),
        (
            "draft",
            10,
            Web {
                alt_svc: Some("h3-29=\":443\""),
                ..h2.clone()
            },
        ),
        (
            "self-signed",
            10,
            Web {
                identity: Identity::SelfSigned,
                ..h3.clone()
            },
        ),
        (
            "expired",
            10,
            Web {
                identity: Identity::Expired,
                ..h3.clone()
            },
        ),
        (
            "wrong-name",
            10,
            Web {
                identity: Identity::WrongName,
                ..h2.clone()
            },
        ),
        ("far", 10, far.clone()),
        ("lossy", 20, Web { loss: 0.05, ..far }),
    ];
    let mut kinds: Vec<Kind> = webs
        .into_iter()
        .map(|(name, addresses, web)| kind(name, addresses, Server::Web(web)))
        .collect();
    kinds.push(kind("dead", 10, Server::Dead));
    kinds
}

/// A column: its name, the truth of a server, and what the row says.
type Column = (&'static str, fn(&Web) -> bool, fn(&Row) -> Option<bool>);

fn host(row: &Row) -> Option<&Host> {
    row.v4.as_ref()
}

fn quic(row: &Row) -> Option<&pagerace_scan::Quic> {
    host(row)?.quic.as_ref()
}

fn tickets(web: &Web) -> bool {
    web.quic.is_some_and(|quic| !quic.no_tickets)
}

const COLUMNS: [Column; 13] = [
    ("http3", |web| web.quic.is_some(), Row::http3),
    ("https", |_| true, Row::https),
    (
        "ipv6",
        |web| web.six,
        |row| Some(row.names.as_ref()?.aaaa? > 0),
    ),
    (
        "dns_https",
        |web| web.record,
        |row| row.names.as_ref()?.https,
    ),
    (
        "dns_cname",
        |web| web.alias,
        |row| Some(row.names.as_ref()?.cname.is_some()),
    ),
    (
        "announced",
        |web| web.record || web.alt_svc.is_some_and(|value| value.starts_with("h3=")),
        Row::announced,
    ),
    (
        "http = h2",
        |web| web.h2,
        |row| Some(host(row)?.tcp.as_ref()?.http.as_deref() == Some("h2")),
    ),
    (
        "tls = 1.3",
        |web| !web.tls12,
        |row| Some(host(row)?.tcp.as_ref()?.tls.as_deref() == Some("1.3")),
    ),
    (
        "certificate = valid",
        |web| web.identity == Identity::Good,
        |row| Some(host(row)?.tcp.as_ref()?.certificate.as_ref()?.verdict == "valid"),
    ),
    (
        "quic_retry",
        |web| web.quic.is_some_and(|q| q.retry),
        |row| Some(quic(row)?.retry),
    ),
    ("quic_ticket", tickets, |row| quic(row)?.ticket),
    (
        "quic_early_data_offered",
        |web| web.quic.is_some_and(|q| q.early_data),
        |row| quic(row)?.early_data_offered,
    ),
    (
        "quic_early_data",
        |web| web.quic.is_some_and(|q| q.early_data && !q.forgets),
        |row| Some(quic(row)?.again.as_ref()?.early_data == Some(true)),
    ),
];

#[test]
fn columns_say_what_servers_do() {
    let mut kinds = kinds();
    let has_v6 = std::net::TcpListener::bind("[::1]:0").is_ok();
    if !has_v6 {
        println!("SKIPPED: the kind six; this machine has no address ::1");
        kinds.retain(|kind| kind.name != "six");
    }
    let addresses: u32 = kinds.iter().map(|kind| kind.addresses).sum();
    assert!(addresses > 300, "several hundred servers");
    let name = |i: u32, kind: &Kind| format!("{i}.{}.test", kind.name);
    let names = kinds
        .iter()
        .flat_map(|kind| (0..kind.addresses).map(move |i| name(i, kind)));
    let names: Vec<String> = names.collect();
    let internet = Internet::start(kinds.clone(), 2);
    let folder = Folder::new("truth");
    let rows = rows(
        scan(&internet, &folder, names, Duration::from_secs(10)),
        &folder,
    );

    println!(
        "{:26} {:>6} {:>6} {:>10} {:>8}",
        "column", "true", "known", "precision", "recall"
    );
    let mut wrong = Vec::new();
    for (column, truth, says) in COLUMNS {
        let [mut hits, mut said, mut is, mut known] = [0_u32; 4];
        for kind in &kinds {
            let Server::Web(web) = &kind.server else {
                continue;
            };
            // A ticket that the path lost may come after the connection was closed.
            let lost = kind.name == "lossy" && column.starts_with("quic_");
            for i in 0..kind.addresses {
                let row = &rows[&name(i, kind)];
                let (is_true, says) = (truth(web), says(row));
                is += u32::from(is_true);
                known += u32::from(says.is_some());
                said += u32::from(says == Some(true));
                hits += u32::from(is_true && says == Some(true));
                if (says == Some(true)) != is_true && !lost {
                    wrong.push(format!(
                        "{}: {column} is {is_true}, not {says:?}",
                        row.domain
                    ));
                }
            }
        }
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole);
        println!(
            "{column:26} {is:6} {known:6} {:10.3} {:8.3}",
            share(hits, said),
            share(hits, is)
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");

    for i in 0..10 {
        let dead = host(&rows[&format!("{i}.dead.test")]).unwrap();
        assert_eq!((dead.https(), dead.http3()), (Some(false), Some(false)));
    }
    // One row in full.
    let row = &rows["0.h3.test"];
    let quic = quic(row).unwrap();
    assert!(quic.handshake_ms.is_some() && quic.response_ms.is_some());
    let amplification = quic.amplification.unwrap();
    assert!((0.5..=3.0).contains(&amplification), "{amplification}");
    // One datagram asks for the versions, and a busy machine may drop it.
    let versions: Vec<&str> = (0..60)
        .filter_map(|i| quic_of(&rows[&format!("{i}.h3.test")]).versions.as_deref())
        .collect();
    assert!(versions.len() > 30, "{versions:?}");
    let one = |named: &&str| named.split(' ').any(|version| version == "1");
    assert!(versions.iter().all(one), "{versions:?}");
    assert!(quic.settings.is_some() && quic.certificate.as_ref().unwrap().verdict == "valid");
    let parameters = quic.parameters.as_ref().unwrap();
    // The defaults of quinn.
    assert_eq!(
        (parameters.max_idle_timeout, parameters.initial_max_streams),
        (30_000, 100)
    );
    let again = quic.again.as_ref().unwrap();
    assert_eq!((again.resumed, again.early_data), (Some(true), None));
    let forgets = again_of(&rows["0.forgets.test"]);
    assert_eq!(
        (forgets.resumed, forgets.early_data),
        (Some(false), Some(false))
    );
    assert!(
        forgets.error.is_none() && forgets.response_ms.is_some(),
        "{forgets:?}"
    );
    // The way there and back takes 120 ms; the handshake one such round trip at least.
    let far = quic_of(&rows["0.far.test"]).handshake_ms.unwrap();
    assert!(far >= 120.0, "{far}");
    for (name, verdict) in [
        ("self-signed", "unknown-issuer"),
        ("expired", "expired"),
        ("wrong-name", "wrong-name"),
    ] {
        let host = host(&rows[&format!("0.{name}.test")]).unwrap();
        let certificate = host.tcp.as_ref().unwrap().certificate.as_ref().unwrap();
        assert_eq!(certificate.verdict, verdict);
    }
    if has_v6 {
        let six = rows["0.six.test"].v6.as_ref().unwrap();
        assert_eq!(
            (six.address.as_str(), six.http3(), six.https()),
            ("::1", Some(true), Some(true))
        );
    }
}

fn quic_of(row: &Row) -> &pagerace_scan::Quic {
    quic(row).unwrap()
}

fn again_of(row: &Row) -> &pagerace_scan::Again {
    quic_of(row).again.as_ref().unwrap()
}
