//! Hostile servers cost bounded time and bytes, and one line each.

#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function is a test"
)]

mod internet;
#[cfg(target_os = "linux")]
#[path = "../../pagerace-probe/tests/support/peak.rs"]
mod peak;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(target_os = "linux")]
use internet::asked::scan_of;
use internet::asked::{Folder, rows, scan};
use internet::hostile::Hostile as H;
use internet::web::{Identity, Quic, Web};
use internet::{Internet, Kind, Server, kind};
use pagerace_scan::{Bound, End, Trust};

/// The kinds, and how their failures begin: of the domain or of TCP, and of QUIC. Empty:
/// there is none.
const HOSTILE: [(&str, H, &str, &str); 41] = [
    ("dns-nx", H::NoDomain, "dns: no such domain", ""),
    ("dns-servfail", H::ServFail, "dns: ", ""),
    ("dns-silent", H::SilentDns, "timeout: ", ""),
    ("dns-garbage", H::GarbageDns, "dns: malformed", ""),
    ("dns-wrong-id", H::WrongIdDns, "dns: too many foreign", ""),
    ("dns-loop", H::LoopDns, "dns: a loop of aliases", ""),
    ("dns-drip", H::DripDns, "timeout: ", ""),
    ("dns-truncated", H::TruncatedDns, "timeout: ", "refused: "),
    (
        "tarpit",
        H::Tarpit,
        "timeout: no TLS handshake",
        "refused: ",
    ),
    ("tcp-garbage", H::GarbageTcp, "tls: ", "refused: "),
    ("closer", H::Closer, "closed: ", "refused: "),
    ("tls-drip", H::DripTls, "tls: ", "refused: "),
    (
        "tls-slow",
        H::SlowTls,
        "timeout: no TLS handshake",
        "refused: ",
    ),
    ("tls-tickets", H::TicketsTls, "tls: ", "refused: "),
    ("tls-keys", H::KeysTls, "tls: ", "refused: "),
    (
        "tls-end",
        H::EndTls,
        "closed: closed before the response",
        "refused: ",
    ),
    (
        "head-drip",
        H::DripHead,
        "timeout: no response",
        "refused: ",
    ),
    ("head-endless", H::EndlessHead, "http: ", "refused: "),
    (
        "interim-endless",
        H::EndlessInterim,
        "too-large: ",
        "refused: ",
    ),
    ("body-endless", H::EndlessBody, "", "refused: "),
    ("http-garbage", H::GarbageHttp, "http: ", "refused: "),
    ("h2-flood", H::FloodHttp2, "too-large: ", "refused: "),
    ("h2-bomb", H::BombHttp2, "http: ", "refused: "),
    ("h2-interim", H::InterimHttp2, "too-large: ", "refused: "),
    ("h2-continued", H::ContinuedHttp2, "http: ", "refused: "),
    ("h2-table", H::TableHttp2, "http: ", "refused: "),
    ("udp-garbage", H::GarbageUdp, "refused: ", "timeout: "),
    ("udp-echo", H::EchoUdp, "refused: ", "timeout: "),
    ("udp-amplify", H::AmplifyUdp, "refused: ", "too-large: "),
    ("udp-versions", H::VersionsUdp, "refused: ", "quic: "),
    ("udp-retry", H::RetryUdp, "refused: ", "timeout: "),
    (
        "quic-silent",
        H::SilentQuic,
        "refused: ",
        "timeout: no HTTP/3 response",
    ),
    (
        "quic-close",
        H::CloseQuic,
        "refused: ",
        "http: closed by peer: go away",
    ),
    ("quic-alpn", H::WrongAlpnQuic, "refused: ", "tls: "),
    ("quic-endless", H::EndlessQuic, "refused: ", "too-large: "),
    (
        "quic-streams",
        H::ManyStreamsQuic,
        "refused: ",
        "too-large: ",
    ),
    ("quic-settings", H::BadSettingsQuic, "refused: ", "http: "),
    ("quic-head", H::EndlessHeadQuic, "refused: ", "http: "),
    (
        "quic-bomb",
        H::BombQuic,
        "refused: ",
        "http: the field section is larger than the 32768 bytes",
    ),
    ("quic-table", H::TableQuic, "refused: ", "http: "),
    (
        "quic-drip",
        H::DripQuic,
        "refused: ",
        "timeout: no HTTP/3 response",
    ),
];

#[test]
fn hostile_servers_cost_one_line_each() {
    let mut kinds: Vec<Kind> = HOSTILE
        .iter()
        .map(|(name, hostile, _, _)| kind(name, 1, Server::Hostile(*hostile)))
        .collect();
    let good = Web {
        h2: true,
        quic: Some(Quic::default()),
        ..Web::default()
    };
    kinds.push(kind("good", 1, Server::Web(good.clone())));
    for (name, identity) in [("fat", Identity::Fat), ("giant", Identity::Giant)] {
        kinds.push(kind(
            name,
            1,
            Server::Web(Web {
                identity,
                ..good.clone()
            }),
        ));
    }
    kinds.push(kind(
        "redirect",
        1,
        Server::Web(Web {
            status: Some(301),
            location: Some("https://trap.example/"),
            alt_svc: Some("h3=\"trap.example:443\", h3=\":9\""),
            ..good
        }),
    ));
    let names: Vec<String> = kinds.iter().map(|k| format!("0.{}.test", k.name)).collect();
    let internet = Internet::start(kinds, 2);
    let folder = Folder::new("hostile");
    // Only servers that must time out get a short time: the machine may be slow.
    let slow = |name: &String| {
        HOSTILE.iter().any(|(kind, _, tcp, quic)| {
            let late = [tcp, quic].iter().any(|text| text.starts_with("timeout: "));
            late && *name == format!("0.{kind}.test")
        })
    };
    let (slow, quick): (Vec<String>, Vec<String>) = names.into_iter().partition(slow);
    let slow = scan(&internet, &folder, slow, Duration::from_secs(2));
    let mut all = rows(slow, &folder);
    let folder = Folder::new("hostile-quick");
    let quick = scan(&internet, &folder, quick, Duration::from_secs(30));
    all.extend(rows(quick, &folder));
    let rows = all;

    let mut wrong = Vec::new();
    for (name, _, tcp, quic) in HOSTILE {
        let row = &rows[&format!("0.{name}.test")];
        let host = row.v4.as_ref();
        let over_tcp = host.and_then(|host| host.tcp.as_ref()?.error.clone());
        let first = row.error.clone().or(over_tcp).unwrap_or_default();
        let second = host
            .and_then(|host| host.quic.as_ref()?.error.clone())
            .unwrap_or_default();
        println!("{name:16} {first:60} | {second}");
        for (found, expected) in [(&first, tcp), (&second, quic)] {
            let fits = if expected.is_empty() {
                found.is_empty()
            } else {
                found.starts_with(expected)
            };
            if !fits {
                wrong.push(format!("{name}: {found}, not {expected}"));
            }
        }
        if row.http3() == Some(true) {
            wrong.push(format!("{name}: counts as HTTP/3"));
        }
        for text in [first, second] {
            assert!(!text.contains('\n') && text.chars().count() < 200, "{text}");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");

    let host = |name: &str| rows[&format!("0.{name}.test")].v4.clone().unwrap();
    assert_eq!(host("good").http3(), Some(true));
    assert_eq!(host("body-endless").https(), Some(true));
    let fat = host("fat").tcp.unwrap().certificate.unwrap();
    assert!(fat.verdict == "valid" && fat.bytes > 25_000, "{fat:?}");
    let giant = host("giant").tcp.unwrap();
    assert!(giant.error.is_some() && giant.status.is_none(), "{giant:?}");
    // The redirect and the alternative service are written down, and nobody went there.
    let redirect = host("redirect");
    assert_eq!(redirect.tcp.as_ref().unwrap().status, Some(301));
    assert_eq!(redirect.announces(), Some(true));
    assert_eq!(*internet.log.trapped.lock().unwrap(), Vec::<String>::new());
    let names = rows["0.dns-truncated.test"].names.clone().unwrap();
    assert_eq!(names.a, Some(16), "at most so many addresses are kept");
}

/// Domains of a kind that are under way at once.
#[cfg(target_os = "linux")]
const CROWD: u64 = 32;

/// Memory that a hostile domain may cost in bytes. A thousand of them under way, which is the
/// default, stay below 200 MB.
#[cfg(target_os = "linux")]
const MEMORY_EACH: u64 = 200_000;

#[cfg(target_os = "linux")]
#[test]
fn hostile_servers_cost_bounded_memory() {
    let mut kinds: Vec<Kind> = HOSTILE
        .iter()
        .map(|(name, hostile, _, _)| kind(name, 1, Server::Hostile(*hostile)))
        .collect();
    kinds.push(kind("good", 1, Server::Web(Web::default())));
    let internet = Internet::start(kinds, 2);
    let folder = Folder::new("memory");
    let ca = folder.0.join("ca.pem");
    std::fs::write(&ca, &internet.ca).unwrap();
    let cost = |(name, ..): &(&str, H, &str, &str)| {
        let (resolver, port) = (internet.resolver, internet.port);
        let task = format!("{name} {resolver} {port} {}", ca.display());
        (
            peak::of("scan_in_a_process_of_its_own", &task) / CROWD,
            name.to_string(),
        )
    };
    let mut costs: Vec<(u64, String)> = std::thread::scope(|scope| {
        let parts = HOSTILE
            .chunks(4)
            .map(|part| scope.spawn(move || part.iter().map(cost).collect::<Vec<_>>()));
        let parts: Vec<_> = parts.collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap())
            .collect()
    });
    costs.sort_unstable();
    println!("{costs:?}");
    let (most, name) = costs.last().unwrap();
    assert!(*most < MEMORY_EACH, "{name}: {most} bytes for each domain");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "a part of another test, which runs it in a process of its own"]
fn scan_in_a_process_of_its_own() {
    let Some(task) = peak::task() else { return };
    let words: Vec<&str> = task.splitn(4, ' ').collect();
    let [kind, resolver, port, ca] = words[..] else {
        panic!("{task}");
    };
    let of = |count: u64, name: &str| {
        let folder = Folder::new(name);
        // The good one shows that the DNS answers.
        let mut names = vec!["0.good.test".to_owned()];
        names.extend((0..count).map(|i| format!("{i}.{kind}.test")));
        let (resolver, port) = (resolver.parse().unwrap(), port.parse().unwrap());
        let timeout = Duration::from_secs(2);
        let mut scan = scan_of(resolver, port, ca.as_ref(), names, timeout);
        (scan.settings.rate, scan.settings.address_rate) = (10_000.0, 10_000.0);
        assert_eq!(rows(scan, &folder).len() as u64, 1 + count);
    };
    // Code and tables come into memory with the first domain.
    of(1, "first");
    peak::tell(|| of(CROWD, "crowd"));
}

#[test]
fn a_resolver_that_does_not_answer_ends_the_scan_in_plain_words() {
    let internet = Internet::start(Vec::new(), 1);
    let folder = Folder::new("offline");
    let mut scan = scan(
        &internet,
        &folder,
        vec!["a.test".to_owned()],
        Duration::from_millis(200),
    );
    let closed = std::net::UdpSocket::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    scan.resolvers = vec![closed];
    let end = scan.run(&folder.0.join("journal"), &|_| ControlFlow::Continue(()));
    let error = end.unwrap_err().to_string();
    let expected = format!("the DNS resolver {closed} does not answer (");
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.contains("--resolver"), "{error}");
}

#[test]
fn domains_that_time_out_are_named_as_the_bound() {
    let kinds = vec![kind("tarpit", 1, Server::Hostile(H::Tarpit))];
    let internet = Internet::start(kinds, 1);
    let folder = Folder::new("bound");
    let names = (0..3).map(|i| format!("{i}.tarpit.test")).collect();
    let mut scan = scan(&internet, &folder, names, Duration::from_millis(300));
    scan.settings.in_flight = 1;
    let end = scan.run(&folder.0.join("journal"), &|_| ControlFlow::Continue(()));
    let End::Complete(results) = end.unwrap() else {
        panic!("the scan was not stopped");
    };
    let speed = results.speed();
    assert_eq!(
        (speed.domains, speed.bound),
        (3, Bound::InFlight),
        "{speed:?}"
    );
}

#[test]
fn a_journal_goes_on_with_the_same_roots_only() {
    let internet = Internet::start(vec![kind("dead", 1, Server::Dead)], 1);
    let folder = Folder::new("roots");
    let again = || {
        let names = vec!["0.dead.test".to_owned()];
        scan(&internet, &folder, names, Duration::from_secs(1))
    };
    let first = rows(again(), &folder);
    assert_eq!(rows(again(), &folder), first, "the journal has the row");
    let mut other = again();
    other.trust = Trust::mozilla();
    let end = other.run(&folder.0.join("journal"), &|_| ControlFlow::Continue(()));
    let error = end.unwrap_err().to_string();
    assert!(error.contains("--ca"), "{error}");
}

#[test]
fn special_and_excluded_addresses_are_not_asked() {
    let internet = Internet::start(vec![kind("good", 1, Server::Web(Web::default()))], 1);
    let folder = Folder::new("special");
    let names = vec!["0.good.test".to_owned()];
    let mut first = scan(&internet, &folder, names.clone(), Duration::from_secs(1));
    first.settings.private_addresses = false;
    let row = rows(first, &folder).remove("0.good.test").unwrap();
    let host = row.v4.unwrap();
    assert!(host.error.unwrap().starts_with("not-public: "));
    assert!(host.tcp.is_none() && host.quic.is_none());

    let folder = Folder::new("excluded");
    let mut second = scan(&internet, &folder, names.clone(), Duration::from_secs(1));
    let file = PathBuf::from("list");
    second.exclusions.add("127.0.0.0/8", &file).unwrap();
    let row = rows(second, &folder).remove("0.good.test").unwrap();
    assert!(row.v4.unwrap().error.unwrap().starts_with("excluded: "));

    let folder = Folder::new("excluded-domain");
    let mut third = scan(&internet, &folder, names, Duration::from_secs(1));
    third.exclusions.add("good.test", &file).unwrap();
    let before = internet
        .log
        .questions
        .load(std::sync::atomic::Ordering::Relaxed);
    let row = rows(third, &folder).remove("0.good.test").unwrap();
    assert!(row.error.unwrap().starts_with("excluded: ") && row.names.is_none());
    let after = internet
        .log
        .questions
        .load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(before, after, "not even the DNS was asked");
}
