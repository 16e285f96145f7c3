use std::net::Ipv4Addr;

use super::*;

fn command(opening: &Opening, protocol: Protocol) -> String {
    let spki = ["abc=".to_owned(), "def=".to_owned()];
    opening.command(protocol, Ipv4Addr::LOCALHOST.into(), 8443, &spki)
}

fn recorded(url: &str) -> Opening {
    let hosts = ["a.example".to_owned(), "b.example".to_owned()];
    Opening::recorded(Url::parse(url).unwrap(), &hosts)
}

#[test]
fn recorded_hosts_are_mapped_and_no_others() {
    let line = command(&recorded("https://a.example/x?y=1&z='"), Protocol::H2);
    assert!(line.contains(
        "--host-resolver-rules='MAP a.example 127.0.0.1:8443,MAP b.example 127.0.0.1:8443,\
         MAP * ~NOTFOUND'"
    ));
    assert!(line.contains("--ignore-certificate-errors-spki-list=abc=,def= "));
    assert!(
        line.ends_with("--disable-quic 'https://a.example/x?y=1&z=%27'"),
        "{line}"
    );
}

#[test]
fn each_protocol_has_its_flags() {
    let opening = recorded("https://a.example/");
    let h1 = command(&opening, Protocol::H1);
    assert!(h1.contains("--disable-quic --disable-http2 "));
    let h3 = command(&opening, Protocol::H3);
    assert!(h3.contains("--enable-quic --origin-to-force-quic-on=a.example:443,b.example:443 "));
    let port = command(&recorded("https://b.example:8080/"), Protocol::H3);
    assert!(
        port.contains("=a.example:443,b.example:443,b.example:8080 "),
        "{port}"
    );
}

#[test]
fn a_folder_is_here() {
    let url = Url::parse("https://localhost:8443/").unwrap();
    let line = command(&Opening::here(url), Protocol::H3);
    assert!(
        line.contains("--origin-to-force-quic-on=localhost:8443 "),
        "{line}"
    );
    assert!(!line.contains("NOTFOUND"));
    assert!(line.ends_with(" 'https://localhost:8443/'"));
}
