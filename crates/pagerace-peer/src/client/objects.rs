//! Responses that come in datagrams, and requests for their lost parts.

use pagerace_core::{Duration, Instant, Priority};
use pagerace_http::h3;
use pagerace_http::object::Announcement;
use pagerace_http::ranges::{self, RangeReader};

use super::{Client, ClientEvent, Pending};
use crate::objects::{LossReport, Step};

/// Reordering tolerance for a datagram as a share of the round-trip time: the initial
/// reordering window of RACK (RFC 8985, section 6.2, step 4).
const REORDERING: f64 = 0.25;

/// Number of reports that are kept. Those with the lowest tokens are dropped first.
const REPORTS_MAX: usize = 10_000;

/// Urgency of repairs, which go after all other requests.
const REPAIR_URGENCY: u8 = 7;

impl Client {
    /// Requests the missing parts of an [incomplete](ClientEvent::Incomplete) response
    /// with a range request (RFC 9110, section 14) on a stream of its own.
    ///
    /// The parts arrive as [`ClientEvent::Data`], followed by [`ClientEvent::End`]. If
    /// they do not complete the response, it fails. With `at_once`, the repair has the
    /// priority of the original request.
    pub fn repair(&mut self, now: Instant, token: u64, at_once: bool) {
        let Some(loading) = self.loading.get(&token) else {
            return;
        };
        let missing = loading.assembly.missing();
        if missing.is_empty() {
            return;
        }
        let mut request = loading.fields.clone();
        request.push(ranges::field(&missing));
        let priority = if at_once {
            loading.priority
        } else {
            Some(Priority::new(REPAIR_URGENCY, false))
        };
        self.waiting.push_back(Pending {
            token,
            fields: request,
            priority,
            body: None,
            repairs: true,
        });
        self.open_requests(now);
    }

    /// Drops an [incomplete](ClientEvent::Incomplete) response.
    pub fn give_up(&mut self, token: u64) {
        if let Some(loading) = self.loading.get_mut(&token) {
            loading.assembly.give_up();
        }
        self.end_object(token);
    }

    /// Returns the loss report of a response that comes in datagrams, from its header
    /// section on.
    pub fn loss_report(&self, token: u64) -> Option<LossReport> {
        let ended = self.reports.get(&token).copied();
        ended.or_else(|| {
            let loading = self.loading.get(&token)?;
            loading
                .assembly
                .is_announced()
                .then(|| loading.assembly.report())
        })
    }

    /// Handles an event of a response that comes in datagrams. Returns false if the event
    /// belongs to another response.
    pub(super) fn object_event(&mut self, now: Instant, event: &h3::Event) -> bool {
        if !self.datagrams {
            return false;
        }
        let stream = match event {
            h3::Event::Headers { stream, .. }
            | h3::Event::Data { stream, .. }
            | h3::Event::Datagram { stream, .. }
            | h3::Event::Finished { stream }
            | h3::Event::Reset { stream, .. }
            | h3::Event::StreamError { stream, .. } => *stream,
            _ => return false,
        };
        if self.repairing.contains_key(&stream) {
            self.repair_event(stream, event);
            return true;
        }
        let Some(token) = self.tokens.get(&stream).copied() else {
            return false;
        };
        let reordering = self.reordering();
        let Some(loading) = self.loading.get_mut(&token) else {
            return false;
        };
        let assembly = &mut loading.assembly;
        match event {
            h3::Event::Headers { fields, .. } => {
                let Some(announced) = Announcement::of_fields(fields) else {
                    return false;
                };
                let Ok(announcement) = announced else {
                    self.fail_object(token, h3::Code::MESSAGE_ERROR);
                    return true;
                };
                let head = ClientEvent::Head {
                    token,
                    fields: fields.clone(),
                };
                self.events.push_back(head);
                assembly.announce(now, announcement, self.digests, fields);
            }
            h3::Event::Datagram { payload, .. } => {
                assembly.datagram(now, payload.clone(), reordering);
            }
            _ if !assembly.is_announced() => return false,
            h3::Event::Data { data, .. } => assembly.stream_content(data),
            h3::Event::Finished { .. } => {
                assembly.stream_end(now, reordering);
                loading.ended = true;
            }
            // The server cannot continue, or chooses not to. Once the object is complete
            // or was stopped, this has no effect.
            h3::Event::Reset { code, .. } | h3::Event::StreamError { code, .. } => {
                if !loading.ended && !assembly.is_over() {
                    self.fail_object(token, *code);
                    return true;
                }
                loading.ended = true;
            }
            _ => return false,
        }
        self.object_steps(token);
        true
    }

    /// Ends the wait for datagrams whose deadline has passed or that are overdue.
    pub(super) fn conclude_objects(&mut self, now: Instant) {
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        let tokens: Vec<u64> = self
            .loading
            .iter()
            .filter(|(_, loading)| due(loading.assembly.poll_timeout()))
            .map(|(token, _)| *token)
            .collect();
        for token in tokens {
            if let Some(loading) = self.loading.get_mut(&token) {
                loading.assembly.handle_timeout(now);
            }
            self.object_steps(token);
        }
    }

    /// Returns the time by which a datagram may arrive later than its successors.
    fn reordering(&mut self) -> Duration {
        let quic = self.host.connection(self.id);
        quic.map_or(Duration::ZERO, |quic| {
            quic.stats().smoothed_rtt.mul_f64(REORDERING)
        })
    }

    /// Reports the results of arrivals as events.
    fn object_steps(&mut self, token: u64) {
        loop {
            let Some(loading) = self.loading.get_mut(&token) else {
                return;
            };
            let Some(step) = loading.assembly.poll_step() else {
                break;
            };
            let event = match step {
                Step::Data(data) => ClientEvent::Data { token, data },
                Step::Complete => ClientEvent::End { token },
                Step::Corrupt => {
                    self.fail_object(token, h3::Code::MESSAGE_ERROR);
                    return;
                }
                Step::Incomplete => {
                    // The server need not send the rest, because the client no longer
                    // waits for it.
                    if !std::mem::replace(&mut loading.ended, true)
                        && let Some(quic) = self.host.connection(self.id)
                    {
                        quic.stop(loading.stream, h3::Code::REQUEST_CANCELLED.0);
                    }
                    let repair = loading.assembly.repair();
                    ClientEvent::Incomplete { token, repair }
                }
            };
            self.events.push_back(event);
        }
        self.end_object(token);
    }

    /// Ends an object that is over, and forgets it once its stream has ended too.
    fn end_object(&mut self, token: u64) {
        let Some(loading) = self.loading.get(&token) else {
            return;
        };
        if !loading.assembly.is_over() {
            return;
        }
        let report = loading.assembly.report();
        self.reports.insert(token, report);
        if self.reports.len() > REPORTS_MAX {
            self.reports.pop_first();
        }
        let Some(loading) = self.loading.get(&token) else {
            return;
        };
        if loading.ended {
            let stream = loading.stream;
            self.forget(stream);
        }
    }

    pub(super) fn fail_object(&mut self, token: u64, code: h3::Code) {
        if let Some(loading) = self.loading.get_mut(&token) {
            let stream = loading.stream;
            if loading.assembly.is_announced() {
                self.reports.insert(token, loading.assembly.report());
            }
            if let Some(quic) = self.host.connection(self.id) {
                quic.stop(stream, code.0);
            }
            self.forget(stream);
        }
        let code = code.0;
        self.events.push_back(ClientEvent::Failed { token, code });
    }

    fn repair_event(&mut self, stream: u64, event: &h3::Event) {
        let Some(repairing) = self.repairing.get_mut(&stream) else {
            return;
        };
        let token = repairing.token;
        let mut over = false;
        match event {
            // A repair in datagrams could need a repair itself.
            h3::Event::Headers { fields, .. } => match RangeReader::new(fields) {
                Ok(reader) if Announcement::of_fields(fields).is_none() => {
                    repairing.reader = Some(reader);
                }
                _ => over = true,
            },
            h3::Event::Datagram { .. } => {}
            h3::Event::Data { data, .. } => {
                if let (Some(reader), Some(loading)) =
                    (&mut repairing.reader, self.loading.get_mut(&token))
                {
                    let assembly = &mut loading.assembly;
                    let put = |offset, bytes| assembly.handle_repair(offset, bytes);
                    over = reader.read(data.clone(), put).is_err();
                }
            }
            _ => over = true,
        }
        self.object_steps(token);
        if !over {
            return;
        }
        self.repairing.remove(&stream);
        // The server still sends on a stream that did not finish (RFC 9114, section 4.1.1).
        if !matches!(event, h3::Event::Finished { .. })
            && let Some(quic) = self.host.connection(self.id)
        {
            quic.stop(stream, h3::Code::REQUEST_CANCELLED.0);
        }
        self.pump.h3.forget(stream);
        let incomplete = |l: &super::Loading| !l.assembly.is_over();
        if self.loading.get(&token).is_some_and(incomplete) {
            self.fail_object(token, h3::Code::REQUEST_INCOMPLETE);
        }
    }
}
