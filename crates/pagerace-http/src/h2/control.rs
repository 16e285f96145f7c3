//! Frames that carry no part of a message.
//!
//! Source: RFC 9113, sections 6.3 to 6.9; RFC 9218, section 7.1.

use super::block::dependency;
use super::closed::Closure;
use super::code::{Code, Fault};
use super::flow::Overflow;
use super::frame::{self, Header};
use super::{Connection, Event, Role, Settings, flow};
use crate::priority;

impl Connection {
    pub(super) fn control_frame(&mut self, header: &Header, payload: &[u8]) -> Result<(), Fault> {
        match header.ty {
            frame::PRIORITY => self.priority(header.stream, payload),
            frame::RST_STREAM => {
                let code = Code(u32::from_be_bytes(exactly("RST_STREAM", payload)?));
                self.reset_by_peer(header.stream, code)
            }
            frame::SETTINGS if header.has(frame::ACK) => self.settings_ack(payload),
            frame::SETTINGS => self.settings(payload),
            frame::PING => {
                let opaque = exactly::<8>("PING", payload)?;
                if !header.has(frame::ACK) {
                    self.reply(frame::PING, frame::ACK, 0, &opaque);
                }
                Ok(())
            }
            frame::GOAWAY => self.goaway(payload),
            frame::WINDOW_UPDATE => {
                let increment = frame::stream_id(exactly("WINDOW_UPDATE", payload)?);
                self.window_update(header.stream, increment as i64)
            }
            frame::PRIORITY_UPDATE => self.priority_update(payload),
            ty => unreachable!("frame type {ty} was refused with its header"),
        }
    }

    /// Handles PRIORITY: section 6.3.
    fn priority(&mut self, stream: u64, payload: &[u8]) -> Result<(), Fault> {
        let Ok(bytes) = payload.try_into() else {
            let reason = "PRIORITY does not have 5 bytes".into();
            return self.fail_stream(stream, Code::FRAME_SIZE_ERROR, reason);
        };
        let dependency = dependency(bytes);
        if dependency.parent == stream {
            return self.self_dependency(stream);
        }
        // Only a client's priorities count, and all streams are the client's.
        if self.role == Role::Server && self.tree_counts() {
            self.events
                .push_back(Event::Dependency { stream, dependency });
        }
        Ok(())
    }

    fn reset_by_peer(&mut self, stream: u64, code: Code) -> Result<(), Fault> {
        let Some(known) = self.streams.get(&stream) else {
            return Ok(());
        };
        // A server may stop the rest of a request once its response is complete.
        let news = self.role == Role::Server || !known.remote_closed;
        self.close(stream, Closure::ResetByPeer);
        if news {
            self.events.push_back(Event::Reset { stream, code });
        }
        self.charge_reset()
    }

    /// Handles the peer's acknowledgement of our settings: section 6.5.3.
    fn settings_ack(&mut self, payload: &[u8]) -> Result<(), Fault> {
        if !payload.is_empty() {
            return Err(Fault::size("an acknowledgement of SETTINGS with payload"));
        }
        if self.settings_acknowledged {
            return Ok(());
        }
        self.settings_acknowledged = true;
        self.decoder.set_capacity_max(self.config.header_table_size);
        let change = i64::from(self.config.stream_window) - flow::INITIAL;
        for stream in self.streams.values_mut() {
            stream.receive.adjust(change);
        }
        Ok(())
    }

    fn settings(&mut self, payload: &[u8]) -> Result<(), Fault> {
        if !payload.len().is_multiple_of(6) {
            return Err(Fault::size("SETTINGS ends inside a setting"));
        }
        let before = self.peer_settings;
        let first = !self.settings_received;
        self.peer_settings.update(payload, self.role, first)?;
        self.settings_received = true;
        self.resize_windows(&before)?;
        self.reply(frame::SETTINGS, frame::ACK, 0, &[]);
        self.events.push_back(Event::Settings);
        Ok(())
    }

    /// Applies a change of the peer's initial window size to open streams: section 6.9.2.
    fn resize_windows(&mut self, before: &Settings) -> Result<(), Fault> {
        let size = i64::from(self.peer_settings.initial_window_size);
        let change = size - i64::from(before.initial_window_size);
        if change == 0 {
            return Ok(());
        }
        for (stream, known) in &mut self.streams {
            match known.send.grow(change) {
                Ok(true) if self.role == Role::Server && !known.local_closed => {
                    self.events.push_back(Event::Writable { stream: *stream });
                }
                Ok(_) => {}
                Err(Overflow) => {
                    let reason = format!("the window of stream {stream} exceeds 2^31 - 1");
                    return Err(Fault::new(Code::FLOW_CONTROL_ERROR, reason));
                }
            }
        }
        Ok(())
    }

    /// Handles GOAWAY: section 6.8.
    fn goaway(&mut self, payload: &[u8]) -> Result<(), Fault> {
        let Some((head, code)) = payload
            .split_first_chunk::<4>()
            .and_then(|(last, rest)| Some((*last, *rest.first_chunk::<4>()?)))
        else {
            return Err(Fault::size("GOAWAY has less than 8 bytes"));
        };
        let last = frame::stream_id(head);
        if self
            .goaway_received
            .is_some_and(|(before, _)| last > before)
        {
            return Err(Fault::protocol("a GOAWAY admits more than the one before"));
        }
        self.goaway_received = Some((last, Code(u32::from_be_bytes(code))));
        self.events.push_back(Event::GoAway { last });
        if self.role == Role::Client {
            let refused: Vec<u64> = self.streams.range(last + 1..).map(|(s, _)| *s).collect();
            for stream in refused {
                self.close(stream, Closure::ResetByPeer);
                let code = Code::REFUSED_STREAM;
                self.events.push_back(Event::Reset { stream, code });
            }
        }
        Ok(())
    }

    /// Handles `WINDOW_UPDATE`: section 6.9.
    fn window_update(&mut self, stream: u64, increment: i64) -> Result<(), Fault> {
        if stream == 0 {
            if increment == 0 {
                return Err(Fault::protocol("WINDOW_UPDATE by nothing"));
            }
            match self.send.grow(increment) {
                Ok(true) if self.role == Role::Server => {
                    self.events.push_back(Event::WindowOpened);
                }
                Ok(_) => {}
                Err(Overflow) => {
                    let reason = "the connection's window exceeds 2^31 - 1";
                    return Err(Fault::new(Code::FLOW_CONTROL_ERROR, reason));
                }
            }
            return Ok(());
        }
        let Some(known) = self.streams.get_mut(&stream) else {
            return Ok(());
        };
        if increment == 0 {
            let reason = "WINDOW_UPDATE by nothing".into();
            return self.fail_stream(stream, Code::PROTOCOL_ERROR, reason);
        }
        match known.send.grow(increment) {
            Ok(true) if self.role == Role::Server && !known.local_closed => {
                self.events.push_back(Event::Writable { stream });
            }
            Ok(_) => {}
            Err(Overflow) => {
                let reason = "the stream's window exceeds 2^31 - 1".into();
                return self.fail_stream(stream, Code::FLOW_CONTROL_ERROR, reason);
            }
        }
        Ok(())
    }

    /// Handles `PRIORITY_UPDATE`: RFC 9218, section 7.1. The update takes effect at once
    /// if the request is open, otherwise when the request arrives.
    fn priority_update(&mut self, payload: &[u8]) -> Result<(), Fault> {
        let Some((stream, value)) = payload.split_first_chunk::<4>() else {
            return Err(Fault::size("PRIORITY_UPDATE has less than 4 bytes"));
        };
        let stream = frame::stream_id(*stream);
        if self.role == Role::Client {
            return Err(Fault::protocol("PRIORITY_UPDATE from a server"));
        }
        if stream.is_multiple_of(2) {
            let reason = format!("PRIORITY_UPDATE of stream {stream}, which is not a request");
            return Err(Fault::protocol(reason));
        }
        let Some(priority) = priority::parse(value) else {
            return Ok(());
        };
        if self.streams.contains_key(&stream) {
            self.events
                .push_back(Event::PriorityUpdate { stream, priority });
        } else if self.is_idle(stream) {
            self.pending_priorities.insert(stream, priority);
            // Ids that the client skipped are the lowest.
            while self.pending_priorities.len() > self.config.limits.pending_priorities {
                self.pending_priorities.pop_first();
            }
        }
        Ok(())
    }
}

/// Converts a payload that must have exactly `N` bytes.
fn exactly<const N: usize>(name: &str, payload: &[u8]) -> Result<[u8; N], Fault> {
    payload.try_into().map_err(|_| {
        let reason = format!("{name} has {} bytes instead of {N}", payload.len());
        Fault::size(reason)
    })
}
