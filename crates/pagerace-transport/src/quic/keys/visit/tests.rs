use super::*;

fn open(data: &mut [u8], visitor: &Visitor) -> Option<Vec<u8>> {
    let key = TokenKey(visitor.clone()).aead_from_hkdf(&[0; NONCE]);
    key.open(data, &[]).ok().map(|opened| opened.to_vec())
}

#[test]
fn a_token_is_good_for_its_sender_whatever_its_family() {
    let visitor = Visitor::default();
    let sealed = [FILLER; TOKEN - NONCE];
    assert_eq!(open(&mut sealed.clone(), &visitor), None);
    visitor.set([10, 0, 0, 1].into());
    let v4 = [1, 0, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(open(&mut sealed.clone(), &visitor).unwrap(), v4);
    visitor.set(std::net::Ipv6Addr::LOCALHOST.into());
    let opened = open(&mut sealed.clone(), &visitor).unwrap();
    assert_eq!(
        (opened.len(), &opened[..3], opened[17]),
        (26, &[1, 1, 0][..], 1)
    );
}

#[test]
fn anything_else_is_no_token() {
    let visitor = Visitor::default();
    visitor.set([10, 0, 0, 1].into());
    for mut other in [
        vec![],
        vec![FILLER; 3],
        vec![FILLER; TOKEN],
        vec![0; TOKEN - NONCE],
    ] {
        assert_eq!(open(&mut other, &visitor), None);
    }
}
