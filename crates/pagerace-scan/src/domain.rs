//! The questions about one domain, in their order.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use crate::address::is_public;
use crate::client::Client;
use crate::dns::{self, Answer, Lookup, Question};
use crate::error::{Failure, Kind};
use crate::http::Response;
use crate::list::Exclusions;
use crate::row::{Host, Names, Row};
use crate::{Cdn, quic, tcp};

/// Asks about a domain. Never fails: the row says what went wrong.
pub(crate) async fn scan(
    client: &Arc<Client>,
    exclusions: &Exclusions,
    cdn: Cdn,
    domain: &str,
) -> Row {
    let mut row = Row {
        domain: domain.to_owned(),
        ..Row::default()
    };
    if exclusions.has_domain(domain) {
        row.error = Some(Failure::new(Kind::Excluded, "the domain").to_string());
        return row;
    }
    let answers = dns::lookup(client, domain).await;
    let aliases = aliases(&answers);
    row.names = Some(names(&answers, &aliases));
    let [v4, v6] = [Question::A, Question::Aaaa].map(|question| first(&answers, question));
    if v4.is_none() && v6.is_none() {
        let failed = |question: Question| answers[question as usize].0.as_ref().err();
        let reason = failed(Question::A).or(failed(Question::Aaaa)).cloned();
        let reason = reason.unwrap_or_else(|| Failure::new(Kind::Dns, "no address"));
        row.error = Some(reason.to_string());
    }
    let ((v4, fields4), (v6, fields6)) = tokio::join!(
        host(client, exclusions, domain, v4),
        host(client, exclusions, domain, v6)
    );
    (row.v4, row.v6) = (v4, v6);
    let fields = fields4.or(fields6).unwrap_or_default();
    let mut hosts = vec![domain];
    hosts.extend(aliases.iter().map(String::as_str));
    if let Some((name, evidence)) = cdn(&hosts, &fields) {
        row.cdn = Some(name.to_owned());
        row.cdn_evidence = Some(evidence.to_owned());
    }
    row
}

/// Returns the first address of a family.
fn first(answers: &[Lookup; 3], question: Question) -> Option<IpAddr> {
    let (answer, _) = &answers[question as usize];
    answer.as_ref().ok()?.addresses.first().copied()
}

/// Returns the longest chain of aliases among the answers.
fn aliases(answers: &[Lookup; 3]) -> Vec<String> {
    let chains = answers
        .iter()
        .filter_map(|(answer, _)| answer.as_ref().ok());
    let longest = chains.max_by_key(|answer| answer.aliases.len());
    longest
        .map(|answer| answer.aliases.clone())
        .unwrap_or_default()
}

fn names(answers: &[Lookup; 3], aliases: &[String]) -> Names {
    let [(a, a_ms), (aaaa, aaaa_ms), (https, https_ms)] = answers;
    let error = |answer: &Result<Answer, Failure>| answer.as_ref().err().map(Failure::to_string);
    let count = |answer: &Result<Answer, Failure>| {
        let answer = answer.as_ref().ok()?;
        Some(answer.addresses.len() as u64)
    };
    let record = https.as_ref().ok().and_then(|answer| answer.https.as_ref());
    let alias = https
        .as_ref()
        .ok()
        .and_then(|answer| answer.https_alias.clone());
    let alpn = record.map(|record| record.alpn.join(" "));
    Names {
        a_ms: *a_ms,
        aaaa_ms: *aaaa_ms,
        https_ms: *https_ms,
        a_error: error(a),
        aaaa_error: error(aaaa),
        https_error: error(https),
        a: count(a),
        aaaa: count(aaaa),
        https: https
            .as_ref()
            .ok()
            .map(|_| record.is_some() || alias.is_some()),
        cname: aliases.last().cloned(),
        https_alpn: alpn.filter(|alpn| !alpn.is_empty()),
        https_target: alias.or_else(|| record.and_then(|record| record.target.clone())),
        https_port: record.and_then(|record| record.port),
        https_hints: record.is_some_and(|record| record.hints),
        https_ech: record.is_some_and(|record| record.ech),
    }
}

/// Asks the server at one address, first over TCP and then over QUIC. Returns the fields of its
/// response too.
async fn host(
    client: &Arc<Client>,
    exclusions: &Exclusions,
    domain: &str,
    address: Option<IpAddr>,
) -> (Option<Host>, Option<Vec<(String, String)>>) {
    let Some(ip) = address else {
        return (None, None);
    };
    // An IPv4 address in IPv6 has the limits and exclusions of the former.
    let ip = ip.to_canonical();
    let mut host = Host {
        address: ip.to_string(),
        ..Host::default()
    };
    let refused = if exclusions.has_address(ip) {
        Some(Failure::new(Kind::Excluded, "the address"))
    } else if !client.settings.private_addresses && !is_public(ip) {
        Some(Failure::new(
            Kind::NotPublic,
            "the address is not one of the public Internet",
        ))
    } else {
        None
    };
    if let Some(failure) = refused {
        host.error = Some(failure.to_string());
        return (Some(host), None);
    }
    let address = SocketAddr::new(ip, client.settings.port);
    let (tcp, over_tcp) = Box::pin(tcp::ask(client, domain, address)).await;
    let (quic, over_quic) = Box::pin(quic::ask(client, domain, address)).await;
    host.tcp = Some(tcp);
    host.quic = Some(quic);
    let fields = |response: Response| response.fields;
    (Some(host), over_tcp.or(over_quic).map(fields))
}
