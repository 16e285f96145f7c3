//! A non-blocking TCP socket with TLS.

use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::Shutdown;

use bytes::Bytes;
use mio::net::TcpStream;

/// Number of unsent bytes below which the kernel reports a socket as writable. The value
/// is the one that Apple and Google recommend.
const NOTSENT_LOWAT: u32 = 16 * 1024;

/// Maximum number of bytes read from a socket at once.
const READ_BYTES: usize = 16 * 1024;

/// A socket and its TLS connection.
pub(crate) struct Wire {
    pub(crate) socket: TcpStream,
    pub(crate) tls: rustls::Connection,
    /// True if the socket may have more to read or accept more, respectively.
    pub(crate) readable: bool,
    pub(crate) writable: bool,
    /// Bytes that the socket has received.
    pub(crate) received: u64,
}

/// Result of a read.
pub(crate) enum Received {
    /// Plaintext; empty if TLS consumed all bytes itself.
    Data(Bytes),
    /// The socket has nothing to read for now.
    Blocked,
    /// The peer has closed its side.
    End,
}

impl Wire {
    pub(crate) fn new(socket: TcpStream, tls: rustls::Connection) -> Self {
        // Failures of these options cost speed but do no other harm.
        let _ = socket.set_nodelay(true);
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&socket).set_tcp_notsent_lowat(NOTSENT_LOWAT);
        Self {
            socket,
            tls,
            readable: false,
            writable: false,
            received: 0,
        }
    }

    /// Reads from the socket once and decrypts.
    pub(crate) fn receive(&mut self) -> io::Result<Received> {
        if !self.readable {
            return Ok(Received::Blocked);
        }
        match self
            .tls
            .read_tls(&mut Read::take(&mut self.socket, READ_BYTES as u64))
        {
            Ok(0) => return Ok(Received::End),
            Ok(length) => self.received += length as u64,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.readable = false;
                return Ok(Received::Blocked);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                return Ok(Received::Data(Bytes::new()));
            }
            Err(error) => return Err(error),
        }
        let state = match self.tls.process_new_packets() {
            Ok(state) => state,
            Err(error) => {
                // Try to send the alert that names the error. The connection fails either
                // way.
                let _ = self.tls.write_tls(&mut self.socket);
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        };
        let mut data = vec![0; state.plaintext_bytes_to_read()];
        self.tls.reader().read_exact(&mut data)?;
        if data.is_empty() && state.peer_has_closed() {
            return Ok(Received::End);
        }
        Ok(Received::Data(data.into()))
    }

    /// Sends the pending TLS records. Returns true if none are left.
    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        while self.tls.wants_write() {
            if !self.writable {
                return Ok(false);
            }
            match self.tls.write_tls(&mut self.socket) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Queues the plaintext of a record, in pieces. It must be short, as rustls limits its
    /// buffer.
    pub(crate) fn write(&mut self, pieces: &[Bytes]) -> io::Result<()> {
        let mut slices: Vec<IoSlice> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut left = &mut slices[..];
        while !left.is_empty() {
            match self.tls.writer().write_vectored(left)? {
                0 => return Err(ErrorKind::WriteZero.into()),
                written => IoSlice::advance_slices(&mut left, written),
            }
        }
        Ok(())
    }

    /// Closes the sending side.
    pub(crate) fn end(&mut self) {
        self.tls.send_close_notify();
        // If the alert cannot be sent now, the peer still sees the end of the stream.
        let _ = self.flush();
        let _ = self.socket.shutdown(Shutdown::Write);
    }
}
