//! Counts over the rows, with intervals, in the form of the table of a crawl.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::row::{Host, Row};

/// A share of domains.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// Name of the property.
    pub what: &'static str,
    /// Domains with it.
    pub count: u64,
    /// Domains of which it is known.
    pub of: u64,
    /// A description of those domains.
    pub base: &'static str,
    /// The share; `None` without domains.
    pub share: Option<f64>,
    /// The 95 % interval by Wilson, for a list that is a random sample of a larger one.
    pub interval: Option<(f64, f64)>,
}

/// The domains at one content delivery network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CdnShare {
    /// Its name.
    pub name: String,
    /// Domains there.
    pub domains: u64,
    /// Number of domains with HTTP/3.
    pub http3: u64,
}

/// The summary of a scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Domains of the list.
    pub domains: u64,
    /// Domains that were excluded.
    pub excluded: u64,
    /// The shares, in the order of the table.
    pub shares: Vec<Share>,
    /// Networks, those with most domains first.
    pub cdns: Vec<CdnShare>,
    /// Domains with an IPv6 address to which this machine has no way.
    pub v6_without_route: u64,
    /// Domains of which any packet came back over QUIC.
    pub quic_answered: u64,
    /// Failures of whole domains, most frequent first.
    pub failures: Vec<(String, u64)>,
}

/// Counts rows one after the other.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    domains: u64,
    excluded: u64,
    /// With the property, and known.
    shares: BTreeMap<usize, (u64, u64)>,
    cdns: BTreeMap<String, (u64, u64)>,
    v6_without_route: u64,
    quic_answered: u64,
    failures: BTreeMap<String, u64>,
}

type Property = (&'static str, &'static str, fn(&Row) -> Option<bool>);

/// The properties of the table: name, base, and the property of a row, `None` if the row does
/// not belong to the base.
const PROPERTIES: [Property; 17] = [
    ("address in the DNS", "asked", |row| {
        Some(has(row, false) || has(row, true))
    }),
    ("IPv4 address", "asked", |row| Some(has(row, false))),
    ("IPv6 address", "asked", |row| Some(has(row, true))),
    ("HTTPS record", "asked", |row| {
        Some(row.names.as_ref()?.https == Some(true))
    }),
    ("HTTPS over TCP", "asked", |row| {
        Some(row.https() == Some(true))
    }),
    ("HTTP/3", "asked", |row| Some(row.http3() == Some(true))),
    ("HTTP/3", "with HTTPS", |row| web(row)?.http3()),
    ("HTTP/3 over IPv4", "IPv4 asked", |row| {
        row.v4.as_ref()?.http3()
    }),
    ("HTTP/3 over IPv6", "IPv6 asked", |row| {
        row.v6.as_ref()?.http3()
    }),
    ("announced (alt-svc or HTTPS record)", "with HTTPS", |row| {
        web(row)?.announced()
    }),
    ("announced, but without HTTP/3", "announced", |row| {
        let announced = row.announced() == Some(true);
        row.http3().filter(|_| announced).map(|http3| !http3)
    }),
    ("not announced", "with HTTP/3", |row| {
        Some(h3(row)?.announced() != Some(true))
    }),
    ("HTTP/2 over TCP", "with HTTPS", |row| {
        let two = |host: &Host| host.tcp.as_ref().and_then(|tcp| tcp.http.as_deref()) == Some("h2");
        Some(hosts(web(row)?).any(two))
    }),
    ("valid certificate", "with HTTPS", |row| {
        let certificate = |host: &Host| host.tcp.as_ref()?.certificate.clone();
        let mut seen = hosts(web(row)?).filter_map(certificate);
        Some(seen.all(|certificate| certificate.verdict == "valid"))
    }),
    ("Retry", "with HTTP/3", |row| {
        quic(row, |quic| Some(quic.retry))
    }),
    ("amplification above 3", "with HTTP/3", |row| {
        quic(row, |quic| Some(quic.amplification? > 3.0))
    }),
    ("early data accepted", "with HTTP/3", |row| {
        quic(row, |quic| {
            Some(quic.again.as_ref().and_then(|again| again.early_data) == Some(true))
        })
    }),
];

fn has(row: &Row, v6: bool) -> bool {
    let count = |names: &crate::row::Names| if v6 { names.aaaa } else { names.a };
    row.names.as_ref().and_then(count).is_some_and(|n| n > 0)
}

fn hosts(row: &Row) -> impl Iterator<Item = &Host> {
    [&row.v4, &row.v6].into_iter().flatten()
}

/// Returns the row if it answers over HTTPS.
fn web(row: &Row) -> Option<&Row> {
    (row.https() == Some(true)).then_some(row)
}

/// Returns the row if it answers over HTTP/3.
fn h3(row: &Row) -> Option<&Row> {
    (row.http3() == Some(true)).then_some(row)
}

/// Returns true if it holds for any address with HTTP/3.
fn quic(row: &Row, of: impl Fn(&crate::quic::Quic) -> Option<bool>) -> Option<bool> {
    let with = hosts(h3(row)?).filter_map(|host| host.quic.as_ref());
    let known: Vec<bool> = with.filter(|q| q.status.is_some()).filter_map(of).collect();
    (!known.is_empty()).then(|| known.contains(&true))
}

impl Counts {
    /// Counts a row.
    pub(crate) fn add(&mut self, row: &Row) {
        self.domains += 1;
        if let Some(error) = &row.error {
            let kind = error.split(": ").next().unwrap_or_default();
            if kind == crate::Kind::Excluded.word() {
                self.excluded += 1;
                return;
            }
            *self.failures.entry(error.clone()).or_default() += 1;
            // Texts of the DNS are few; a bound all the same.
            if self.failures.len() > 1000 {
                self.failures.pop_last();
            }
            if kind == crate::Kind::Malformed.word() {
                return;
            }
        }
        for (i, (_, _, property)) in PROPERTIES.iter().enumerate() {
            if let Some(holds) = property(row) {
                let (with, known) = self.shares.entry(i).or_default();
                *with += u64::from(holds);
                *known += 1;
            }
        }
        self.v6_without_route += u64::from(row.v6.as_ref().is_some_and(Host::no_route));
        let answered = |host: &Host| host.quic.as_ref().is_some_and(|quic| quic.answered);
        self.quic_answered += u64::from(hosts(row).any(answered));
        if let Some(cdn) = &row.cdn {
            let (domains, http3) = self.cdns.entry(cdn.clone()).or_default();
            *domains += 1;
            *http3 += u64::from(row.http3() == Some(true));
        }
    }

    pub(crate) fn summary(self) -> Summary {
        let shares = PROPERTIES.iter().enumerate().map(|(i, (what, base, _))| {
            let (count, of) = self.shares.get(&i).copied().unwrap_or_default();
            Share {
                what,
                count,
                of,
                base,
                share: (of > 0).then(|| count as f64 / of as f64),
                interval: wilson(count, of),
            }
        });
        let cdns = self.cdns.into_iter();
        let mut cdns: Vec<CdnShare> = cdns
            .map(|(name, (domains, http3))| CdnShare {
                name,
                domains,
                http3,
            })
            .collect();
        cdns.sort_by(|a, b| b.domains.cmp(&a.domains).then_with(|| a.name.cmp(&b.name)));
        let mut failures: Vec<(String, u64)> = self.failures.into_iter().collect();
        failures.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Summary {
            domains: self.domains,
            excluded: self.excluded,
            shares: shares.collect(),
            cdns,
            v6_without_route: self.v6_without_route,
            quic_answered: self.quic_answered,
            failures,
        }
    }
}

/// Returns the 95 % interval of a share by Wilson (1927); `None` of nothing.
fn wilson(count: u64, of: u64) -> Option<(f64, f64)> {
    /// The 0.975 quantile of the normal distribution.
    const Z: f64 = 1.959_963_984_540_054;
    if of == 0 {
        return None;
    }
    let (n, p) = (of as f64, count as f64 / of as f64);
    let z2 = Z * Z / n;
    let middle = (p + z2 / 2.0) / (1.0 + z2);
    let half = Z / (1.0 + z2) * (p * (1.0 - p) / n + z2 / (4.0 * n)).sqrt();
    Some(((middle - half).max(0.0), (middle + half).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::{Counts, wilson};
    use crate::quic::Quic;
    use crate::row::{Host, Row};
    use crate::tcp::Tcp;

    #[test]
    fn intervals_are_those_of_wilson() {
        // Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
        let (low, high) = wilson(81, 263).unwrap();
        assert!(
            (low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5,
            "{low} {high}"
        );
        let (low, high) = wilson(0, 20).unwrap();
        assert!(
            low.abs() < 1e-12 && (high - 0.1611).abs() < 5e-5,
            "{low} {high}"
        );
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn failures_of_this_machine_are_no_answers_of_servers() {
        let of = |error: &str| {
            let mut counts = Counts::default();
            counts.add(&Row {
                v4: Some(Host {
                    tcp: Some(Tcp {
                        status: Some(200),
                        alt_svc: Some("h3=\":443\"".to_owned()),
                        ..Tcp::default()
                    }),
                    quic: Some(Quic {
                        error: Some(error.to_owned()),
                        ..Quic::default()
                    }),
                    ..Host::default()
                }),
                ..Row::default()
            });
            let shares = counts.summary().shares.into_iter();
            let named = ["HTTP/3 over IPv4", "announced, but without HTTP/3"];
            let named = shares.filter(|share| named.contains(&share.what));
            named
                .map(|share| (share.count, share.of))
                .collect::<Vec<_>>()
        };
        assert_eq!(of("timeout: no HTTP/3 response"), [(0, 1), (1, 1)]);
        assert_eq!(of("local: UDP: too many open files"), [(0, 0), (0, 0)]);
        assert_eq!(of("no-route: UDP: network unreachable"), [(0, 0), (0, 0)]);
    }

    #[test]
    fn what_was_not_asked_has_no_share() {
        let mut counts = Counts::default();
        for error in ["excluded: the domain", "malformed: line 2"] {
            counts.add(&Row {
                error: Some(error.to_owned()),
                ..Row::default()
            });
        }
        counts.add(&Row::default());
        let summary = counts.summary();
        assert_eq!((summary.domains, summary.excluded), (3, 1));
        assert_eq!(summary.failures, [("malformed: line 2".to_owned(), 1)]);
        assert_eq!(summary.shares[0].of, 1);
    }
}
