//! Numbers that describe the order of bytes in a trace, whatever its rate.
//!
//! The axis is the share of the bytes of all ranked responses that had arrived, not the time.
//! Bytes count at the first packet that reaches beyond them, so that retransmissions hardly
//! matter: what counts is the order in which the server sent bytes for the first time.

use crate::player::Job;
use crate::trace::Trace;

/// Shares of a response whose arrival is located.
const QUANTILES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// Payload of a packet in bytes, which run lengths are compared with.
const PACKET: f64 = 1_200.0;

/// Place of a quantile that never arrived.
pub(crate) const NEVER: f64 = 1.0;

/// The order of bytes in a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// For each ranked response, the places of its quantiles in the order of all bytes, 0 to
    /// 1; 1 for a quantile that never arrived.
    pub places: Vec<[f64; QUANTILES.len()]>,
    /// Mean number of packets of one response in a row while others were under way.
    pub run: f64,
}

impl Shape {
    /// Describes the trace of a job.
    pub fn of(job: &Job, trace: &Trace) -> Self {
        let asks = &job.script.asks;
        let ranked: Vec<usize> = (0..asks.len()).filter(|i| asks[*i].ranked).collect();
        let place = |ask: usize| ranked.iter().position(|r| *r == ask);
        let lengths: Vec<u64> = ranked
            .iter()
            .map(|ask| job.targets[asks[*ask].target].length)
            .collect();
        let total: u64 = trace
            .chunks
            .iter()
            .filter(|chunk| place(chunk.ask).is_some())
            .map(|chunk| chunk.bytes)
            .sum();
        let mut places = vec![[NEVER; QUANTILES.len()]; ranked.len()];
        let mut arrived = vec![0_u64; ranked.len()];
        let (mut before, mut runs, mut run_bytes, mut last) = (0_u64, 0_u64, 0_u64, None);
        for chunk in &trace.chunks {
            let Some(i) = place(chunk.ask) else {
                continue;
            };
            for (quantile, at) in QUANTILES.iter().zip(&mut places[i]) {
                let wanted = quantile * lengths[i] as f64;
                let (from, to) = (arrived[i] as f64, (arrived[i] + chunk.bytes) as f64);
                if from <= wanted && wanted < to {
                    *at = (before as f64 + wanted - from) / total.max(1) as f64;
                }
            }
            arrived[i] += chunk.bytes;
            before += chunk.bytes;
            let open = |(i, length): (usize, &u64)| arrived[i] < *length;
            if lengths.iter().enumerate().filter(|l| open(*l)).count() > 1 {
                runs += u64::from(last != Some(i));
                run_bytes += chunk.bytes;
            }
            last = Some(i);
        }
        Self {
            places,
            run: run_bytes as f64 / runs.max(1) as f64 / PACKET,
        }
    }

    /// Returns all numbers on comparable scales.
    pub fn values(&self) -> Vec<f64> {
        let places = self.places.iter().flatten().copied();
        // A doubled run length weighs as much as an eighth of the whole transfer.
        let run = libm::log2(self.run.max(0.25)) / 8.0;
        places.chain([run, run, run]).collect()
    }
}
