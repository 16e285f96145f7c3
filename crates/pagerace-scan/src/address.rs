//! Addresses that a scan of the public Internet leaves alone.
//!
//! Anybody can let a name point to any address: also to the scanner's own machine, to its local
//! network, or to the metadata service of a cloud.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

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
            let prefix = Prefix::parse(text).expect("the table is well formed");
            prefix.contains(address)
        })
}

/// A range of addresses, as `192.0.2.0/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    address: IpAddr,
    /// Number of leading bits that count.
    length: u8,
}

impl Prefix {
    /// Reads an address or a prefix.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, length) = match text.split_once('/') {
            None => (text, None),
            Some((address, length)) => (address, Some(length.parse().ok()?)),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let length = length.unwrap_or(most);
        (length <= most).then_some(Self { address, length })
    }

    /// Returns true if the address lies in the range.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(mine), IpAddr::V4(other)) => {
                let differ = Ipv4Addr::to_bits(mine) ^ Ipv4Addr::to_bits(other);
                differ.leading_zeros() >= u32::from(self.length)
            }
            (IpAddr::V6(mine), IpAddr::V6(other)) => {
                let differ = Ipv6Addr::to_bits(mine) ^ Ipv6Addr::to_bits(other);
                differ.leading_zeros() >= u32::from(self.length)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Prefix, is_public};

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
        let prefix = Prefix::parse("192.0.2.128/25").unwrap();
        assert!(prefix.contains("192.0.2.200".parse().unwrap()));
        assert!(!prefix.contains("192.0.2.1".parse().unwrap()));
        assert!(
            Prefix::parse("0.0.0.0/0")
                .unwrap()
                .contains("8.8.8.8".parse().unwrap())
        );
        assert!(
            Prefix::parse("::/0")
                .unwrap()
                .contains("::1".parse().unwrap())
        );
        assert!(
            !Prefix::parse("::/0")
                .unwrap()
                .contains("8.8.8.8".parse().unwrap())
        );
        for bad in [
            "",
            "/",
            "1.2.3.4/33",
            "1.2.3/8",
            "::/129",
            "1.2.3.4/",
            "name.example",
        ] {
            assert!(Prefix::parse(bad).is_none(), "{bad}");
        }
    }
}
