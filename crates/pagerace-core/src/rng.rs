//! Seeded random numbers, with one stream per component.
//!
//! Each stream is derived from the run's seed and the component's name, so adding a
//! component leaves the other streams unchanged. The generator is xoshiro256++, whose
//! output is fixed by its definition. Logarithms and exponentials come from `libm`, so
//! draws are the same on every machine.

use rand_core::{Rng as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A component's own stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Creates the stream of component `name` under `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, name)))
    }

    /// Draws 64 uniform bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a uniform number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with probability `p`. Consumes one number regardless of `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Draws a uniform integer in `0..n`.
    ///
    /// # Panics
    /// Panics if `n` is zero.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "nothing to choose from");
        // Multiply-shift: the bias is below n / 2^64.
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Draws from the standard normal distribution (Box-Muller; the pair's second number is
    /// unused).
    pub fn normal(&mut self) -> f64 {
        let u = 1.0 - self.unit();
        let v = self.unit();
        libm::sqrt(-2.0 * libm::log(u)) * libm::cos(2.0 * std::f64::consts::PI * v)
    }

    /// Draws from the log-normal distribution with median 1 and standard deviation `sigma`
    /// of the logarithm.
    pub fn lognormal(&mut self, sigma: f64) -> f64 {
        libm::exp(sigma * self.normal())
    }
}

/// Derives a seed for the part `name` of the entity that `seed` belongs to.
///
/// Hashes both with FNV-1a, then applies the `SplitMix64` finaliser.
pub fn derive_seed(seed: u64, name: &str) -> u64 {
    let mut h: u64 = 0xcbf2_9ce4_8422_2325;
    for b in seed.to_le_bytes().into_iter().chain(name.bytes()) {
        h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    }
    h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    h ^ (h >> 31)
}

#[cfg(test)]
mod tests;
