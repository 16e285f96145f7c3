//! Helpers of the link tests.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use pagerace_live::LiveError;
use pagerace_live::link::{LinkReport, Testbed};
use pagerace_net::Network;

/// A testbed, and exclusive use of the machine among these tests.
pub(crate) struct Bed {
    pub(crate) testbed: Testbed,
    _alone: MutexGuard<'static, ()>,
}

/// Opens a testbed. Prints a note and returns `None` where that is not possible.
pub(crate) fn open() -> Option<Bed> {
    static ALONE: Mutex<()> = Mutex::new(());
    // A failed test leaves no state that could disturb the next one.
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    match Testbed::open() {
        Ok(testbed) => Some(Bed {
            testbed,
            _alone: alone,
        }),
        Err(error @ (LiveError::Privileges { .. } | LiveError::Tool { .. })) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Returns true if the measured times are valid; prints the reason if not.
pub(crate) fn is_believable(report: &LinkReport) -> bool {
    let objection = report.objection();
    if let Some(why) = &objection {
        eprintln!("times not judged: {why}");
    }
    objection.is_none()
}

pub(crate) fn network(text: &str) -> Network {
    Network::parse(text).unwrap()
}

impl Bed {
    /// Returns a socket of the server on its first address.
    pub(crate) fn server_udp(&self) -> UdpSocket {
        let address = self.testbed.server_address(0).unwrap();
        let bind = move || UdpSocket::bind((address, 443)).unwrap();
        let socket = self.testbed.server().run(bind);
        patient(socket)
    }

    /// Returns a socket of the client that is connected to `server_udp`.
    pub(crate) fn client_udp(&self) -> UdpSocket {
        let address = self.testbed.server_address(0).unwrap();
        let bind = move || {
            let socket = UdpSocket::bind("10.0.0.1:0").unwrap();
            socket.connect((address, 443)).unwrap();
            socket
        };
        patient(self.testbed.client().run(bind))
    }

    /// Starts a server that sends `bytes` to the first client that connects.
    pub(crate) fn sender(&self, bytes: usize) -> JoinHandle<()> {
        let address = self.testbed.server_address(0).unwrap();
        let bind = move || TcpListener::bind((address, 443)).unwrap();
        let listener = self.testbed.server().run(bind);
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&vec![7; bytes]).unwrap();
        })
    }

    /// Connects to the server, reads everything and returns the number of bytes.
    pub(crate) fn fetch(&self) -> usize {
        let mut stream = self.connect();
        let mut data = Vec::new();
        stream.read_to_end(&mut data).unwrap();
        data.len()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let address = self.testbed.server_address(0).unwrap();
        let connect = move || TcpStream::connect((address, 443)).unwrap();
        let stream = self.testbed.client().run(connect);
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

fn patient(socket: UdpSocket) -> UdpSocket {
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}
