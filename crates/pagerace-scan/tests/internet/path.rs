//! A path for UDP with delay and losses, to a server elsewhere on this machine.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::mpsc;

/// Time for which a client's way back stays open.
const IDLE: Duration = Duration::from_secs(15);

/// Carries datagrams between `at` and `server`, each way with `delay`, and loses a share.
pub fn carry(at: SocketAddr, server: SocketAddr, delay: Duration, loss: f64) {
    let socket = std::net::UdpSocket::bind(at).unwrap();
    socket.set_nonblocking(true).unwrap();
    let front = Arc::new(UdpSocket::from_std(socket).unwrap());
    tokio::spawn(async move {
        let mut clients: BTreeMap<SocketAddr, mpsc::Sender<Vec<u8>>> = BTreeMap::new();
        let mut buffer = [0; 2048];
        loop {
            // An error tells of a client's closed port.
            let Ok((length, from)) = front.recv_from(&mut buffer).await else {
                continue;
            };
            clients.retain(|_, sender| !sender.is_closed());
            let sender = clients.entry(from).or_insert_with(|| {
                let (sender, receiver) = mpsc::channel(256);
                let seed = u64::from(from.port()) << 20 | u64::from(at.port());
                let losses = Losses::new(loss, seed);
                let way = Way {
                    front: Arc::clone(&front),
                    client: from,
                    server,
                    delay,
                    losses,
                };
                tokio::spawn(way.run(receiver));
                sender
            });
            let _ = sender.try_send(buffer[..length].to_vec());
        }
    });
}

struct Way {
    front: Arc<UdpSocket>,
    client: SocketAddr,
    server: SocketAddr,
    delay: Duration,
    losses: Losses,
}

/// Decides which of many are lost: a linear congruential generator.
pub struct Losses {
    share: f64,
    state: u64,
}

impl Losses {
    pub fn new(share: f64, seed: u64) -> Self {
        Self { share, state: seed }
    }

    /// Returns true if the next one is lost.
    pub fn next_is_lost(&mut self) -> bool {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let draw = (self.state >> 33) as f64 / f64::from(1u32 << 31);
        draw < self.share
    }
}

impl Way {
    async fn run(mut self, mut receiver: mpsc::Receiver<Vec<u8>>) {
        let back = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        back.connect(self.server).await.unwrap();
        let mut buffer = [0; 2048];
        loop {
            tokio::select! {
                sent = receiver.recv() => {
                    let Some(bytes) = sent else { return };
                    if self.losses.next_is_lost() { continue }
                    let (back, delay) = (Arc::clone(&back), self.delay);
                    tokio::spawn(async move {
                        tokio::time::sleep(delay).await;
                        let _ = back.send(&bytes).await;
                    });
                }
                Ok(length) = back.recv(&mut buffer) => {
                    if self.losses.next_is_lost() { continue }
                    let (front, delay, client) = (Arc::clone(&self.front), self.delay, self.client);
                    let bytes = buffer[..length].to_vec();
                    tokio::spawn(async move {
                        tokio::time::sleep(delay).await;
                        let _ = front.send_to(&bytes, client).await;
                    });
                }
                () = tokio::time::sleep(IDLE) => return,
            }
        }
    }
}
