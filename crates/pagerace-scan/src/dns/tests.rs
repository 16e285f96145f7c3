use hickory_proto::rr::Record;
use hickory_proto::rr::rdata::svcb::{Alpn, EchConfigList};
use hickory_proto::rr::rdata::{A, AAAA, CNAME, HTTPS};
use proptest::prelude::*;

use super::*;

fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

fn reply(kind: Question, records: Vec<Record>) -> Vec<u8> {
    let asked = question(7, "a.example", kind).unwrap();
    let mut message = Message::from_vec(&asked).unwrap().into_response();
    message.add_answers(records);
    message.to_vec().unwrap()
}

fn record(owner: &str, data: RData) -> Record {
    Record::from_rdata(name(owner), 60, data)
}

fn cname(owner: &str, target: &str) -> Record {
    record(owner, RData::CNAME(CNAME(name(target))))
}

fn a(owner: &str, last: u8) -> Record {
    record(owner, RData::A(A::new(192, 0, 2, last)))
}

fn answer_to(kind: Question, records: Vec<Record>) -> Answer {
    match read(&reply(kind, records), 7, "a.example", kind).unwrap() {
        Reply::Answer(answer) => answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn addresses_stand_behind_aliases() {
    let records = vec![
        cname("b.example.", "c.cdn.example."),
        cname("A.example.", "b.example."),
        a("c.cdn.example.", 1),
        a("c.cdn.example.", 2),
        a("elsewhere.example.", 3),
    ];
    let answer = answer_to(Question::A, records);
    assert_eq!(answer.aliases, ["b.example", "c.cdn.example"]);
    let expected: Vec<IpAddr> = vec!["192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap()];
    assert_eq!(answer.addresses, expected);
    let six = record(
        "a.example.",
        RData::AAAA(AAAA::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
    );
    let answer = answer_to(Question::Aaaa, vec![six]);
    assert_eq!(answer.addresses, ["2001:db8::1".parse::<IpAddr>().unwrap()]);
}

#[test]
fn https_records_announce_protocols() {
    let alpn = Alpn(vec!["h3".into(), "h2".into()]);
    let params = vec![
        (SvcParamKey::Alpn, SvcParamValue::Alpn(alpn)),
        (SvcParamKey::Port, SvcParamValue::Port(8443)),
        (
            SvcParamKey::EchConfigList,
            SvcParamValue::EchConfigList(EchConfigList(vec![1])),
        ),
    ];
    let first = HTTPS(SVCB::new(1, Name::root(), params));
    let second = HTTPS(SVCB::new(2, name("pool.example."), Vec::new()));
    let records = [second, first].map(|data| record("a.example.", RData::HTTPS(data)));
    let https = answer_to(Question::Https, records.to_vec()).https.unwrap();
    assert_eq!(https.alpn, ["h3", "h2"]);
    assert_eq!(
        (https.port, https.ech, https.target),
        (Some(8443), true, None)
    );
    let alias = HTTPS(SVCB::new(0, name("pool.example."), Vec::new()));
    let answer = answer_to(
        Question::Https,
        vec![record("a.example.", RData::HTTPS(alias))],
    );
    assert_eq!(answer.https_alias.as_deref(), Some("pool.example"));
    assert_eq!(answer.https, None);
}

#[test]
fn loops_of_aliases_end() {
    let circle = vec![
        cname("a.example.", "b.example."),
        cname("b.example.", "a.example."),
    ];
    let itself = vec![cname("a.example.", "a.example.")];
    let tail = vec![
        cname("a.example.", "b.example."),
        cname("b.example.", "c.example."),
        cname("c.example.", "b.example."),
    ];
    let long = (0..30).map(|i| cname(&format!("n{i}.example."), &format!("n{}.example.", i + 1)));
    let long: Vec<Record> = [cname("a.example.", "n0.example.")]
        .into_iter()
        .chain(long)
        .collect();
    for records in [circle, itself, tail, long] {
        let error = read(&reply(Question::A, records), 7, "a.example", Question::A).unwrap_err();
        assert!(error.to_string().contains("loop of aliases"), "{error}");
    }
}

#[test]
fn foreign_answers_do_not_count() {
    let bytes = reply(Question::A, vec![a("a.example.", 1)]);
    for (id, domain, kind) in [
        (8, "a.example", Question::A),
        (7, "b.example", Question::A),
        (7, "a.example", Question::Aaaa),
    ] {
        assert_eq!(read(&bytes, id, domain, kind), Ok(Reply::Foreign));
    }
    let asked = question(7, "a.example", Question::A).unwrap();
    assert_eq!(
        read(&asked, 7, "a.example", Question::A),
        Ok(Reply::Foreign)
    );
    assert_eq!(
        read(&[0, 7], 7, "a.example", Question::A),
        Ok(Reply::Foreign)
    );
}

proptest! {
    #[test]
    fn no_answer_panics(noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
            cut in any::<prop::sample::Index>()) {
        let alpn = SvcParamValue::Alpn(Alpn(vec!["h3".into()]));
        let https = HTTPS(SVCB::new(1, Name::root(), vec![(SvcParamKey::Alpn, alpn)]));
        let mut bytes = reply(Question::Https, vec![
            cname("a.example.", "b.example."), record("b.example.", RData::HTTPS(https)),
        ]);
        for (at, byte) in noise {
            let at = 12 + at.index(bytes.len() - 12);
            bytes[at] = byte;
        }
        for end in [bytes.len(), cut.index(bytes.len())] {
            let _ = read(&bytes[..end], 7, "a.example", Question::Https);
        }
    }
}
