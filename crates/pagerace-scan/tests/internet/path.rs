//! A path for UDP with delay and losses, to a server elsewhere on this machine.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::mpsc;

/// How long a client's way back stays open.
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
                let way = Way {
                    front: Arc::clone(&front),
                    client: from,
                    server,
                    delay,
                    loss,
                    seed,
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
    loss: f64,
    seed: u64,
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
                    if self.lost() { continue }
                    let (back, delay) = (Arc::clone(&back), self.delay);
                    tokio::spawn(async move {
                        tokio::time::sleep(delay).await;
                        let _ = back.send(&bytes).await;
                    });
                }
                Ok(length) = back.recv(&mut buffer) => {
                    if self.lost() { continue }
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

    /// The next draw of a xorshift generator.
    fn lost(&mut self) -> bool {
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let draw = (self.seed >> 33) as f64 / f64::from(1u32 << 31);
        draw < self.loss
    }
}
