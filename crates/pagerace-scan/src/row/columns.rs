//! The columns of rows, in their order.

use Read::{Count, Flag, Number, Text};

use super::{Cell, Host, Names, Row};
use crate::quic::parameters::Parameters;
use crate::quic::{Again, Http3Settings, Quic};
use crate::tcp::Tcp;
use crate::tls::Certificate;

/// Reads a value.
enum Read<T> {
    Text(fn(&T) -> Option<&str>),
    Number(fn(&T) -> Option<f64>),
    Count(fn(&T) -> Option<u64>),
    Flag(fn(&T) -> Option<bool>),
}

#[rustfmt::skip]
const ROW: &[(&str, Read<Row>)] = &[
    ("domain", Text(|r| Some(r.domain.as_str()))),
    ("http3", Flag(Row::http3)),
    ("announced", Flag(Row::announced)),
    ("https", Flag(Row::https)),
    ("ipv6", Flag(|r| Some(names(r)?.aaaa? > 0))),
    ("cdn", Text(|r| r.cdn.as_deref())),
    ("cdn_evidence", Text(|r| r.cdn_evidence.as_deref())),
    ("error", Text(|r| r.error.as_deref())),
    ("dns_a", Count(|r| names(r)?.a)),
    ("dns_aaaa", Count(|r| names(r)?.aaaa)),
    ("dns_https", Flag(|r| names(r)?.https)),
    ("dns_a_ms", Number(|r| names(r)?.a_ms)),
    ("dns_aaaa_ms", Number(|r| names(r)?.aaaa_ms)),
    ("dns_https_ms", Number(|r| names(r)?.https_ms)),
    ("dns_a_error", Text(|r| names(r)?.a_error.as_deref())),
    ("dns_aaaa_error", Text(|r| names(r)?.aaaa_error.as_deref())),
    ("dns_https_error", Text(|r| names(r)?.https_error.as_deref())),
    ("dns_cname", Text(|r| names(r)?.cname.as_deref())),
    ("dns_https_alpn", Text(|r| names(r)?.https_alpn.as_deref())),
    ("dns_https_target", Text(|r| names(r)?.https_target.as_deref())),
    ("dns_https_port", Count(|r| names(r)?.https_port.map(u64::from))),
    ("dns_https_hints", Flag(|r| Some(names(r)?.https_hints))),
    ("dns_https_ech", Flag(|r| Some(names(r)?.https_ech))),
];

/// The columns of each of the two hosts.
#[rustfmt::skip]
const HOST: &[(&str, Read<Host>)] = &[
    ("address", Text(|h| Some(h.address.as_str()))),
    ("error", Text(|h| h.error.as_deref())),
    ("https", Flag(Host::https)),
    ("tcp_attempts", Count(|h| Some(tcp(h)?.attempts.into()))),
    ("tcp_error", Text(|h| tcp(h)?.error.as_deref())),
    ("tcp_connect_ms", Number(|h| tcp(h)?.connect_ms)),
    ("tcp_tls_ms", Number(|h| tcp(h)?.tls_ms)),
    ("tcp_response_ms", Number(|h| tcp(h)?.response_ms)),
    ("tls", Text(|h| tcp(h)?.tls.as_deref())),
    ("alpn", Text(|h| tcp(h)?.alpn.as_deref())),
    ("http", Text(|h| tcp(h)?.http.as_deref())),
    ("status", Count(|h| tcp(h)?.status.map(u64::from))),
    ("alt_svc", Text(|h| tcp(h)?.alt_svc.as_deref())),
    ("announced", Flag(Host::announces)),
    ("certificate", Text(|h| Some(certificate(h)?.verdict.as_str()))),
    ("certificate_count", Count(|h| Some(certificate(h)?.count))),
    ("certificate_bytes", Count(|h| Some(certificate(h)?.bytes))),
    ("http3", Flag(Host::http3)),
    ("quic_attempts", Count(|h| Some(quic(h)?.attempts.into()))),
    ("quic_error", Text(|h| quic(h)?.error.as_deref())),
    ("quic_answered", Flag(|h| Some(quic(h)?.answered))),
    ("quic_handshake_ms", Number(|h| quic(h)?.handshake_ms)),
    ("quic_response_ms", Number(|h| quic(h)?.response_ms)),
    ("quic_status", Count(|h| quic(h)?.status.map(u64::from))),
    ("quic_versions", Text(|h| quic(h)?.versions.as_deref())),
    ("quic_retry", Flag(|h| quic(h).filter(|q| q.answered).map(|q| q.retry))),
    ("quic_amplification", Number(|h| quic(h)?.amplification)),
    ("quic_certificate", Text(|h| Some(quic(h)?.certificate.as_ref()?.verdict.as_str()))),
    ("quic_certificate_bytes", Count(|h| Some(quic(h)?.certificate.as_ref()?.bytes))),
    ("quic_ticket", Flag(|h| quic(h)?.ticket)),
    ("quic_early_data_offered", Flag(|h| quic(h)?.early_data_offered)),
    ("quic_resumed", Flag(|h| again(h)?.resumed)),
    ("quic_early_data", Flag(|h| again(h)?.early_data)),
    ("quic_again_handshake_ms", Number(|h| again(h)?.handshake_ms)),
    ("quic_again_response_ms", Number(|h| again(h)?.response_ms)),
    ("quic_again_error", Text(|h| again(h)?.error.as_deref())),
    ("tp_max_idle_timeout_ms", Count(|h| Some(tp(h)?.max_idle_timeout))),
    ("tp_max_udp_payload_size", Count(|h| Some(tp(h)?.max_udp_payload_size))),
    ("tp_initial_max_data", Count(|h| Some(tp(h)?.initial_max_data))),
    ("tp_initial_max_stream_data", Count(|h| Some(tp(h)?.initial_max_stream_data))),
    ("tp_initial_max_streams", Count(|h| Some(tp(h)?.initial_max_streams))),
    ("tp_max_ack_delay_ms", Count(|h| Some(tp(h)?.max_ack_delay))),
    ("tp_active_connection_id_limit", Count(|h| Some(tp(h)?.active_connection_id_limit))),
    ("tp_disable_active_migration", Flag(|h| Some(tp(h)?.disable_active_migration))),
    ("tp_preferred_address", Flag(|h| Some(tp(h)?.preferred_address))),
    ("tp_max_datagram_frame_size", Count(|h| Some(tp(h)?.max_datagram_frame_size))),
    ("h3_qpack_max_table_capacity", Count(|h| Some(h3(h)?.qpack_max_table_capacity))),
    ("h3_qpack_blocked_streams", Count(|h| Some(h3(h)?.qpack_blocked_streams))),
    ("h3_max_field_section_size", Count(|h| h3(h)?.max_field_section_size)),
    ("h3_connect_protocol", Flag(|h| Some(h3(h)?.enable_connect_protocol))),
    ("h3_datagram", Flag(|h| Some(h3(h)?.h3_datagram))),
];

fn names(row: &Row) -> Option<&Names> {
    row.names.as_ref()
}

fn tcp(host: &Host) -> Option<&Tcp> {
    host.tcp.as_ref()
}

fn certificate(host: &Host) -> Option<&Certificate> {
    tcp(host)?.certificate.as_ref()
}

fn quic(host: &Host) -> Option<&Quic> {
    host.quic.as_ref()
}

fn again(host: &Host) -> Option<&Again> {
    quic(host)?.again.as_ref()
}

fn tp(host: &Host) -> Option<&Parameters> {
    quic(host)?.parameters.as_ref()
}

fn h3(host: &Host) -> Option<&Http3Settings> {
    quic(host)?.settings.as_ref()
}

impl<T> Read<T> {
    fn cell<'a>(&self, from: Option<&'a T>) -> Cell<'a> {
        match self {
            Text(read) => Cell::Text(from.and_then(read)),
            Number(read) => Cell::Number(from.and_then(read)),
            Count(read) => Cell::Number(from.and_then(read).map(|count| count as f64)),
            Flag(read) => Cell::Flag(from.and_then(read)),
        }
    }
}

impl Row {
    /// Returns the prefix, the name and the value of each column, always in the same order.
    pub fn cells(&self) -> impl Iterator<Item = (&'static str, &'static str, Cell<'_>)> {
        let own = ROW
            .iter()
            .map(|(name, read)| ("", *name, read.cell(Some(self))));
        let hosts = [("v4_", self.v4.as_ref()), ("v6_", self.v6.as_ref())];
        own.chain(hosts.into_iter().flat_map(|(prefix, host)| {
            HOST.iter()
                .map(move |(name, read)| (prefix, *name, read.cell(host)))
        }))
    }
}
