//! Responses of which datagrams lost a part.

use std::collections::BTreeMap;

use pagerace_core::{Duration, Instant, Repair};
use pagerace_page::ResourceId;
use pagerace_peer::{Client, LossReport};

use super::{ObjectDelivery, ObjectState, need};
use crate::ids::ConnectionId;
use crate::outcome::TransportCounters;
use crate::page_load::PageLoad;

/// Incomplete responses of a load.
#[derive(Debug, Default)]
pub(crate) struct Incomplete {
    /// Connection and resource of responses whose repair waits for essential objects.
    repairs: Vec<(ConnectionId, ResourceId)>,
    /// Final states of responses that stay incomplete.
    left: BTreeMap<ResourceId, ObjectState>,
}

impl PageLoad<'_> {
    /// Handles the end of the datagrams of `r` while parts are missing.
    pub(crate) fn handle_incomplete(
        &mut self,
        i: ConnectionId,
        r: ResourceId,
        repair: Option<Repair>,
    ) {
        match repair {
            Some(Repair::Now) => self.repair(i, r, true),
            Some(Repair::IfUseless) if self.is_of_use(i, r) => self.leave_incomplete(i, r),
            Some(Repair::Later | Repair::IfUseless) => self.incomplete.repairs.push((i, r)),
            None => self.leave_incomplete(i, r),
        }
    }

    /// Fetches missing parts once no essential object is outstanding.
    pub(crate) fn repair_if_time(&mut self) {
        if self.incomplete.repairs.is_empty() || self.waits_for_essential() {
            return;
        }
        for (i, r) in std::mem::take(&mut self.incomplete.repairs) {
            self.repair(i, r, false);
        }
    }

    /// Returns the delivery of each object, `None` if it did not end, and counts them.
    pub(crate) fn deliveries(
        &mut self,
        sum: &mut TransportCounters,
    ) -> Vec<Option<ObjectDelivery>> {
        let all = 0..self.progress.len();
        let all: Vec<_> = all.map(|i| self.delivery(ResourceId(i as u32))).collect();
        for delivery in all.iter().flatten() {
            if delivery.datagrams {
                sum.datagram_objects += 1;
                sum.datagram_bytes += delivery.length;
            }
            sum.data_lost_bytes += delivery.missing_bytes;
            sum.repaired_objects += u64::from(delivery.state == ObjectState::Repaired);
            sum.repaired_bytes += delivery.repaired_bytes;
            sum.broken_objects += u64::from(delivery.state == ObjectState::Broken);
            sum.partial_objects += u64::from(delivery.state == ObjectState::UsableInPart);
        }
        all
    }

    /// Returns the time at which the last essential object that the recorded load event waited
    /// for was complete. The simulated event may come before.
    pub(crate) fn essential_end(&self) -> Option<Duration> {
        let needs = &self.scenario.needs;
        if needs.is_empty() {
            return None;
        }
        let mut last = None;
        for (i, r) in self.scenario.page.resources.iter().enumerate() {
            if !r.blocks_load || !need(needs, i).essential {
                continue;
            }
            match &self.progress[i] {
                None if self.browser.is_broken(r.id) => return None,
                None => {}
                Some(_) if self.incomplete.left.contains_key(&r.id) => return None,
                Some(progress) => last = last.max(Some(progress.end?)),
            }
        }
        last.map(Instant::since_start)
    }

    fn client(&mut self, i: ConnectionId) -> Option<(&mut Client, Instant)> {
        self.net.ends[i].as_mut()?.http3(self.net.now)
    }

    fn loss_report(&mut self, i: ConnectionId, r: ResourceId) -> Option<LossReport> {
        self.client(i)?.0.loss_report(u64::from(r.0))
    }

    /// Requests the missing parts of `r` again.
    fn repair(&mut self, i: ConnectionId, r: ResourceId, at_once: bool) {
        if let Some((client, now)) = self.client(i) {
            client.repair(now, u64::from(r.0), at_once);
        }
        self.touch(i);
    }

    /// Returns true if an essential request is outstanding, except those that wait for
    /// repair themselves.
    fn waits_for_essential(&self) -> bool {
        let outstanding = |i: usize| {
            let r = ResourceId(i as u32);
            let Some(p) = self.progress[i].as_ref().filter(|p| !p.over) else {
                return false;
            };
            let never = self.hangs(r) || (p.stream.is_none() && self.is_shut_out(r));
            !never
                && need(&self.scenario.needs, i).essential
                && !self
                    .incomplete
                    .repairs
                    .iter()
                    .any(|(_, waiting)| *waiting == r)
        };
        (0..self.progress.len()).any(outstanding)
    }

    /// Returns true if the received part of `r` is of use without the rest. An empty part
    /// is of no use.
    fn is_of_use(&mut self, i: ConnectionId, r: ResourceId) -> bool {
        let report = self.loss_report(i, r);
        let something = report.is_some_and(|report| report.missing_bytes() < report.length);
        something && !need(&self.scenario.needs, r.index()).whole
    }

    /// Ends the delivery of `r` with the bytes received so far.
    fn leave_incomplete(&mut self, i: ConnectionId, r: ResourceId) {
        let now = self.net.now;
        let usable = self.is_of_use(i, r);
        if let Some((client, _)) = self.client(i) {
            client.give_up(u64::from(r.0));
        }
        let Some(progress) = &mut self.progress[r.index()] else {
            return;
        };
        progress.end = Some(now);
        progress.over = true;
        let state = if usable {
            self.browser.handle_partial_end(now, r);
            ObjectState::UsableInPart
        } else {
            self.browser.handle_broken(now, r);
            ObjectState::Broken
        };
        self.incomplete.left.insert(r, state);
        self.handle_request_over(i);
        self.touch(i);
    }

    /// Returns the delivery of an object, or `None` if it did not end.
    fn delivery(&mut self, r: ResourceId) -> Option<ObjectDelivery> {
        let p = self.progress[r.index()]?;
        let (i, _) = p.stream?;
        p.end?;
        let report = self.loss_report(i, r).unwrap_or_default();
        let datagrams = report.length > 0;
        let state = match self.incomplete.left.get(&r) {
            Some(state) => *state,
            None if report.repaired_bytes > 0 => ObjectState::Repaired,
            None => ObjectState::Complete,
        };
        Some(ObjectDelivery {
            datagrams,
            state,
            length: if datagrams {
                report.length
            } else {
                p.body_received
            },
            lost_bytes: report.lost_bytes,
            restored_bytes: report.restored_bytes,
            repaired_bytes: report.repaired_bytes,
            missing_bytes: report.missing_bytes(),
        })
    }
}
