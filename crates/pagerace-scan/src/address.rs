//! Addresses that a scan of the public Internet leaves alone.
//!
//! Anybody can let a name point to any address: also to the scanner's own machine, to its local
//! network, or to the metadata service of a cloud.

use std::net::IpAddr;

use ipnet::IpNet;

/// Networks that are not globally reachable.
///
/// # Source
/// The IANA registries of special-purpose addresses (RFC 6890), with multicast.
const SPECIAL: [&str; 32] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "::/128",
    "::1/128",
    // IPv4 in IPv6 reaches what IPv4 reaches.
    "::ffff:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "ff00::/8",
];

/// Returns true if the address is one of the public Internet.
pub fn is_public(address: IpAddr) -> bool {
    // Global unicast addresses are in 2000::/3 (RFC 4291, section 2.5.4, and IANA's registry).
    let global = match address {
        IpAddr::V4(_) => true,
        IpAddr::V6(address) => address.octets()[0] >> 5 == 1,
    };
    global
        && !SPECIAL.iter().any(|text| {
            let prefix = prefix(text).expect("the table is well formed");
            prefix.contains(&address)
        })
}

/// Reads an address, or a range of addresses such as `192.0.2.0/24`.
pub fn prefix(text: &str) -> Option<IpNet> {
    let (address, length) = match text.split_once('/') {
        None => (text, None),
        Some((address, length)) => (address, Some(length.parse().ok()?)),
    };
    // The crate's own parser also reads numbers with leading zeros, which are ambiguous.
    let address: IpAddr = address.parse().ok()?;
    match length {
        None => Some(address.into()),
        Some(length) => IpNet::new(address, length).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_public, prefix};

    #[test]
    fn special_addresses_are_not_public() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "169.254.169.254",
            "::1",
            "fe80::1",
            "::ffff:10.0.0.1",
            "::10.0.0.1",
            "4000::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "9.9.9.9",
            "172.32.0.1",
            "2606:4700::1111",
            "2620:fe::fe",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn prefixes_contain_their_addresses() {
        for (range, address, inside) in [
            ("192.0.2.128/25", "192.0.2.200", true),
            ("192.0.2.128/25", "192.0.2.1", false),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("::/0", "::1", true),
            ("::/0", "8.8.8.8", false),
        ] {
            let address: std::net::IpAddr = address.parse().unwrap();
            let contains = prefix(range).unwrap().contains(&address);
            assert_eq!(contains, inside, "{range} {address}");
        }
        for bad in [
            "",
            "/",
            "1.2.3.4/33",
            "1.2.3/8",
            "::/129",
            "1.2.3.4/",
            "name.example",
            "010.0.0.0/8",
        ] {
            assert!(prefix(bad).is_none(), "{bad}");
        }
    }
}
