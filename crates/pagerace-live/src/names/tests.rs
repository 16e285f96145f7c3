//! Byte-level tests of the name server's answers.

use std::net::Ipv4Addr;

use proptest::prelude::*;

use super::*;

const AAAA: u16 = 28;
const HTTPS: u16 = 65;

fn names() -> BTreeMap<String, IpAddr> {
    BTreeMap::from([("a.test".to_owned(), Ipv4Addr::new(10, 1, 0, 1).into())])
}

/// Returns a query as a resolver sends it.
fn question(name: &str, kind: u16) -> Vec<u8> {
    let mut query = vec![0x12, 0x34, 0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in name.split('.') {
        query.push(label.len() as u8);
        query.extend(label.as_bytes());
    }
    query.push(0);
    query.extend(kind.to_be_bytes());
    query.extend(CLASS_IN.to_be_bytes());
    query
}

#[test]
fn a_known_name_has_its_address() {
    // The answer repeats the case of the question: resolvers compare it (0x20 encoding).
    let query = question("A.tEst", TYPE_A);
    let response = answer(&names(), &query).unwrap();
    let header = [0x12, 0x34, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
    let record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 10, 1, 0, 1];
    let expected = [&header[..], &query[HEADER..], &record[..]].concat();
    assert_eq!(response, expected);
}

#[test]
fn a_known_name_has_no_other_records() {
    for kind in [AAAA, HTTPS] {
        let query = question("a.test", kind);
        let response = answer(&names(), &query).unwrap();
        assert_eq!(response[3], 0x80, "no error");
        assert_eq!(response[6..12], [0; 6], "no records");
        assert_eq!(response[HEADER..], query[HEADER..]);
    }
}

#[test]
fn other_names_do_not_exist() {
    for name in ["b.test", "a.test.example", "test"] {
        let response = answer(&names(), &question(name, TYPE_A)).unwrap();
        assert_eq!(response[3], 0x80 | NAME_ERROR as u8, "{name}");
        assert_eq!(response[6..8], [0, 0], "{name}");
    }
}

#[test]
fn what_is_no_question_has_no_answer() {
    let query = question("a.test", TYPE_A);
    let response = answer(&names(), &query).unwrap();
    assert_eq!(
        answer(&names(), &response),
        None,
        "else two servers would talk for ever"
    );
    for length in 0..query.len() {
        assert_eq!(answer(&names(), &query[..length]), None, "{length} bytes");
    }
    // A compression pointer instead of a name.
    let mut pointer = query.clone();
    pointer[HEADER] = 0xc0;
    assert_eq!(answer(&names(), &pointer), None);
    // A name longer than 255 bytes.
    let long = ["abcdefgh"; 40].join(".");
    assert_eq!(answer(&names(), &question(&long, TYPE_A)), None);
}

proptest! {
    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let mut query = question("a.test", TYPE_A);
        query.truncate(HEADER);
        for query in [bytes.clone(), [query, bytes].concat()] {
            if let Some(response) = answer(&names(), &query) {
                prop_assert!(response.len() <= query.len() + 16);
                prop_assert_eq!(&response[..2], &query[..2]);
            }
        }
    }
}
