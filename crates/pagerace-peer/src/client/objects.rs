//! Responses that come in datagrams, and requests for what they lost.

use pagerace_core::{Duration, Instant, Priority};
use pagerace_http::h3;
use pagerace_http::object::Announcement;
use pagerace_http::ranges::{self, RangeReader};

use super::{Client, ClientEvent, Pending};
use crate::objects::{LossReport, Step};

/// How much of a round trip a datagram may be overtaken by: the first reordering
/// window of RACK (RFC 8985, section 6.2, step 4).
const REORDERING: f64 = 0.25;

/// Reports that are kept; the oldest go first.
const REPORTS_MAX: usize = 10_000;

/// Repairs go after whatever else is asked for.
const REPAIR_URGENCY: u8 = 7;

impl Client {
    /// Asks for what is missing of an [incomplete](ClientEvent::Incomplete) response,
    /// by a range request (RFC 9110, section 14) on a stream of its own. What comes is
    /// told as [`ClientEvent::Data`] and [`ClientEvent::End`]; if that does not
    /// complete it, the response has failed. `at_once`: as urgent as the original.
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

    /// Lets go of an [incomplete](ClientEvent::Incomplete) response.
    pub fn give_up(&mut self, token: u64) {
        if let Some(loading) = self.loading.get_mut(&token) {
            loading.assembly.give_up();
        }
        self.end_object(token);
    }

    /// What became of a response that came in datagrams, once it has ended or
    /// something of it is missing.
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

    /// Takes an event of a response that comes in datagrams; whether it was one.
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
            // The server cannot, or does not want to, go on. Once the object is
            // complete, or was stopped, that changes nothing.
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

    /// Deadlines have come, or datagrams are overdue.
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

    /// How much later than its successors a datagram may come.
    fn reordering(&mut self) -> Duration {
        let quic = self.host.connection(self.id);
        quic.map_or(Duration::ZERO, |quic| {
            quic.stats().smoothed_rtt.mul_f64(REORDERING)
        })
    }

    /// Tells what came of what arrived.
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
                    // The server need not send what is not waited for.
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

    /// Forgets an object that is over, once its stream is.
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
                    let put = |offset, bytes| assembly.repaired(offset, bytes);
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
