//! Checks that need only the frame header.
//!
//! Source: RFC 9113, sections 3.4, 4.2, 5.1 and 6.

use super::code::Fault;
use super::frame::{self, Header};
use super::{Connection, Role};

impl Connection {
    /// Checks a frame header before the payload is read.
    pub(super) fn check(&mut self, header: &Header) -> Result<(), Fault> {
        self.current = header.stream;
        if header.length > self.config.max_frame_size {
            let max = self.config.max_frame_size;
            let reason = format!(
                "a frame has {} bytes of payload, but at most {max} are allowed",
                header.length
            );
            return Err(Fault::size(reason));
        }
        if !self.settings_received && (header.ty != frame::SETTINGS || header.has(frame::ACK)) {
            // Section 3.4.
            return Err(Fault::protocol("the first frame is not SETTINGS"));
        }
        let in_block = self.block.as_ref().map(|block| block.stream);
        let wanted = (header.ty == frame::CONTINUATION).then_some(header.stream);
        if in_block != wanted {
            // Section 6.10.
            let reason = "CONTINUATION without HEADERS, or another frame in its place";
            return Err(Fault::protocol(reason));
        }
        if !matches!(
            header.ty,
            frame::HEADERS | frame::CONTINUATION | frame::DATA
        ) {
            self.budget.idle_frame(&self.config.limits)?;
        }
        self.check_stream(header)
    }

    /// Checks that the frame type is allowed on its stream.
    fn check_stream(&self, header: &Header) -> Result<(), Fault> {
        let name = match header.ty {
            frame::DATA => "DATA",
            frame::HEADERS => "HEADERS",
            frame::PRIORITY => "PRIORITY",
            frame::RST_STREAM => "RST_STREAM",
            frame::SETTINGS => "SETTINGS",
            frame::PUSH_PROMISE => {
                return Err(Fault::protocol("PUSH_PROMISE, though no push is allowed"));
            }
            frame::PING => "PING",
            frame::GOAWAY => "GOAWAY",
            frame::PRIORITY_UPDATE => "PRIORITY_UPDATE",
            frame::WINDOW_UPDATE => "WINDOW_UPDATE",
            _ => return Ok(()),
        };
        let of_connection = matches!(
            header.ty,
            frame::SETTINGS | frame::PING | frame::GOAWAY | frame::PRIORITY_UPDATE
        );
        if of_connection && header.stream != 0 {
            return Err(Fault::protocol(format!("{name} of a stream")));
        }
        if header.stream == 0 {
            return if of_connection || header.ty == frame::WINDOW_UPDATE {
                Ok(())
            } else {
                Err(Fault::protocol(format!("{name} without a stream")))
            };
        }
        // Idle state: section 5.1.
        let may_be_idle = match header.ty {
            frame::PRIORITY => true,
            frame::HEADERS => self.role == Role::Server && header.stream % 2 == 1,
            _ => false,
        };
        if !may_be_idle && self.is_idle(header.stream) {
            return Err(Fault::protocol(format!("{name} of an idle stream")));
        }
        Ok(())
    }
}
