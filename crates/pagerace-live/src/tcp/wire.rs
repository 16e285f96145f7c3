//! A TCP socket with TLS on it, that never blocks.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;

use bytes::Bytes;
use mio::net::TcpStream;

/// Unsent bytes below which a socket is writable; what Apple and Google advise.
const NOTSENT_LOWAT: u32 = 16 * 1024;

/// Bytes that are taken from a socket in one turn.
const READ_BYTES: usize = 16 * 1024;

/// A socket and its TLS.
pub(super) struct Wire {
    pub(super) socket: TcpStream,
    pub(super) tls: rustls::Connection,
    /// The socket may have more to read, or take more.
    pub(super) readable: bool,
    pub(super) writable: bool,
}

/// What a read came to.
pub(super) enum Received {
    /// Plaintext; empty where it was TLS's own.
    Data(Bytes),
    /// Nothing for now.
    Blocked,
    /// The peer has closed its side.
    End,
}

impl Wire {
    pub(super) fn new(socket: TcpStream, tls: rustls::Connection) -> Self {
        // Without these it is slower, and no less right.
        let _ = socket.set_nodelay(true);
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&socket).set_tcp_notsent_lowat(NOTSENT_LOWAT);
        Self {
            socket,
            tls,
            readable: false,
            writable: false,
        }
    }

    /// Reads once.
    pub(super) fn receive(&mut self) -> io::Result<Received> {
        if !self.readable {
            return Ok(Received::Blocked);
        }
        match self
            .tls
            .read_tls(&mut Read::take(&mut self.socket, READ_BYTES as u64))
        {
            Ok(0) => return Ok(Received::End),
            Ok(_) => {}
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
                // The alert that says why; whether it arrives is of no matter.
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

    /// Sends what TLS has; whether all of it is gone.
    pub(super) fn flush(&mut self) -> io::Result<bool> {
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

    /// Queues plaintext: few bytes, as TLS takes only so much at once.
    pub(super) fn write(&mut self, plaintext: &[u8]) -> io::Result<()> {
        self.tls.writer().write_all(plaintext)
    }

    /// No more will be sent.
    pub(super) fn end(&mut self) {
        self.tls.send_close_notify();
        // What cannot be told to the peer now it will find out.
        let _ = self.flush();
        let _ = self.socket.shutdown(Shutdown::Write);
    }
}
