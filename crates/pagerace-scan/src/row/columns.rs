//! The columns of rows, in their order.

use super::{Cell, Host, Names, Row};
use crate::quic::Quic;

impl Row {
    /// Calls `see` with the prefix, the name and the value of each column, always in the same
    /// order.
    pub fn visit<'a>(&'a self, see: &mut dyn FnMut(&'static str, &'static str, Cell<'a>)) {
        let none = Names::default();
        let asked = self.names.is_some();
        let names = self.names.as_ref();
        let text = |value: Option<&'a str>| Cell::Text(value);
        see("", "domain", text(Some(&self.domain)));
        see("", "http3", Cell::Flag(self.http3()));
        see("", "announced", Cell::Flag(self.announced()));
        see("", "https", Cell::Flag(self.https()));
        see(
            "",
            "ipv6",
            Cell::Flag(names.and_then(|n| n.aaaa).map(|count| count > 0)),
        );
        see("", "cdn", text(self.cdn.as_deref()));
        see("", "cdn_evidence", text(self.cdn_evidence.as_deref()));
        see("", "error", text(self.error.as_deref()));
        let flag = |value: bool| Cell::Flag(asked.then_some(value));
        let inner = names.unwrap_or(&none);
        let count = |value: Option<u64>| Cell::Number(value.map(|v| v as f64));
        see("dns_", "a", count(inner.a));
        see("dns_", "aaaa", count(inner.aaaa));
        see("dns_", "https", Cell::Flag(inner.https));
        see("dns_", "a_ms", Cell::Number(inner.a_ms));
        see("dns_", "aaaa_ms", Cell::Number(inner.aaaa_ms));
        see("dns_", "https_ms", Cell::Number(inner.https_ms));
        see(
            "dns_",
            "a_error",
            text(names.and_then(|n| n.a_error.as_deref())),
        );
        see(
            "dns_",
            "aaaa_error",
            text(names.and_then(|n| n.aaaa_error.as_deref())),
        );
        see(
            "dns_",
            "https_error",
            text(names.and_then(|n| n.https_error.as_deref())),
        );
        see(
            "dns_",
            "cname",
            text(names.and_then(|n| n.cname.as_deref())),
        );
        see(
            "dns_",
            "https_alpn",
            text(names.and_then(|n| n.https_alpn.as_deref())),
        );
        see(
            "dns_",
            "https_target",
            text(names.and_then(|n| n.https_target.as_deref())),
        );
        see(
            "dns_",
            "https_port",
            Cell::Number(inner.https_port.map(f64::from)),
        );
        see("dns_", "https_hints", flag(inner.https_hints));
        see("dns_", "https_ech", flag(inner.https_ech));
        visit_host("v4_", self.v4.as_ref(), see);
        visit_host("v6_", self.v6.as_ref(), see);
    }
}

fn visit_host<'a>(
    prefix: &'static str,
    host: Option<&'a Host>,
    see: &mut dyn FnMut(&'static str, &'static str, Cell<'a>),
) {
    let mut see = |name, cell| see(prefix, name, cell);
    let tcp = host.and_then(|host| host.tcp.as_ref());
    let quic = host.and_then(|host| host.quic.as_ref());
    let certificate = tcp.and_then(|tcp| tcp.certificate.as_ref());
    let count = |value: Option<u64>| Cell::Number(value.map(|v| v as f64));
    see(
        "address",
        Cell::Text(host.map(|host| host.address.as_str())),
    );
    see(
        "error",
        Cell::Text(host.and_then(|host| host.error.as_deref())),
    );
    see("https", Cell::Flag(host.and_then(Host::https)));
    see(
        "tcp_attempts",
        Cell::Number(tcp.map(|t| f64::from(t.attempts))),
    );
    see(
        "tcp_error",
        Cell::Text(tcp.and_then(|t| t.error.as_deref())),
    );
    see(
        "tcp_connect_ms",
        Cell::Number(tcp.and_then(|t| t.connect_ms)),
    );
    see("tcp_tls_ms", Cell::Number(tcp.and_then(|t| t.tls_ms)));
    see(
        "tcp_response_ms",
        Cell::Number(tcp.and_then(|t| t.response_ms)),
    );
    see("tls", Cell::Text(tcp.and_then(|t| t.tls.as_deref())));
    see("alpn", Cell::Text(tcp.and_then(|t| t.alpn.as_deref())));
    see("http", Cell::Text(tcp.and_then(|t| t.http.as_deref())));
    see(
        "status",
        Cell::Number(tcp.and_then(|t| t.status).map(f64::from)),
    );
    see(
        "alt_svc",
        Cell::Text(tcp.and_then(|t| t.alt_svc.as_deref())),
    );
    see("announced", Cell::Flag(host.and_then(Host::announces)));
    see(
        "certificate",
        Cell::Text(certificate.map(|c| c.verdict.as_str())),
    );
    see("certificate_count", count(certificate.map(|c| c.count)));
    see("certificate_bytes", count(certificate.map(|c| c.bytes)));
    visit_quic(host, quic, &mut see);
}

fn visit_quic<'a>(
    host: Option<&'a Host>,
    quic: Option<&'a Quic>,
    see: &mut dyn FnMut(&'static str, Cell<'a>),
) {
    let answered = quic.filter(|quic| quic.answered);
    let certificate = quic.and_then(|quic| quic.certificate.as_ref());
    let parameters = quic.and_then(|quic| quic.parameters.as_ref());
    let settings = quic.and_then(|quic| quic.settings.as_ref());
    let again = quic.and_then(|quic| quic.again.as_ref());
    let count = |value: Option<u64>| Cell::Number(value.map(|v| v as f64));
    see("http3", Cell::Flag(host.and_then(Host::http3)));
    see(
        "quic_attempts",
        Cell::Number(quic.map(|q| f64::from(q.attempts))),
    );
    see(
        "quic_error",
        Cell::Text(quic.and_then(|q| q.error.as_deref())),
    );
    see("quic_answered", Cell::Flag(quic.map(|q| q.answered)));
    see(
        "quic_handshake_ms",
        Cell::Number(quic.and_then(|q| q.handshake_ms)),
    );
    see(
        "quic_response_ms",
        Cell::Number(quic.and_then(|q| q.response_ms)),
    );
    see(
        "quic_status",
        Cell::Number(quic.and_then(|q| q.status).map(f64::from)),
    );
    see(
        "quic_versions",
        Cell::Text(quic.and_then(|q| q.versions.as_deref())),
    );
    see("quic_retry", Cell::Flag(answered.map(|q| q.retry)));
    see(
        "quic_amplification",
        Cell::Number(quic.and_then(|q| q.amplification)),
    );
    see(
        "quic_certificate",
        Cell::Text(certificate.map(|c| c.verdict.as_str())),
    );
    see(
        "quic_certificate_bytes",
        count(certificate.map(|c| c.bytes)),
    );
    see("quic_ticket", Cell::Flag(quic.and_then(|q| q.ticket)));
    see(
        "quic_early_data_offered",
        Cell::Flag(quic.and_then(|q| q.early_data_offered)),
    );
    see("quic_resumed", Cell::Flag(again.and_then(|a| a.resumed)));
    see(
        "quic_early_data",
        Cell::Flag(again.and_then(|a| a.early_data)),
    );
    see(
        "quic_again_handshake_ms",
        Cell::Number(again.and_then(|a| a.handshake_ms)),
    );
    see(
        "quic_again_response_ms",
        Cell::Number(again.and_then(|a| a.response_ms)),
    );
    see(
        "quic_again_error",
        Cell::Text(again.and_then(|a| a.error.as_deref())),
    );
    see(
        "tp_max_idle_timeout_ms",
        count(parameters.map(|p| p.max_idle_timeout)),
    );
    see(
        "tp_max_udp_payload_size",
        count(parameters.map(|p| p.max_udp_payload_size)),
    );
    see(
        "tp_initial_max_data",
        count(parameters.map(|p| p.initial_max_data)),
    );
    see(
        "tp_initial_max_stream_data",
        count(parameters.map(|p| p.initial_max_stream_data)),
    );
    see(
        "tp_initial_max_streams",
        count(parameters.map(|p| p.initial_max_streams)),
    );
    see(
        "tp_max_ack_delay_ms",
        count(parameters.map(|p| p.max_ack_delay)),
    );
    see(
        "tp_active_connection_id_limit",
        count(parameters.map(|p| p.active_connection_id_limit)),
    );
    see(
        "tp_disable_active_migration",
        Cell::Flag(parameters.map(|p| p.disable_active_migration)),
    );
    see(
        "tp_preferred_address",
        Cell::Flag(parameters.map(|p| p.preferred_address)),
    );
    see(
        "tp_max_datagram_frame_size",
        count(parameters.map(|p| p.max_datagram_frame_size)),
    );
    see(
        "h3_qpack_max_table_capacity",
        count(settings.map(|s| s.qpack_max_table_capacity)),
    );
    see(
        "h3_qpack_blocked_streams",
        count(settings.map(|s| s.qpack_blocked_streams)),
    );
    see(
        "h3_max_field_section_size",
        count(settings.and_then(|s| s.max_field_section_size)),
    );
    see(
        "h3_connect_protocol",
        Cell::Flag(settings.map(|s| s.enable_connect_protocol)),
    );
    see("h3_datagram", Cell::Flag(settings.map(|s| s.h3_datagram)));
}
