//! Checks that a plan's settings have an effect and that its contenders differ. Checks
//! that need no pages can run before any page is read.

use pagerace_core::Protocol;
use pagerace_sim::{H3Discovery, Retransmission, Visit};
use pagerace_transport::tls;

use super::Plan;
use crate::contender::Contender;
use crate::error::LabError;

impl Plan {
    /// Returns an error if a setting has no effect on any contender. Does not look at
    /// pages.
    ///
    /// # Errors
    /// [`LabError::Plan`] with the setting and its requirement.
    pub fn check_settings(&self) -> Result<(), LabError> {
        let bad = |text: String| Err(LabError::Plan(text));
        let may_speak = |wanted: fn(Protocol) -> bool| {
            let mut contenders = self.contenders.iter();
            contenders.any(|c| c.protocols.is_uniform().is_none_or(wanted))
        };
        let transport = self.settings;
        if !may_speak(|protocol| !protocol.is_tcp()) {
            let needs = "needs HTTP/3, but no contender uses it";
            if transport.real_tls {
                return bad(format!("tls: real TLS {needs}; leave out --tls real"));
            }
            if !transport.has_default_packets() {
                return bad(format!("quic-mtu: a packet size of QUIC {needs}"));
            }
            if self.settings.retransmission != Retransmission::default() {
                return bad(format!("retransmission: by urgency {needs}"));
            }
            if transport.h3_discovery != H3Discovery::Known {
                return bad(format!("h3-discovery: {needs}"));
            }
        }
        if transport.tcp_tls == tls::Version::Tls12 && !may_speak(Protocol::is_tcp) {
            return bad(
                "tls-version: TLS 1.2 needs HTTP/1.1 or HTTP/2, but no contender uses either"
                    .to_owned(),
            );
        }
        let cold = self.contenders.iter().all(|c| c.visit == Visit::Cold);
        if cold && transport.early_data == pagerace_sim::EarlyData::On {
            return bad(
                "early-data: a first visit has no TLS ticket, which early data needs; add --visit \
                 resumed"
                    .to_owned(),
            );
        }
        if transport.h3_discovery == H3Discovery::AltSvcFirstVisit && !cold {
            return bad(
                "h3-discovery: alt-svc-first-visit needs a first visit (--visit cold); later visits \
                 know HTTP/3 by alt-svc"
                    .to_owned(),
            );
        }
        let idle = |c: &&Contender| !c.reliability.is_full() && c.effective_reliability().is_full();
        if let Some(contender) = self.contenders.iter().find(idle) {
            return bad(format!(
                "reliability: {} changes nothing over {}; datagrams need HTTP/3, and `late` needs \
                 HTTP/2 or HTTP/3",
                contender.reliability, contender.protocols
            ));
        }
        Ok(())
    }

    /// Removes contenders that load every page like an earlier one, and returns a
    /// sentence for each. The baseline is kept.
    pub fn merge_twins(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        let mut index = 0;
        while index < self.contenders.len() {
            let twin = (0..self.contenders.len()).find(|&other| {
                let first = other < index || other == self.baseline;
                index != self.baseline && first && other != index && self.are_twins(index, other)
            });
            if let Some(twin) = twin {
                said.push(format!(
                    "{} loads every page exactly as {} does, and is left out",
                    self.label(index),
                    self.label(twin)
                ));
                self.contenders.remove(index);
                if self.baseline > index {
                    self.baseline -= 1;
                }
            } else {
                index += 1;
            }
        }
        said
    }

    /// Returns true if two differently written contenders load every page in the same
    /// way. Identical contenders are left to [`check`](Self::check).
    fn are_twins(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|i| &self.contenders[i]);
        if a == b || a.visit != b.visit || a.changes != b.changes {
            return false;
        }
        let chooses = a.has_choice() || b.has_choice();
        if chooses && a.strategy != b.strategy {
            return false;
        }
        let mut pages = self.pages.iter().enumerate();
        pages.all(|(i, page)| {
            let effects = |c: &Contender| self.interventions.and(&c.interventions).of_page(page);
            let (protocols, other) = (a.protocols.of_page(page), b.protocols.of_page(page));
            protocols == other
                && a.controllers_over(&protocols) == b.controllers_over(&other)
                && effects(a) == effects(b)
                && self.policy_on(i, a) == self.policy_on(i, b)
        })
    }

    /// Returns the contender's policy on a page; `None` if it has no effect.
    fn policy_on(&self, page: usize, contender: &Contender) -> Option<String> {
        let policy = contender.effective_reliability();
        let acts = !policy.is_full() && self.selects(&policy, page);
        acts.then(|| policy.to_string())
    }
}
