//! The settings that all contenders of a race share, in words. Headings show them
//! because the contenders' labels do not.

use pagerace_core::{Duration, Protocol, Words as _};
use pagerace_page::Interventions;
use pagerace_report::input::Provenance;
use pagerace_sim::{
    Connections, H3Discovery, NameLookup, OriginRtt, RecordEnds, Reprioritisation, Retransmission,
    Visit, distances,
};
use pagerace_transport::tls;

use crate::plan::Plan;

/// The least distance of a server that is mentioned, in milliseconds.
const LEAST_FAR_MS: f64 = 1.0;

/// Returns the shared settings of a simulation: "chrome, CPU x1, jitter 0.1,
/// connections per origin, ...".
pub fn facts(plan: &Plan) -> String {
    facts_in(plan, Provenance::Simulated)
}

/// Returns the settings that all contenders share. The plan's browser and
/// some transport settings exist in the model only and are left out for live loads.
pub fn facts_in(plan: &Plan, provenance: Provenance) -> String {
    let varying = plan.varying();
    let all = 0..plan.contenders.len();
    let tcp = all.clone().any(|i| plan.speaks(i, Protocol::is_tcp));
    let quic = all.clone().any(|i| plan.speaks(i, is_quic));
    let simulated = provenance == Provenance::Simulated;
    let mut facts = match provenance {
        Provenance::Simulated => {
            let cpu = match plan.processors[..] {
                [] => format!("CPU x{}", plan.browser.cpu),
                _ => "processors of the users".to_owned(),
            };
            vec![
                plan.browser.profile.name.to_owned(),
                cpu,
                format!("jitter {}", plan.browser.jitter),
            ]
        }
        Provenance::Live => Vec::new(),
    };
    let first = &plan.contenders[plan.baseline];
    if tcp && !varying.has("protocol") {
        facts.push(first.protocols.to_string());
    }
    facts.push(
        match plan.settings.connections {
            Connections::PerOrigin => "connections per origin",
            Connections::Single => "a single connection",
        }
        .to_owned(),
    );
    if !varying.has("congestion") {
        facts.push(first.congestion.clone());
    }
    if !varying.has("visit") && first.visit != Visit::Cold {
        facts.push(format!("a {} visit", first.visit));
    }
    if varying.beyond_strategy() && !varying.has("strategy") {
        let choosing = plan.contenders.iter().find(|c| c.has_choice());
        facts.extend(choosing.map(|c| format!("strategy {}", c.strategy.label())));
    }
    if quic {
        let when = match plan.settings.retransmission {
            Retransmission::AtOnce => "at once",
            Retransmission::ByUrgency => "by urgency",
        };
        let whose = if tcp { "QUIC's " } else { "" };
        facts.push(format!("{whose}lost bytes retransmitted {when}"));
    }
    if quic && (tcp || !plan.settings.has_default_packets()) {
        facts.push(plan.settings.packets());
    }
    // A real browser and server negotiate the TLS version.
    if tcp && simulated {
        facts.push(format!("TLS {} over TCP", plan.settings.tcp_tls.word()));
    }
    let usual = tls::certificate_size();
    if plan.settings.certificates != usual && simulated {
        let bytes = plan.settings.certificates;
        facts.push(format!("certificate chains of {bytes} bytes"));
    }
    // Real TLS determines the size of its own ClientHello.
    let hello = tcp || !plan.settings.real_tls;
    let small = plan.settings.client_hello == tls::ClientHello::Small;
    if small && hello && simulated {
        facts.push("a small ClientHello".to_owned());
    }
    if plan.settings.record_ends == RecordEnds::Joined && tcp && simulated {
        facts.push("records that share segments".to_owned());
    }
    let later: Vec<usize> = all
        .filter(|&i| plan.contenders[i].visit != Visit::Cold)
        .collect();
    if !later.is_empty() {
        let on = plan.settings.early_data;
        let tcp = on.is_used(true) && later.iter().any(|&i| plan.speaks(i, Protocol::is_tcp));
        let quic = on.is_used(false) && later.iter().any(|&i| plan.speaks(i, is_quic));
        facts.push(
            match (tcp, quic) {
                (true, true) => "early data",
                (true, false) => "early data on TCP",
                (false, true) => "early data on QUIC",
                (false, false) => "no early data",
            }
            .to_owned(),
        );
    }
    if plan.settings.real_tls && simulated {
        facts.push("real TLS".to_owned());
    }
    facts.extend(measured(plan));
    if plan.settings.name_lookup == NameLookup::None {
        facts.push("no name look-ups".to_owned());
    }
    facts.extend(far(plan));
    match plan.settings.h3_discovery {
        H3Discovery::Known => {}
        H3Discovery::HttpsRr => facts.push("HTTP/3 by HTTPS records".to_owned()),
        H3Discovery::AltSvc => facts.push("HTTP/3 by Alt-Svc of an earlier visit".to_owned()),
        H3Discovery::AltSvcFirstVisit => {
            facts.push("HTTP/3 by Alt-Svc of the first response".to_owned());
        }
    }
    let updates = match plan.settings.reprioritisation {
        Reprioritisation::Chromium => None,
        Reprioritisation::Update => Some("servers learn of every changed priority"),
        Reprioritisation::Hints => Some("servers know the final priority of images"),
    };
    let has_priorities = |i| plan.speaks(i, |protocol| protocol != Protocol::H1);
    let told = (0..plan.contenders.len()).any(has_priorities);
    if told && simulated {
        facts.extend(updates.map(str::to_owned));
    }
    if !plan.interventions.is_empty() {
        facts.push(format!("with {}", plan.interventions));
    }
    if let Some(own) = shared_interventions(plan) {
        facts.push(format!("with {own}"));
    }
    facts.join(", ")
}

/// Returns a fact about layouts that the recordings lack, if they were measured.
fn measured(plan: &Plan) -> Option<String> {
    let layouts = plan.pages.iter().filter_map(|page| page.layout());
    let browsers: Vec<&String> = layouts.filter_map(|l| l.measured_in.as_ref()).collect();
    let (browser, all) = (browsers.first()?, plan.pages.len());
    Some(if all == 1 {
        format!("layout measured in {browser}")
    } else {
        let measured = browsers.len();
        format!("layout of {measured} of {all} pages measured in {browser}")
    })
}

/// Returns a fact about servers beyond the access link, if there are any.
fn far(plan: &Plan) -> Option<String> {
    let all = plan
        .pages
        .iter()
        .flat_map(|page| distances(page, &plan.settings));
    let far = all.max().map(Duration::as_millis_f64);
    match far {
        Some(far) if far < LEAST_FAR_MS => None,
        Some(far) => Some(format!("servers up to {far:.0} ms beyond the access link")),
        // A study has yet to read its pages.
        None if plan.settings.origin_rtt == OriginRtt::Same => None,
        None if plan.settings.connections == Connections::Single => None,
        None => Some("servers at their recorded distances".to_owned()),
    }
}

/// Returns the interventions that every contender has of its own, which no label shows.
fn shared_interventions(plan: &Plan) -> Option<&Interventions> {
    let own = &plan.contenders[plan.baseline].interventions;
    (!plan.varying().has("interventions") && !own.is_empty()).then_some(own)
}

fn is_quic(protocol: Protocol) -> bool {
    !protocol.is_tcp()
}

#[cfg(test)]
mod tests;
