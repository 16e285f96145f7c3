//! Probes of independent servers. The expectations come from their sources; see
//! docs/evidence.md.

use pagerace_core::Protocol;
use pagerace_live::{probe, secret_seed};
use pagerace_probe::{
    Behaviour, Budget, Candidate, Heeded, Model, SCHEDULERS, Server, Sharing, Subject, Verdict,
    candidates, judge, observe,
};
use pagerace_transport::quic::keys::client_keys_trusting;

use crate::client::client_tls;
use crate::ours::local;
use crate::peers::{Peer, TheirServer};

fn probed(peer: Peer) -> Option<(Behaviour, Verdict<Candidate>)> {
    let server = TheirServer::start(peer)?;
    let address = Server {
        remote: local(server.port),
        name: "localhost".to_owned(),
        authority: "localhost".to_owned(),
    };
    let paths = ["/bytes/60000".to_owned()];
    let budget = Budget::default();
    let protocol = match peer {
        Peer::GoHttp2 => Protocol::H2,
        _ => Protocol::H3,
    };
    let observed = if protocol == Protocol::H2 {
        let tls = client_tls(&server.certificate, protocol).unwrap();
        observe(protocol, Subject::Objects(&paths), &budget, |job| {
            probe::play_http2(job, &address, &tls)
        })
    } else {
        let keys = client_keys_trusting(&server.certificate).unwrap();
        observe(protocol, Subject::Objects(&paths), &budget, |job| {
            probe::play(job, &address, &keys, secret_seed()?)
        })
    };
    let observed = observed.unwrap();
    let model = Model {
        repeats: 2,
        ..observed.model(1)
    };
    let each = candidates(protocol).into_iter();
    let entries: Vec<_> = each.map(|c| (c.clone(), model.expect(&c))).collect();
    Some((
        Behaviour::of(&observed),
        judge(&observed.values(), &entries, &SCHEDULERS),
    ))
}

fn answer(verdict: &Verdict<Candidate>) -> Vec<String> {
    let members = verdict.answer().map(|group| &group.members);
    let members = members.into_iter().flatten();
    members.map(ToString::to_string).collect()
}

/// The treatment of the field's urgency, its incremental parameter, and updates before and after
/// the request.
fn signals(behaviour: &Behaviour) -> [Heeded; 4] {
    [
        behaviour.field,
        behaviour.incremental,
        behaviour.before,
        behaviour.after,
    ]
}

#[test]
fn quic_go_shares_until_the_client_signals() {
    let Some((behaviour, verdict)) = probed(Peer::QuicGo) else {
        return;
    };
    assert_eq!(behaviour.plain, Sharing::Shared);
    assert_eq!(behaviour.field, Heeded::Strictly);
    assert_eq!(behaviour.incremental, Heeded::Strictly);
    assert_eq!(behaviour.before, Heeded::Not);
    assert_eq!(behaviour.after, Heeded::Strictly);
    let answer = answer(&verdict);
    let name = "(incremental until told, no early PRIORITY_UPDATE)";
    assert!(answer.iter().any(|a| a.ends_with(name)), "{answer:?}");
}

#[test]
fn aioquic_takes_turns() {
    let Some((behaviour, verdict)) = probed(Peer::Aioquic) else {
        return;
    };
    assert_eq!(behaviour.plain, Sharing::Shared);
    assert_eq!(signals(&behaviour), [Heeded::Not; 4]);
    let answer = answer(&verdict);
    assert!(answer.contains(&"round-robin".to_owned()), "{answer:?}");
}

/// A part of 54 kB fits into nginx's buffer, so that each response leaves whole.
#[test]
fn nginx_knows_no_priorities() {
    let Some((behaviour, verdict)) = probed(Peer::Nginx) else {
        return;
    };
    assert_eq!(behaviour.plain, Sharing::Sequential);
    assert_eq!(signals(&behaviour), [Heeded::Not; 4]);
    let answer = answer(&verdict);
    assert!(answer.contains(&"fifo".to_owned()), "{answer:?}");
}

#[test]
fn ngtcp2_honours_every_signal() {
    let Some((behaviour, verdict)) = probed(Peer::Ngtcp2) else {
        return;
    };
    assert_eq!(behaviour.plain, Sharing::Sequential);
    assert_eq!(signals(&behaviour), [Heeded::Strictly; 4]);
    let answer = answer(&verdict);
    assert!(answer.contains(&"eps-first".to_owned()), "{answer:?}");
}

#[test]
fn go_takes_turns_over_http2() {
    let Some((behaviour, verdict)) = probed(Peer::GoHttp2) else {
        return;
    };
    assert_eq!(behaviour.plain, Sharing::Shared);
    assert_eq!(signals(&behaviour), [Heeded::Not; 4]);
    assert_eq!(
        [behaviour.tree, behaviour.weights],
        [Some(Heeded::Not), Some(Heeded::Not)]
    );
    let answer = answer(&verdict);
    assert!(answer.contains(&"round-robin".to_owned()), "{answer:?}");
}
