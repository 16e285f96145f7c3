//! HEADERS and CONTINUATION frames: field sections, and the streams that they open.
//!
//! Source: RFC 9113, sections 4.3, 5.1, 6.2 and 6.10; RFC 7540, section 5.3.1
//! for dependencies.

use bytes::Bytes;
use pagerace_core::Dependency;

use super::closed::Closure;
use super::code::{Code, Fault};
use super::frame::{self, Header};
use super::{Connection, Event, Role};
use crate::message::{Malformed, Phase, Progress, Section};
use crate::{Field, hpack, priority};

/// An incomplete field section.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) stream: u64,
    end_stream: bool,
    dependency: Option<Dependency>,
    bytes: Bytes,
    continuations: u32,
}

/// Decodes the dependency in a HEADERS or PRIORITY frame.
pub(super) fn dependency(bytes: [u8; 5]) -> Dependency {
    let [a, b, c, d, weight] = bytes;
    Dependency {
        parent: frame::stream_id([a, b, c, d]),
        weight: u16::from(weight) + 1,
        exclusive: a & 0x80 != 0,
    }
}

/// Encodes the dependency in a HEADERS or PRIORITY frame.
pub(super) fn encode_dependency(dependency: Dependency) -> [u8; 5] {
    assert!(
        (1..=256).contains(&dependency.weight),
        "a weight of {}",
        dependency.weight
    );
    let [a, b, c, d] = (dependency.parent as u32 & frame::STREAM_MASK).to_be_bytes();
    let exclusive = u8::from(dependency.exclusive) << 7;
    [a | exclusive, b, c, d, (dependency.weight - 1) as u8]
}

impl Connection {
    pub(super) fn headers(&mut self, header: &Header, payload: Bytes) -> Result<(), Fault> {
        let mut bytes = frame::unpad(header, payload)?;
        let mut place = None;
        if header.has(frame::HAS_PRIORITY) {
            let Some(first) = bytes.first_chunk::<5>() else {
                return Err(Fault::size("HEADERS ends inside its priority"));
            };
            place = Some(dependency(*first));
            bytes = bytes.slice(5..);
        }
        let block = Block {
            stream: header.stream,
            end_stream: header.has(frame::END_STREAM),
            dependency: place,
            bytes,
            continuations: 0,
        };
        self.fragment(header, block)
    }

    pub(super) fn continuation(&mut self, header: &Header, payload: &[u8]) -> Result<(), Fault> {
        let mut block = self.block.take().expect("checked with the header");
        block.continuations += 1;
        if block.continuations > self.config.limits.continuations {
            let reason = "a field section in too many CONTINUATION frames";
            return Err(Fault::new(Code::ENHANCE_YOUR_CALM, reason));
        }
        block.bytes = [&block.bytes[..], payload].concat().into();
        self.fragment(header, block)
    }

    fn fragment(&mut self, header: &Header, block: Block) -> Result<(), Fault> {
        // A line counts at least 32 bytes towards the limit but may take one on the wire,
        // and Huffman codes can be longer than their text. So only sections far above the
        // limit are refused before they are decoded.
        let max = u64::from(self.config.max_header_list_size) * 4 + 64;
        if block.bytes.len() as u64 > max {
            let reason = format!("a field section of more than {max} bytes");
            return Err(Fault::new(Code::ENHANCE_YOUR_CALM, reason));
        }
        if !header.has(frame::END_HEADERS) {
            self.block = Some(block);
            return Ok(());
        }
        self.budget.progress();
        // Decode even unwanted sections, because later ones depend on the dynamic table.
        let size_max = u64::from(self.config.max_header_list_size);
        match self.decoder.decode(&block.bytes, size_max) {
            Ok(fields) => self.section(&block, Ok(fields)),
            Err(error @ hpack::Error::SectionTooLarge(_)) => {
                self.section(&block, Err(error.to_string()))
            }
            Err(error) => Err(Fault::new(Code::COMPRESSION_ERROR, error.to_string())),
        }
    }

    /// Handles a complete field section, or the error that it is too large.
    fn section(&mut self, block: &Block, fields: Result<Vec<Field>, String>) -> Result<(), Fault> {
        let stream = block.stream;
        let is_new = self.is_idle(stream);
        if is_new && !self.accept(stream)? {
            return Ok(());
        }
        let heeded = self.role == Role::Server && self.tree_counts();
        let Some(known) = self.streams.get_mut(&stream) else {
            return self.late_section(stream);
        };
        if known.remote_closed {
            let reason = "HEADERS after END_STREAM";
            return self.fail_stream(stream, Code::STREAM_CLOSED, reason.into());
        }
        if block.dependency.is_some_and(|d| d.parent == stream) {
            return self.self_dependency(stream);
        }
        let fields = match fields {
            Ok(fields) => fields,
            Err(reason) => return self.fail_stream(stream, Code::ENHANCE_YOUR_CALM, reason),
        };
        let event = match section_in_order(&mut known.inbound, &fields, block.end_stream) {
            Ok(Section::Interim) => Event::Interim { stream, fields },
            Ok(Section::Head) => Event::Headers {
                stream,
                priority: (self.pending_priorities.remove(&stream))
                    .unwrap_or_else(|| priority::of_fields(&fields)),
                fields,
                dependency: block.dependency.filter(|_| heeded),
            },
            Ok(Section::Trailers) => Event::Trailers { stream, fields },
            Err(reason) => return self.fail_stream(stream, Code::PROTOCOL_ERROR, reason),
        };
        self.events.push_back(event);
        if block.end_stream {
            self.end_remote(stream)
        } else {
            Ok(())
        }
    }

    /// Opens a new stream of the client. Returns false if the stream was refused.
    fn accept(&mut self, stream: u64) -> Result<bool, Fault> {
        self.next_stream = stream + 2;
        if self.goaway_sent.is_some_and(|last| stream > last) {
            let reason = "the server is going away".into();
            self.fail_stream(stream, Code::REFUSED_STREAM, reason)?;
            return Ok(false);
        }
        let open = self.streams.len() as u64;
        if let Some(max) = self.config.max_concurrent_streams
            && open >= u64::from(max)
        {
            let reason = format!("more than {max} streams at once");
            self.fail_stream(stream, Code::REFUSED_STREAM, reason)?;
            return Ok(false);
        }
        self.open(stream, false);
        Ok(true)
    }

    /// Handles HEADERS on a closed stream: section 5.1.
    fn late_section(&mut self, stream: u64) -> Result<(), Fault> {
        match self.closed.get(stream) {
            Some(Closure::ResetByUs) => Ok(()),
            Some(Closure::ResetByPeer) => {
                let reason = "HEADERS after RST_STREAM".into();
                self.fail_stream(stream, Code::STREAM_CLOSED, reason)
            }
            Some(Closure::Ended) => {
                let reason = "HEADERS after the stream was closed";
                Err(Fault::new(Code::STREAM_CLOSED, reason))
            }
            // Stream ids must ascend: section 5.1.1.
            None => Err(Fault::protocol("HEADERS of a stream below later ones")),
        }
    }

    /// Fails a stream that depends on itself: RFC 7540, section 5.3.1.
    pub(super) fn self_dependency(&mut self, stream: u64) -> Result<(), Fault> {
        let reason = "the stream depends on itself".into();
        self.fail_stream(stream, Code::PROTOCOL_ERROR, reason)
    }

    /// Returns true unless the peer has declared that it ignores RFC 7540 priorities (RFC
    /// 9218, section 2.1).
    pub(super) fn tree_counts(&self) -> bool {
        self.peer_settings.no_rfc7540_priorities != Some(true)
    }
}

/// Checks a field section, and that it ends its stream if and only if it may.
fn section_in_order(
    message: &mut Progress,
    fields: &[Field],
    end: bool,
) -> Result<Section, Malformed> {
    if message.phase() == Phase::Content && !end {
        return Err("trailers that do not end the stream".into());
    }
    match message.section(fields)? {
        Section::Interim if end => Err("an interim response that ends the stream".into()),
        section => Ok(section),
    }
}
