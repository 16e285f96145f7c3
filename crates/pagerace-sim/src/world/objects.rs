//! Responses of which datagrams lost a part.

use pagerace_core::Duration;
use pagerace_http::object::Repair;
use pagerace_page::ResourceId;

use super::World;
use crate::objects::{ObjectDelivery, ObjectState, need};
use crate::outcome::TransportCounters;

impl World<'_> {
    /// Handles the end of the datagrams of `r` while parts are missing.
    pub(super) fn incomplete(&mut self, i: usize, r: ResourceId, repair: Option<Repair>) {
        match repair {
            Some(Repair::Now) => {
                let now = self.now;
                if let Some(ends) = &mut self.connections[i].ends {
                    ends.repair(now, u64::from(r.0), true);
                }
                self.touched.push_back(i);
            }
            Some(Repair::IfUseless) if self.is_of_use(i, r) => self.leave_incomplete(i, r),
            Some(Repair::Later | Repair::IfUseless) => self.repairs.push((i, r)),
            None => self.leave_incomplete(i, r),
        }
    }

    /// Fetches missing parts once no essential object is outstanding.
    pub(super) fn repair_if_time(&mut self) {
        if self.repairs.is_empty() || self.waits_for_essential() {
            return;
        }
        let now = self.now;
        for (i, r) in std::mem::take(&mut self.repairs) {
            if let Some(ends) = &mut self.connections[i].ends {
                ends.repair(now, u64::from(r.0), false);
            }
            self.touched.push_back(i);
        }
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
                && !self.repairs.iter().any(|(_, waiting)| *waiting == r)
        };
        (0..self.progress.len()).any(outstanding)
    }

    /// Returns true if the received part of `r` is of use without the rest. An empty part
    /// is of no use.
    fn is_of_use(&self, i: usize, r: ResourceId) -> bool {
        let ends = self.connections[i].ends.as_ref();
        let report = ends.and_then(|ends| ends.loss_report(u64::from(r.0)));
        let something = report.is_some_and(|report| report.missing_bytes() < report.length);
        something && !need(&self.scenario.needs, r.index()).whole
    }

    /// Ends the delivery of `r` with the bytes received so far.
    fn leave_incomplete(&mut self, i: usize, r: ResourceId) {
        let now = self.now;
        let state = if self.is_of_use(i, r) {
            ObjectState::UsableInPart
        } else {
            ObjectState::Broken
        };
        if let Some(ends) = &mut self.connections[i].ends {
            ends.give_up(u64::from(r.0));
        }
        let Some(progress) = &mut self.progress[r.index()] else {
            return;
        };
        progress.incomplete = Some(state);
        progress.end = Some(now);
        progress.over = true;
        if state == ObjectState::Broken {
            self.browser.handle_broken(now, r);
        } else {
            self.browser.handle_partial_end(now, r);
        }
        self.request_over(i);
        self.touched.push_back(i);
    }

    /// Returns the delivery of an object, or `None` if it did not end.
    pub(super) fn delivery(&self, resource: usize) -> Option<ObjectDelivery> {
        let p = self.progress[resource].as_ref()?;
        let (i, _) = p.stream?;
        p.end?;
        let token = resource as u64;
        let report = self.connections[i].ends.as_ref()?.loss_report(token);
        let report = report.unwrap_or_default();
        let datagrams = report.length > 0;
        let state = match p.incomplete {
            Some(state) => state,
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

    /// Returns the time at which the last essential object that the load event waits for
    /// was complete.
    pub(super) fn essential_end(&self) -> Option<Duration> {
        if self.scenario.needs.is_empty() {
            return None;
        }
        let mut last = None;
        for (i, r) in self.page.resources.iter().enumerate() {
            if !r.blocks_load || !need(&self.scenario.needs, i).essential {
                continue;
            }
            let Some(progress) = &self.progress[i] else {
                if self.browser.is_broken(r.id) {
                    return None;
                }
                continue;
            };
            if progress.incomplete.is_some() {
                return None;
            }
            last = last.max(Some(progress.end?));
        }
        last.map(pagerace_core::Instant::since_start)
    }
}

/// Adds the deliveries to the counters.
pub(super) fn count_deliveries(deliveries: &[Option<ObjectDelivery>], sum: &mut TransportCounters) {
    for delivery in deliveries.iter().flatten() {
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
}
