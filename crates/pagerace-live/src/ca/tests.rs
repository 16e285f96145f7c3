use super::*;

fn hosts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn certificates_have_the_size_of_the_simulators() {
    let ca = LocalCa::new().unwrap();
    let reference = Identity::new(&["localhost"]).unwrap().certificate().len();
    for names in [&["a.example"][..], &["a.example", "b.example", "127.0.0.1"]] {
        let leaf = ca.issue(&hosts(names)).unwrap();
        let size = leaf.certificate.len() + SIGNATURE_EXCESS;
        // The length of an ECDSA signature varies by a few bytes.
        assert!(size.abs_diff(reference) <= 6, "{size} for {reference}");
    }
}

#[test]
fn many_hosts_need_no_padding() {
    let ca = LocalCa::new().unwrap();
    let names: Vec<String> = (0..300).map(|i| format!("host-{i}.example")).collect();
    let leaf = ca.issue(&names).unwrap();
    assert!(leaf.certificate.len() > 300 * 16);
    leaf.tcp(Protocol::H2, false).unwrap();
    leaf.quic(true).unwrap();
}

#[test]
fn alpn_is_what_the_protocol_says() {
    let leaf = LocalCa::new()
        .unwrap()
        .issue(&hosts(&["a.example"]))
        .unwrap();
    let offers = |protocol| leaf.tcp(protocol, false).unwrap().alpn_protocols.clone();
    assert_eq!(offers(Protocol::H1), [b"http/1.1".to_vec()]);
    assert_eq!(offers(Protocol::H2), [b"h2".to_vec(), b"http/1.1".to_vec()]);
}

#[test]
fn what_is_no_name_is_refused_by_name() {
    let ca = LocalCa::new().unwrap();
    let error = ca.issue(&hosts(&["a.example", "b\u{fc}cher.example"]));
    assert!(
        matches!(&error, Err(LiveError::Name(name)) if name.starts_with('b')),
        "{error:?}"
    );
}

#[test]
fn the_certificate_is_pem() {
    let ca = LocalCa::new().unwrap();
    let pem = ca.certificate_pem();
    let text: String = pem.lines().filter(|l| !l.starts_with('-')).collect();
    assert!(pem.lines().all(|line| line.len() <= 64));
    assert_eq!(BASE64.decode(text).unwrap(), ca.certificate_der());
    let hashes = ca.spki_hashes();
    assert_eq!(hashes.len(), 2);
    assert!(hashes.iter().all(|h| BASE64.decode(h).unwrap().len() == 32));
}
