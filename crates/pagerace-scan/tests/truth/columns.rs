//! The truth of every column, by what the servers do.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use hickory_proto::rr::RecordType;
use pagerace_scan::Cell;

use crate::internet::asked::{EDGES, FIELDS, HOSTING};
use crate::internet::authority::Names;
use crate::internet::hostile::Hostile;
use crate::internet::web::{Identity, Parameters, Quic, Web};
use crate::internet::{Internet, Kind, Server, address, ours};
use crate::kinds::{EXCLUDED, UNWANTED};

use Truth::{Between, Count, Error, Flag, Null, Text};

/// More ms than any step may take.
const MS_MAX: f64 = 120_000.0;
/// The versions of quinn, without the reserved one.
const VERSIONS: &str = "1 draft-29 draft-30 draft-31 draft-32 draft-33 draft-34";

/// The right value of a column.
#[derive(Debug, PartialEq)]
pub(crate) enum Truth {
    /// The value is unknown.
    Null,
    Flag(bool),
    Count(u64),
    Text(String),
    /// A text that begins with this word.
    Error(&'static str),
    /// A number within these bounds.
    Between(f64, f64),
}

impl Truth {
    pub(crate) fn fits(&self, cell: Cell<'_>) -> bool {
        match (self, cell) {
            (Null, cell) => is_null(cell),
            (Flag(flag), Cell::Flag(Some(says))) => *flag == says,
            (Count(count), Cell::Number(Some(says))) => says.to_bits() == (*count as f64).to_bits(),
            (Text(text), Cell::Text(Some(says))) => text == says,
            (Error(word), Cell::Text(Some(says))) => says.split(": ").next() == Some(word),
            (Between(least, most), Cell::Number(Some(says))) => (*least..=*most).contains(&says),
            _ => false,
        }
    }

    /// Returns true if there is something to find.
    pub(crate) fn is_value(&self) -> bool {
        !matches!(self, Null | Flag(false))
    }
}

pub(crate) fn is_null(cell: Cell<'_>) -> bool {
    matches!(
        cell,
        Cell::Text(None) | Cell::Number(None) | Cell::Flag(None)
    )
}

/// Returns true if the cell finds nothing: null, or 0 for a flag.
pub(crate) fn says_nothing(cell: Cell<'_>) -> bool {
    is_null(cell) || cell == Cell::Flag(Some(false))
}

/// A domain.
pub(crate) struct Site<'a> {
    pub internet: &'a Internet,
    pub kind: &'a Kind,
    /// Number of the kind.
    pub index: usize,
    /// Number of the domain among those of its kind.
    pub number: u32,
}

impl<'a> Site<'a> {
    pub(crate) fn domain(&self) -> String {
        format!("{}.{}.test", self.number, self.kind.name)
    }

    fn is_asked(&self) -> bool {
        self.kind.name != UNWANTED
    }

    fn web(&self) -> Option<&'a Web> {
        match &self.kind.server {
            Server::Web(web) => Some(web),
            _ => None,
        }
    }

    /// The round trip to the servers and to the authority.
    fn rtt(&self) -> Duration {
        self.web().map_or(Duration::ZERO, |web| 2 * web.delay)
    }

    /// Returns the word of the error with which the DNS answers.
    fn failure(&self, question: RecordType) -> Option<&'static str> {
        match &self.kind.server {
            Server::Hostile(Hostile::NoDomain | Hostile::ServFail) => Some("dns"),
            Server::Hostile(Hostile::SilentDns) => Some("timeout"),
            Server::Web(web) if web.names.fails == Some(question) => Some("dns"),
            _ => None,
        }
    }

    /// Returns the records in the DNS, if it answers the question.
    fn names(&self, question: RecordType) -> Option<Names> {
        let answered = self.is_asked() && self.failure(question).is_none();
        let names = self.web().map(|web| web.names.clone());
        answered.then(|| names.unwrap_or_default())
    }

    /// Returns the server at the first address of a family.
    pub(crate) fn host(&self, six: bool) -> Option<Place<'a>> {
        let question = if six { RecordType::AAAA } else { RecordType::A };
        if self.names(question)?.no_a && !six {
            return None;
        }
        let first = address(self.index, self.number);
        let (ip, web) = match self.web() {
            Some(web) if six => (IpAddr::V6(Ipv6Addr::LOCALHOST), Some(web.six.as_deref()?)),
            _ if six => return None,
            web => (IpAddr::V4(first), web),
        };
        Some(Place {
            internet: self.internet,
            at: SocketAddr::new(ip, self.internet.port),
            server: &self.kind.server,
            web,
            is_asked: self.kind.name != EXCLUDED,
        })
    }

    fn hosts(&self) -> impl Iterator<Item = Place<'a>> {
        [false, true].into_iter().filter_map(|six| self.host(six))
    }

    /// Returns true if a property holds for any server that is asked; `None` if none is.
    fn any(&self, holds: impl Fn(&Place<'_>) -> bool) -> Option<bool> {
        let asked: Vec<_> = self.hosts().filter(|host| host.is_asked).collect();
        (!asked.is_empty()).then(|| asked.iter().any(holds))
    }

    fn announced(&self) -> Option<bool> {
        let names = self.names(RecordType::HTTPS);
        let record = names.map(|names| names.record.is_some_and(|r| r.alpn.contains(&"h3")));
        let fields: Vec<bool> = self
            .hosts()
            .filter_map(|host| Some(announces(host.tcp()?)))
            .collect();
        let all = record.into_iter().chain(fields);
        all.reduce(|one, other| one || other)
    }

    fn cdn(&self) -> Option<(&'static str, &'static str)> {
        let responds = |host: &Place<'_>| host.tcp().is_some() || host.quic().is_some();
        let first = self.hosts().find(responds);
        let server = first.and_then(|host| host.web?.server);
        let alias = self.names(RecordType::A).is_some_and(|names| names.alias);
        let fields = (server == Some("cloudflare")).then_some((FIELDS, "fields"));
        let domain = (self.kind.name == "hosted").then_some((HOSTING, "domain"));
        fields.or(domain).or(alias.then_some((EDGES, "alias")))
    }

    /// Returns a property of the HTTPS record.
    fn record(&self, of: impl Fn(&Names) -> Truth) -> Truth {
        self.names(RecordType::HTTPS)
            .map_or(Null, |names| of(&names))
    }
}

fn announces(web: &Web) -> bool {
    let value = web.alt_svc.unwrap_or_default();
    value.split(", ").any(|one| one.starts_with("h3="))
}

/// A server at one address.
pub(crate) struct Place<'a> {
    internet: &'a Internet,
    at: SocketAddr,
    server: &'a Server,
    web: Option<&'a Web>,
    is_asked: bool,
}

impl<'a> Place<'a> {
    /// Returns true if packets to and from it are lost.
    pub(crate) fn is_lossy(&self) -> bool {
        self.web.is_some_and(|web| web.loss > 0.0)
    }

    /// Returns the server if it answers over TCP.
    fn tcp(&self) -> Option<&'a Web> {
        self.web.filter(|web| self.is_asked && !web.no_tcp)
    }

    /// Returns its properties over QUIC, if it answers there.
    fn quic(&self) -> Option<Quic> {
        self.web.filter(|_| self.is_asked)?.quic
    }

    fn tickets(&self) -> Option<Quic> {
        self.quic().filter(|quic| !quic.no_tickets)
    }

    /// Returns its properties on a second connection, if that succeeds.
    fn again(&self) -> Option<Quic> {
        self.tickets().filter(|quic| !quic.once)
    }

    fn parameters(&self) -> Option<&'static Parameters> {
        self.quic().map(Quic::parameters)
    }

    fn rtt(&self) -> Duration {
        2 * self.web.map_or(Duration::ZERO, |web| web.delay)
    }

    /// Returns the round trips of a handshake over QUIC.
    fn trips(quic: Quic) -> u32 {
        1 + u32::from(quic.retry)
    }

    fn tcp_error(&self) -> Option<&'static str> {
        if self.tcp().is_some() || !self.is_asked {
            return None;
        }
        Some(match self.server {
            Server::Hostile(Hostile::GarbageTcp) => "tls",
            Server::Hostile(Hostile::Closer) => "closed",
            Server::Hostile(Hostile::Tarpit) => "timeout",
            _ => "refused",
        })
    }

    fn quic_error(&self) -> Option<&'static str> {
        if self.quic().is_some() || !self.is_asked {
            return None;
        }
        Some(match self.server {
            Server::Hostile(Hostile::WrongAlpnQuic) => "tls",
            Server::Hostile(Hostile::VersionsUdp) => "quic",
            Server::Web(_) if self.web.is_some_and(|web| web.udp_silent) => "timeout",
            _ => "refused",
        })
    }

    /// Returns true if packets of a QUIC connection come from there.
    fn answers(&self) -> bool {
        let refuses = matches!(
            self.server,
            Server::Hostile(Hostile::WrongAlpnQuic | Hostile::VersionsUdp)
        );
        self.quic().is_some() || refuses
    }

    fn connects(&self) -> bool {
        self.tcp().is_some() || self.tcp_error().is_some_and(|error| error != "refused")
    }

    fn identity(&self, of: impl Fn(Identity, &[usize]) -> Truth, over: Option<()>) -> Truth {
        let Some(web) = self.web.filter(|_| over.is_some()) else {
            return Null;
        };
        if web.is_ours {
            return of(web.identity, &[ours::certificate_bytes()]);
        }
        let key = self.internet.identities.get(web.identity);
        let bytes: Vec<usize> = key.cert.iter().map(|one| one.len()).collect();
        of(web.identity, &bytes)
    }

    /// Returns the bytes of the chain.
    fn bytes(&self, over: Option<()>) -> Truth {
        let sum = |_, chain: &[usize]| Count(chain.iter().sum::<usize>() as u64);
        match self.identity(sum, over) {
            // Signatures and lengths in a certificate take a few bytes more or less. The test of
            // `LocalCa` has the same bound.
            Count(bytes) if self.web.is_some_and(|web| web.is_ours) => {
                Between(bytes as f64 - 6.0, bytes as f64 + 6.0)
            }
            other => other,
        }
    }
}

fn verdict(identity: Identity, _: &[usize]) -> Truth {
    let word = match identity {
        Identity::Good | Identity::Fat | Identity::Giant => "valid",
        Identity::SelfSigned => "unknown-issuer",
        Identity::Expired => "expired",
        Identity::WrongName => "wrong-name",
    };
    Text(word.to_owned())
}

fn flag(value: Option<bool>) -> Truth {
    value.map_or(Null, Flag)
}

fn count<T: Into<u64>>(value: Option<T>) -> Truth {
    value.map_or(Null, |value| Count(value.into()))
}

fn text(value: Option<&str>) -> Truth {
    value.map_or(Null, |value| Text(value.to_owned()))
}

fn error(word: Option<&'static str>) -> Truth {
    word.map_or(Null, Error)
}

/// A time of at least this.
fn from(least: Option<Duration>) -> Truth {
    least.map_or(Null, |least| Between(least.as_secs_f64() * 1000.0, MS_MAX))
}

/// The time of an answer of the DNS, which errors have as well.
fn answered(site: &Site<'_>, question: RecordType) -> Truth {
    let comes = site.is_asked() && site.failure(question) != Some("timeout");
    from(comes.then(|| site.rtt()))
}

fn failed(site: &Site<'_>, question: RecordType) -> Truth {
    error(site.failure(question).filter(|_| site.is_asked()))
}

/// Columns that belong together, with their truths.
pub(crate) type Group<T> = (&'static str, &'static [(&'static str, T)]);

/// The truth of a column, for a domain and for a host.
type OfSite = fn(&Site<'_>) -> Truth;
type OfPlace = fn(&Place<'_>) -> Truth;

pub(crate) const ROW: &[Group<OfSite>] = &[
    (
        "`http3`, `announced`, `https`, `ipv6`",
        &[
            ("http3", |s| flag(s.any(|host| host.quic().is_some()))),
            ("announced", |s| flag(s.announced())),
            ("https", |s| flag(s.any(|host| host.tcp().is_some()))),
            ("ipv6", |s| {
                flag(s.names(RecordType::AAAA).map(|_| s.host(true).is_some()))
            }),
        ],
    ),
    (
        "`cdn`, `cdn_evidence`",
        &[
            ("cdn", |s| text(s.cdn().map(|(name, _)| name))),
            ("cdn_evidence", |s| text(s.cdn().map(|(_, by)| by))),
        ],
    ),
    (
        "`domain`, `error`",
        &[
            ("domain", |s| Text(s.domain())),
            ("error", |s| {
                if !s.is_asked() {
                    return Error("excluded");
                }
                let nobody = s.hosts().next().is_none();
                error(nobody.then(|| s.failure(RecordType::A).unwrap_or("dns")))
            }),
        ],
    ),
    (
        "`dns_a`, `dns_aaaa`, `dns_https`, `dns_cname`",
        &[
            ("dns_a", |s| {
                let names = s.names(RecordType::A);
                count(names.map(|n| if n.no_a { 0 } else { 1 + n.more }))
            }),
            ("dns_aaaa", |s| {
                let names = s.names(RecordType::AAAA);
                let six = s.host(true).is_some();
                count(names.map(|n| if six { 1 + n.more } else { 0 }))
            }),
            ("dns_https", |s| s.record(|n| Flag(n.record.is_some()))),
            ("dns_cname", |s| {
                let alias = s.names(RecordType::A).is_some_and(|n| n.alias);
                text(alias.then_some(&*format!("edge{}.cdn.test", s.number)))
            }),
        ],
    ),
    (
        "`dns_https_*`",
        &[
            ("dns_https_alpn", |s| {
                s.record(|n| {
                    let alpn = n.record.map(|r| r.alpn.join(" "));
                    text(alpn.as_deref().filter(|alpn| !alpn.is_empty()))
                })
            }),
            ("dns_https_target", |s| {
                s.record(|n| {
                    let target = n.record.and_then(|r| r.target);
                    text(target.map(|name| name.trim_end_matches('.')))
                })
            }),
            ("dns_https_port", |s| {
                s.record(|n| count(n.record.and_then(|r| r.port)))
            }),
            // Hints and keys are 0 as well if there is no answer.
            ("dns_https_hints", |s| {
                let names = s.names(RecordType::HTTPS);
                let has = names.is_some_and(|n| n.record.is_some_and(|r| r.hints));
                flag(s.is_asked().then_some(has))
            }),
            ("dns_https_ech", |s| {
                let names = s.names(RecordType::HTTPS);
                let has = names.is_some_and(|n| n.record.is_some_and(|r| r.ech));
                flag(s.is_asked().then_some(has))
            }),
        ],
    ),
    (
        "`dns_*_error`",
        &[
            ("dns_a_error", |s| failed(s, RecordType::A)),
            ("dns_aaaa_error", |s| failed(s, RecordType::AAAA)),
            ("dns_https_error", |s| failed(s, RecordType::HTTPS)),
        ],
    ),
    (
        "`dns_*_ms`",
        &[
            ("dns_a_ms", |s| answered(s, RecordType::A)),
            ("dns_aaaa_ms", |s| answered(s, RecordType::AAAA)),
            ("dns_https_ms", |s| answered(s, RecordType::HTTPS)),
        ],
    ),
];

pub(crate) const HOST: &[Group<OfPlace>] = &[
    (
        "`address`, `error`",
        &[
            ("address", |h| Text(h.at.ip().to_string())),
            ("error", |h| error((!h.is_asked).then_some("excluded"))),
        ],
    ),
    (
        "`https`, `http3`, `announced`, `alt_svc`",
        &[
            ("https", |h| flag(h.is_asked.then(|| h.tcp().is_some()))),
            ("http3", |h| flag(h.is_asked.then(|| h.quic().is_some()))),
            ("announced", |h| flag(h.tcp().map(announces))),
            ("alt_svc", |h| text(h.tcp().and_then(|web| web.alt_svc))),
        ],
    ),
    (
        "`tls`, `alpn`, `http`, `status`",
        &[
            ("tls", |h| {
                text(h.tcp().map(|web| if web.tls12 { "1.2" } else { "1.3" }))
            }),
            ("alpn", |h| {
                let alpn = h.tcp().filter(|web| !web.no_alpn);
                text(alpn.map(|web| if web.h2 { "h2" } else { "http/1.1" }))
            }),
            ("http", |h| {
                text(h.tcp().map(|web| if web.h2 { "h2" } else { "h1" }))
            }),
            ("status", |h| {
                count(h.tcp().map(|web| web.status.unwrap_or(200)))
            }),
        ],
    ),
    (
        "`certificate*`, `quic_certificate*`",
        &[
            ("certificate", |h| h.identity(verdict, h.tcp().map(drop))),
            ("certificate_count", |h| {
                h.identity(|_, chain| Count(chain.len() as u64), h.tcp().map(drop))
            }),
            ("certificate_bytes", |h| h.bytes(h.tcp().map(drop))),
            ("quic_certificate", |h| {
                h.identity(verdict, h.quic().map(drop))
            }),
            ("quic_certificate_bytes", |h| h.bytes(h.quic().map(drop))),
        ],
    ),
    (
        "`tcp_error`, `quic_error`, `tcp_attempts`, `quic_attempts`",
        &[
            ("tcp_error", |h| error(h.tcp_error())),
            ("quic_error", |h| error(h.quic_error())),
            ("tcp_attempts", |h| {
                let passing = matches!(h.tcp_error(), Some("closed" | "timeout"));
                count(h.is_asked.then(|| 1 + u64::from(passing)))
            }),
            ("quic_attempts", |h| {
                if h.is_lossy() {
                    return Between(1.0, 2.0);
                }
                let passing = h.quic_error() == Some("timeout");
                count(h.is_asked.then(|| 1 + u64::from(passing)))
            }),
        ],
    ),
    (
        "`tcp_*_ms`",
        &[
            ("tcp_connect_ms", |h| {
                from(h.connects().then_some(Duration::ZERO))
            }),
            ("tcp_tls_ms", |h| {
                from(h.tcp().map(|web| web.waits(h.at, 0)[0]))
            }),
            ("tcp_response_ms", |h| {
                from(h.tcp().map(|web| web.waits(h.at, 0)[1]))
            }),
        ],
    ),
    (
        "`quic_answered`, `quic_status`, `quic_retry`",
        &[
            ("quic_answered", |h| flag(h.is_asked.then(|| h.answers()))),
            ("quic_status", |h| {
                count(h.quic().map(|quic| quic.status.unwrap_or(200)))
            }),
            ("quic_retry", |h| {
                let retry = h.quic().is_some_and(|quic| quic.retry);
                flag(h.answers().then_some(retry))
            }),
        ],
    ),
    (
        "`quic_versions`",
        &[("quic_versions", |h| match h.server {
            Server::Hostile(Hostile::VersionsUdp) => text(Some("draft-29 draft-28")),
            _ => text(h.answers().then_some(VERSIONS)),
        })],
    ),
    (
        "`quic_amplification`",
        &[("quic_amplification", |h| {
            if h.answers() {
                Between(0.01, 3.0)
            } else {
                Null
            }
        })],
    ),
    (
        "`quic_ticket`, `quic_early_data_offered`, `quic_resumed`, `quic_early_data`",
        &[
            ("quic_ticket", |h| flag(h.quic().map(|q| !q.no_tickets))),
            ("quic_early_data_offered", |h| {
                flag(h.quic().map(|q| q.early_data))
            }),
            ("quic_resumed", |h| flag(h.again().map(|q| !q.forgets))),
            ("quic_early_data", |h| {
                let offered = h.again().filter(|q| q.early_data);
                flag(offered.map(|q| !q.forgets))
            }),
        ],
    ),
    (
        "`quic_again_error`",
        &[("quic_again_error", |h| {
            let refused = h.tickets().is_some_and(|q| q.once);
            error(refused.then_some("quic"))
        })],
    ),
    (
        "`quic_*_ms`",
        &[
            ("quic_handshake_ms", |h| {
                from(h.quic().map(|q| Place::trips(q) * h.rtt()))
            }),
            ("quic_response_ms", |h| from(h.quic().map(|_| h.rtt()))),
            ("quic_again_handshake_ms", |h| {
                from(h.again().map(|q| Place::trips(q) * h.rtt()))
            }),
            ("quic_again_response_ms", |h| {
                let early = |q: Quic| q.early_data && !q.forgets;
                let trips = |q: Quic| Place::trips(q) + u32::from(!early(q));
                from(h.again().map(|q| trips(q) * h.rtt()))
            }),
        ],
    ),
    (
        "`tp_*`",
        &[
            ("tp_max_idle_timeout_ms", |h| {
                count(h.parameters().map(|p| p.idle_ms))
            }),
            ("tp_max_udp_payload_size", |h| {
                count(h.parameters().map(|p| p.udp_payload))
            }),
            ("tp_initial_max_data", |h| {
                count(h.parameters().map(|p| p.data))
            }),
            ("tp_initial_max_stream_data", |h| {
                count(h.parameters().map(|p| p.stream_data))
            }),
            ("tp_initial_max_streams", |h| {
                count(h.parameters().map(|p| p.streams))
            }),
            // The default, and what quinn says: neither can be set.
            ("tp_max_ack_delay_ms", |h| {
                count(h.parameters().map(|_| 25_u32))
            }),
            ("tp_active_connection_id_limit", |h| {
                count(h.parameters().map(|_| 5_u32))
            }),
            ("tp_disable_active_migration", |h| {
                flag(h.parameters().map(|p| !p.migrates))
            }),
            ("tp_preferred_address", |h| {
                flag(h.parameters().map(|p| p.preferred))
            }),
            ("tp_max_datagram_frame_size", |h| {
                count(h.parameters().map(|p| p.datagrams.unwrap_or(0)))
            }),
        ],
    ),
    (
        "`h3_*`",
        &[
            // The crate `h3` has no dynamic table.
            ("h3_qpack_max_table_capacity", |h| {
                count(h.parameters().map(|_| 0_u32))
            }),
            ("h3_qpack_blocked_streams", |h| {
                count(h.parameters().map(|_| 0_u32))
            }),
            ("h3_max_field_section_size", |h| {
                count(h.parameters().map(|p| p.field_section))
            }),
            ("h3_connect_protocol", |h| {
                flag(h.parameters().map(|p| p.connect))
            }),
            ("h3_datagram", |h| {
                flag(h.parameters().map(|p| p.datagrams.is_some()))
            }),
        ],
    ),
];
