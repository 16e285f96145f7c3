//! What the contenders of a race share, in words: what does not stand in their
//! names stands in the heading.

use pagerace_core::Protocol;
use pagerace_sim::{Connections, EarlyData, Retransmission, Visit};
use pagerace_transport::tls;

use crate::plan::Plan;

/// "chrome, CPU x1, jitter 0.1, connections per origin, cubic, ...".
pub fn facts(plan: &Plan) -> String {
    let (browser, varying) = (&plan.browser, plan.varying());
    let speaks = |wanted: fn(Protocol) -> bool| {
        let pages = || plan.pages.iter();
        let of = |c: &crate::Contender| pages().any(|p| c.protocols_of(p).into_iter().any(wanted));
        plan.contenders.iter().any(of)
    };
    let (tcp, quic) = (speaks(Protocol::is_tcp), speaks(|p| !p.is_tcp()));
    let mut facts = vec![
        browser.profile.name().to_owned(),
        format!("CPU x{}", browser.cpu),
        format!("jitter {}", browser.jitter),
    ];
    let first = &plan.contenders[plan.baseline];
    if tcp && !varying.protocols {
        facts.push(first.protocols.to_string());
    }
    facts.push(
        match plan.connections {
            Connections::PerOrigin => "connections per origin",
            Connections::Single => "a single connection",
        }
        .to_owned(),
    );
    if !varying.congestion {
        facts.push(first.congestion.clone());
    }
    if !varying.visit && first.visit != Visit::Cold {
        facts.push(format!("a {} visit", first.visit));
    }
    if varying.beyond_strategy() && !varying.strategy {
        let choosing = plan.contenders.iter().find(|c| c.has_choice());
        facts.extend(choosing.map(|c| format!("strategy {}", c.strategy.label())));
    }
    if quic {
        let when = match plan.retransmission {
            Retransmission::AtOnce => "at once",
            Retransmission::ByUrgency => "by urgency",
        };
        let whose = if tcp { "QUIC's " } else { "" };
        facts.push(format!("{whose}lost bytes sent again {when}"));
    }
    if tcp {
        let version = match plan.transport.tcp_tls {
            tls::Version::Tls12 => "1.2",
            tls::Version::Tls13 => "1.3",
        };
        facts.push(format!("TLS {version} over TCP"));
    }
    if plan.contenders.iter().any(|c| c.visit != Visit::Cold) {
        facts.push(
            match plan.transport.early_data {
                EarlyData::Auto => "early data on QUIC",
                EarlyData::On => "early data",
                EarlyData::Off => "no early data",
            }
            .to_owned(),
        );
    }
    if plan.transport.real_tls {
        facts.push("real TLS".to_owned());
    }
    facts.join(", ")
}

#[cfg(test)]
mod tests;
