//! The option `--origin-rtt`.

use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, bail};
use pagerace_core::{Duration, Words as _};
use pagerace_page::Page;
use pagerace_sim::{Connections, OriginRtt};

use super::values::duration;

/// An item of the option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// The distance of all origins that no other item names.
    All(OriginRtt),
    /// The round trip to a host beyond the access link.
    Host(String, Duration),
}

impl FromStr for Item {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(way) = OriginRtt::of_word(text) {
            return Ok(Self::All(way));
        }
        let Some((host, time)) = text.split_once('=') else {
            return Err("write same, recorded, or a host as in cdn.example=80ms".to_owned());
        };
        Ok(Self::Host(host.to_ascii_lowercase(), duration(time)?))
    }
}

/// Returns the setting that the items need.
pub(crate) fn setting(items: &[Item]) -> OriginRtt {
    let same = |item: &Item| *item == Item::All(OriginRtt::Same);
    if items.iter().all(same) {
        OriginRtt::Same
    } else {
        OriginRtt::Recorded
    }
}

/// Rejects items that exclude each other.
///
/// # Errors
/// Names the items.
pub(crate) fn check(items: &[Item], connections: Connections) -> Result<()> {
    let named = items.iter().any(|item| matches!(item, Item::Host(..)));
    if named && connections == Connections::Single {
        bail!(
            "--origin-rtt: with a single connection there is one server; leave out the hosts, or \
             --connections single"
        );
    }
    for (place, item) in items.iter().enumerate() {
        let same_host = |other: &Item| match (item, other) {
            (Item::Host(host, _), Item::Host(twin, _)) => host == twin,
            (Item::All(_), Item::All(_)) => true,
            _ => false,
        };
        if items[..place].iter().any(same_host) {
            match item {
                Item::Host(host, _) => bail!("--origin-rtt: {host} is given twice"),
                Item::All(_) => bail!("--origin-rtt: write same or recorded, and only once"),
            }
        }
    }
    Ok(())
}

/// Sets the round trips of the origins that items name, in the pages themselves, which
/// results contain.
///
/// # Errors
/// A host is on no page.
pub(crate) fn apply(items: &[Item], pages: &mut [Arc<Page>]) -> Result<()> {
    let hosts = items.iter().filter_map(|item| match item {
        Item::Host(host, extra) => Some((host, *extra)),
        Item::All(_) => None,
    });
    let hosts: Vec<(&String, Duration)> = hosts.collect();
    if hosts.is_empty() {
        return Ok(());
    }
    let is_on = |host: &String| {
        let mut origins = pages.iter().flat_map(|page| &page.origins);
        origins.any(|origin| origin.host.eq_ignore_ascii_case(host))
    };
    if let Some((host, _)) = hosts.iter().find(|(host, _)| !is_on(host)) {
        bail!(
            "--origin-rtt: no page has a request to {host}; `pagerace page FILE` shows its hosts"
        );
    }
    let recorded = items.contains(&Item::All(OriginRtt::Recorded));
    for page in pages {
        let origins = &mut Arc::make_mut(page).origins;
        if !recorded {
            for origin in origins.iter_mut() {
                origin.recorded_rtt = Some(Duration::ZERO);
            }
        }
        let known = origins.iter().filter_map(|origin| origin.recorded_rtt);
        let nearest = known.min().unwrap_or_default();
        for origin in origins {
            let mut named = hosts.iter();
            let named = named.find(|(host, _)| origin.host.eq_ignore_ascii_case(host));
            if let Some((_, extra)) = named {
                origin.recorded_rtt = Some(nearest + *extra);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_a_way_or_a_host() {
        let host = Item::Host("cdn.example".to_owned(), Duration::from_millis(80));
        assert_eq!("CDN.example=80ms".parse(), Ok(host.clone()));
        let recorded: Item = "recorded".parse().expect("a way");
        assert_eq!(setting(&[]), OriginRtt::Same);
        assert_eq!(
            setting(std::slice::from_ref(&recorded)),
            OriginRtt::Recorded
        );
        assert_eq!(setting(&[host]), OriginRtt::Recorded);
        for bad in ["near", "cdn.example=80", "cdn.example="] {
            assert!(bad.parse::<Item>().is_err(), "{bad}");
        }
        let items = |text: &str| -> Vec<Item> {
            let items = text.split(',').map(str::parse);
            items.collect::<Result<_, _>>().expect("valid items")
        };
        let hosts = items("recorded,a.example=1ms,b.example=1ms");
        assert!(check(&hosts, Connections::Single).is_err());
        assert!(check(&hosts, Connections::PerOrigin).is_ok());
        for bad in ["same,recorded", "a.example=1ms,A.example=2ms"] {
            assert!(check(&items(bad), Connections::PerOrigin).is_err(), "{bad}");
        }
    }
}
