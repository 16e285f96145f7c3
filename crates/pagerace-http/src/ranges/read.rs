//! Incremental reader for the content of a response to a range request.

use bytes::{Buf, Bytes, BytesMut};

use super::{ByteRange, parse_content_range};
use crate::{Field, fields};

/// Longest part head, boundary line included, in bytes.
const HEAD_MAX: usize = 4_096;

/// A response to a range request that holds no readable ranges.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer to a range request {0}")]
pub struct NotRanges(&'static str);

/// Maps the bytes of a response to their offsets in the content.
#[derive(Debug)]
pub struct RangeReader {
    state: State,
    /// `--boundary` of a response with several parts; `None` for a response with one.
    delimiter: Option<Box<[u8]>>,
    /// The incomplete head of a part.
    head: BytesMut,
}

#[derive(Debug)]
enum State {
    /// Content: `left` bytes are still to come, the next of which belongs at `offset`.
    Part { offset: u64, left: u64 },
    /// A part head, or the closing boundary line.
    Head,
    /// All parts were read.
    Over,
}

impl RangeReader {
    /// Creates a reader for a response with the given fields: 206 with one range or
    /// several, or 200 with the whole content.
    ///
    /// # Errors
    /// If the response has another status, or does not say which bytes it holds.
    pub fn new(answer: &[Field]) -> Result<Self, NotRanges> {
        let value = |name: &str| {
            let value = fields::get(answer, name)?;
            std::str::from_utf8(value).ok()
        };
        let part = |offset, left| Self {
            state: State::Part { offset, left },
            delimiter: None,
            head: BytesMut::new(),
        };
        match value(":status") {
            Some("200") => return Ok(part(0, u64::MAX)),
            Some("206") => {}
            _ => return Err(NotRanges("has neither status 200 nor 206")),
        }
        if let Some(range) = value("content-range") {
            let (ByteRange { first, last }, _) =
                parse_content_range(range).ok_or(NotRanges("has a malformed content-range"))?;
            return Ok(part(first, last - first + 1));
        }
        let boundary = value("content-type")
            .filter(|ty| {
                let ty = ty.split(';').next().unwrap_or_default().trim();
                ty.eq_ignore_ascii_case("multipart/byteranges")
            })
            .and_then(|ty| ty.split(';').skip(1).find_map(boundary))
            // RFC 2046, section 5.1.1.
            .filter(|b| (1..=70).contains(&b.len()))
            .ok_or(NotRanges("does not say which bytes it holds"))?;
        Ok(Self {
            state: State::Head,
            delimiter: Some(format!("--{boundary}").into_bytes().into()),
            head: BytesMut::new(),
        })
    }

    /// Reads the next bytes of the response's content. Calls `each` with an offset and
    /// the bytes that belong there. The bytes are slices of `data` where possible.
    ///
    /// # Errors
    /// If the parts are malformed. Bytes that `each` already received are valid.
    pub fn read(
        &mut self,
        mut data: Bytes,
        mut each: impl FnMut(u64, Bytes),
    ) -> Result<(), NotRanges> {
        while !data.is_empty() {
            match &mut self.state {
                State::Over => return Ok(()),
                State::Part { offset, left } => {
                    let n = usize::try_from(*left).unwrap_or(usize::MAX).min(data.len());
                    let bytes = data.split_to(n);
                    each(*offset, bytes);
                    *offset += n as u64;
                    *left -= n as u64;
                    if *left == 0 {
                        self.state = match self.delimiter {
                            Some(_) => State::Head,
                            None => State::Over,
                        };
                    }
                }
                State::Head => {
                    self.head.extend_from_slice(&data);
                    let Some((state, used)) = self.next_part()? else {
                        if self.head.len() > HEAD_MAX {
                            return Err(NotRanges("has a part whose head does not end"));
                        }
                        return Ok(());
                    };
                    self.state = state;
                    self.head.advance(used);
                    data = self.head.split().freeze();
                }
            }
        }
        Ok(())
    }

    /// Parses the collected part head. Returns the next state and the length of the head,
    /// or `None` if the head is incomplete.
    fn next_part(&self) -> Result<Option<(State, usize)>, NotRanges> {
        let delimiter = self.delimiter.as_deref().unwrap_or_default();
        let Some(at) = find(&self.head, delimiter) else {
            return Ok(None);
        };
        let after = &self.head[at + delimiter.len()..];
        if after.starts_with(b"--") {
            return Ok(Some((State::Over, self.head.len())));
        }
        let Some(end) = find(after, b"\r\n\r\n") else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&after[..end]);
        let range = text.split("\r\n").find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let wanted = name.trim().eq_ignore_ascii_case("content-range");
            wanted.then(|| parse_content_range(value)).flatten()
        });
        let (ByteRange { first, last }, _) = range.ok_or(NotRanges(
            "has a part that does not say which bytes it holds",
        ))?;
        let used = at + delimiter.len() + end + 4;
        let state = State::Part {
            offset: first,
            left: last - first + 1,
        };
        Ok(Some((state, used)))
    }
}

/// Returns the value of a `boundary` parameter, without quotes.
fn boundary(parameter: &str) -> Option<&str> {
    let (name, value) = parameter.trim().split_once('=')?;
    let value = value.trim();
    let bare = value
        .strip_prefix('"')
        .and_then(|v| v.strip_suffix('"'))
        .unwrap_or(value);
    name.trim().eq_ignore_ascii_case("boundary").then_some(bare)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len().max(1)).position(|w| w == wanted)
}
