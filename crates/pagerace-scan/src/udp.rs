//! UDP sockets that hear one address.

use std::io;
use std::net::SocketAddr;

use tokio::io::Interest;
use tokio::net::UdpSocket;

/// Opens a socket that hears `address` alone.
///
/// # Errors
/// The machine has no socket, or no way to the address.
pub(crate) async fn connect(address: SocketAddr) -> io::Result<UdpSocket> {
    let any = match address {
        SocketAddr::V4(_) => "0.0.0.0:0",
        SocketAddr::V6(_) => "[::]:0",
    };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(address).await?;
    Ok(socket)
}

/// Receives a datagram. `UdpSocket::recv` alone would not hear that the host refused.
///
/// # Errors
/// Errors of the socket; a refused port among them.
pub(crate) async fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        let ready = socket.ready(Interest::READABLE | Interest::ERROR).await?;
        if ready.is_error() {
            let refused = socket.try_io(Interest::ERROR, || match socket.take_error()? {
                Some(error) => Ok(error),
                None => Err(io::ErrorKind::WouldBlock.into()),
            });
            match refused {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(error) | Err(error) => return Err(error),
            }
        }
        match socket.try_recv(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            result => return result,
        }
    }
}
