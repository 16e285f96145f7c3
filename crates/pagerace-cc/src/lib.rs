//! Congestion controllers, one file each.
//! (The lead's minimal version so that the transport compiles; the owner of this crate replaces it wholesale, same API.)
#![allow(missing_docs)]
use pagerace_core::{Duration, Instant};
#[derive(Clone, Copy, Debug)]
pub struct Ack { pub now: Instant, pub sent_at: Instant, pub bytes: u64, pub rtt_latest: Duration, pub rtt_min: Duration, pub rtt_smoothed: Duration, pub app_limited: bool }
pub trait Controller: Send + Sync {
    fn on_sent(&mut self, now: Instant, bytes: u64);
    fn on_ack(&mut self, ack: &Ack);
    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool);
    fn window(&self) -> u64;
    fn ssthresh(&self) -> Option<u64> { None }
    fn pacing_rate(&self) -> Option<u64> { None }
    fn set_mtu(&mut self, mtu: u16);
    fn name(&self) -> &'static str;
    fn clone_box(&self) -> Box<dyn Controller>;
}
#[derive(Debug, thiserror::Error)]
#[error("unknown congestion controller {0}")]
pub struct UnknownController(pub String);
#[derive(Clone)]
struct Mini { w: u64, ss: u64, mtu: u64, rec: Instant }
impl Controller for Mini {
    fn on_sent(&mut self, _: Instant, _: u64) {}
    fn on_ack(&mut self, a: &Ack) { if a.app_limited { return } if self.w < self.ss { self.w += a.bytes } else { self.w += self.mtu * a.bytes / self.w } }
    fn on_congestion(&mut self, now: Instant, s: Instant, _: u64, _: bool) { if s <= self.rec && self.rec > Instant::ZERO { return } self.rec = now; self.w = (self.w * 7 / 10).max(2 * self.mtu); self.ss = self.w }
    fn window(&self) -> u64 { self.w }
    fn set_mtu(&mut self, m: u16) { self.mtu = m.into() }
    fn name(&self) -> &'static str { "reno" }
    fn clone_box(&self) -> Box<dyn Controller> { Box::new(self.clone()) }
}
pub fn build(_name: &str, mtu: u16) -> Result<Box<dyn Controller>, UnknownController> { Ok(Box::new(Mini { w: 10 * u64::from(mtu), ss: u64::MAX, mtu: mtu.into(), rec: Instant::ZERO })) }
