//! HTTP/3 on the streams of a connection.

use bytes::Bytes;
use pagerace_http::h3;
use quinn_proto::{ReadError, ReadableError, StreamId, VarInt, WriteError};

use super::super::Http3Settings;
use super::Connection;
use crate::client::ms_since;
use crate::error::{Failure, Kind};
use crate::http::Response;

impl Connection {
    /// Reads a stream to the end of what arrived.
    pub(super) fn read(&mut self, id: StreamId) -> Result<(), Failure> {
        let mut fault = None;
        let mut pieces = Vec::new();
        let mut end = None;
        {
            let mut stream = self.inner.recv_stream(id);
            let mut chunks = match stream.read(true) {
                Ok(chunks) => chunks,
                Err(ReadableError::ClosedStream | ReadableError::IllegalOrderedRead) => {
                    return Ok(());
                }
            };
            loop {
                match chunks.next(usize::MAX) {
                    Ok(Some(chunk)) => pieces.push(chunk.bytes),
                    Ok(None) => {
                        end = Some(());
                        break;
                    }
                    Err(ReadError::Blocked) => break,
                    Err(ReadError::Reset(code)) => {
                        fault = Some(code);
                        break;
                    }
                }
            }
            let _ = chunks.finalize();
        }
        let http = |error| Failure::new(Kind::Http, error);
        let stream = u64::from(id);
        for data in pieces {
            self.h3.handle_data(stream, data, false).map_err(http)?;
        }
        if end.is_some() {
            let result = self.h3.handle_data(stream, Bytes::new(), true);
            result.map_err(http)?;
        }
        if let Some(code) = fault {
            let result = self.h3.handle_reset(stream, code.into_inner());
            result.map_err(http)?;
        }
        self.events()
    }

    fn events(&mut self) -> Result<(), Failure> {
        while let Some(event) = self.h3.poll_event() {
            match event {
                h3::Event::Settings(settings) => {
                    self.report.settings = Some(Http3Settings {
                        qpack_max_table_capacity: settings.qpack_max_table_capacity,
                        qpack_blocked_streams: settings.qpack_blocked_streams,
                        max_field_section_size: settings.max_field_section_size,
                        enable_connect_protocol: settings.enable_connect_protocol,
                        h3_datagram: settings.h3_datagram,
                    });
                }
                h3::Event::Headers { fields, .. } if self.report.response.is_none() => {
                    self.report.response = Some(Response::of(&fields));
                    self.report.response_ms = self.asked.map(ms_since);
                    self.report.total_ms = Some(ms_since(self.start));
                }
                h3::Event::StreamError { reason, .. } => {
                    return Err(Failure::new(Kind::Http, reason));
                }
                h3::Event::Reset { code, .. } => {
                    let text = format_args!("the response was reset: {code}");
                    return Err(Failure::new(Kind::Http, text));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes what HTTP/3 has to say, as far as flow control allows.
    pub(super) fn write(&mut self) -> Result<(), Failure> {
        if self.asked.is_none() {
            return Ok(());
        }
        while let Some(write) = self.h3.poll_write() {
            self.writes.push_back(write);
        }
        for mut write in std::mem::take(&mut self.writes) {
            if !self.open_stream(write.stream)? {
                self.writes.push_back(write);
                continue;
            }
            let id = stream_id(write.stream);
            let mut stream = self.inner.send_stream(id);
            while !write.data.is_empty() {
                match stream.write(&write.data) {
                    Ok(length) => drop(write.data.split_to(length)),
                    Err(WriteError::Blocked) => break,
                    Err(WriteError::Stopped(_) | WriteError::ClosedStream) => {
                        return Err(Failure::new(Kind::Http, "the server stopped a stream"));
                    }
                }
            }
            if !write.data.is_empty() {
                self.writes.push_back(write);
            } else if write.fin {
                let _ = stream.finish();
            }
        }
        Ok(())
    }

    /// Opens a stream of ours. Returns false if the server allows none yet.
    fn open_stream(&mut self, stream: u64) -> Result<bool, Failure> {
        if self.open.contains(&stream) {
            return Ok(true);
        }
        let dir = stream_id(stream).dir();
        let Some(id) = self.inner.streams().open(dir) else {
            return Ok(false);
        };
        if u64::from(id) != stream {
            return Err(Failure::new(Kind::Quic, "streams open out of order"));
        }
        self.open.insert(stream);
        Ok(true)
    }
}

fn stream_id(stream: u64) -> StreamId {
    StreamId::from(VarInt::from_u64(stream).unwrap_or(VarInt::MAX))
}
