use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::trace::Trace;
use crate::units::BitRate;

/// The arrival times in ns and sizes of packets.
type Arrivals = Vec<(u64, u32)>;

fn arrivals() -> impl Strategy<Value = Arrivals> {
    let gap = prop_oneof![
        Just(0_u64),
        0..3_000_u64,
        0..5_000_000_u64,
        0..900_000_000_u64
    ];
    prop::collection::vec((gap, 28..=1_500_u32), 1..60).prop_map(|packets| {
        let mut now = 0;
        packets
            .into_iter()
            .map(|(gap, size)| (now += gap, (now, size)).1)
            .collect()
    })
}

fn finishes(rate: &Rate, arrivals: &Arrivals) -> Vec<u64> {
    let mut service = Service::new(rate);
    let finish = |&(at, size): &(u64, u32)| service.finish(Instant::from_nanos(at), size);
    arrivals.iter().map(finish).map(Instant::as_nanos).collect()
}

fn trace(text: &str) -> Arc<Trace> {
    Arc::new(Trace::parse("test", text).unwrap())
}

fn rate(bits_per_second: u64) -> BitRate {
    BitRate::new(bits_per_second).unwrap()
}

#[test]
fn a_packet_takes_its_size_over_the_rate() {
    let mut service = Service::new(&Rate::Constant(rate(1_000_000)));
    let at = |ns| Instant::from_nanos(ns);
    assert_eq!(service.finish(at(0), 1_250), at(10_000_000));
    assert_eq!(service.finish(at(1), 1_250), at(20_000_000));
    // The idle time in between saves nothing.
    assert_eq!(service.finish(at(50_000_000), 1_250), at(60_000_000));
}

#[test]
fn the_long_run_rate_is_exact_although_no_packet_takes_whole_nanoseconds() {
    // 28 bytes at 3 Gbit/s take 74 2/3 ns.
    let mut service = Service::new(&Rate::Constant(rate(3_000_000_000)));
    let mut last = Instant::ZERO;
    for _ in 0..3_000_000 {
        last = service.finish(Instant::ZERO, 28);
    }
    assert_eq!(last.as_nanos(), 224_000_000);
}

#[test]
fn a_full_bucket_lets_one_packet_through_at_once() {
    let rate = Rate::TokenBucket {
        rate: rate(1_000_000),
        burst: 1_500,
    };
    let mut service = Service::new(&rate);
    let at = |ns| Instant::from_nanos(ns);
    assert_eq!(service.finish(at(5), 1_500), at(5));
    assert_eq!(service.finish(at(5), 1_500), at(12_000_005));
    // 6 ms without traffic refill half of the bucket.
    assert_eq!(service.finish(at(18_000_005), 1_500), at(24_000_005));
}

#[test]
fn small_packets_share_an_opportunity_and_large_ones_span_two() {
    let rate = Rate::Trace(trace("10\n20\n"));
    // 700 + 700 fit into the opportunity at 10 ms. Of the third packet, 100 bytes fit
    // there too and 600 go at 20 ms, which leaves 900.
    let sizes = [700, 700, 700, 900, 1];
    let got = finishes(&rate, &sizes.iter().map(|&s| (0, s)).collect());
    assert_eq!(got, [10, 10, 20, 20, 30].map(|ms| ms * 1_000_000));
}

#[test]
fn an_opportunity_that_nobody_uses_is_gone() {
    let rate = Rate::Trace(trace("10\n10\n20\n"));
    let ms = 1_000_000;
    // A packet that arrives at exactly 10 ms misses the opportunity at 10 ms, and the
    // rest of a used opportunity expires at its time.
    assert_eq!(finishes(&rate, &vec![(10 * ms, 100)]), [20 * ms]);
    assert_eq!(
        finishes(&rate, &vec![(0, 100), (15 * ms, 1_500)]),
        [10 * ms, 20 * ms]
    );
    // The trace repeats after its last line's time.
    assert_eq!(
        finishes(&rate, &vec![(1_000 * ms, 1_500); 4]),
        [1_010, 1_010, 1_020, 1_030].map(|t| t * ms)
    );
}

#[test]
fn a_stepped_rate_changes_within_a_packet() {
    // 1 Mbit/s for 10 ms, nothing for 10 ms, 2 Mbit/s for 10 ms, repeated.
    let rate = Rate::Trace(trace("0 1\n0.01 0\n0.02 2\n"));
    let ms = 1_000_000;
    assert_eq!(finishes(&rate, &vec![(0, 1_250)]), [10 * ms]);
    assert_eq!(finishes(&rate, &vec![(0, 1_500)]), [21 * ms]);
    assert_eq!(finishes(&rate, &vec![(12 * ms, 250)]), [21 * ms]);
    // 3,750 bytes in each 30 ms: ten periods.
    assert_eq!(finishes(&rate, &vec![(0, 37_500)]), [300 * ms]);
}

#[test]
fn a_single_step_is_a_constant_rate() {
    let packets: Arrivals = (0..500)
        .map(|i| (i * i * 1_000, 28 + (i as u32 * 37) % 1_400))
        .collect();
    let steps = finishes(&Rate::Trace(trace("0 7.654321\n")), &packets);
    assert_eq!(steps, finishes(&Rate::Constant(rate(7_654_321)), &packets));
}

proptest! {
    /// Compares with exact fractions: times as multiples of 1/rate ns.
    #[test]
    fn a_token_bucket_does_what_tokens_do(
        packets in arrivals(),
        bits in 1_000..2_000_000_000_u64,
        bucket in 1_500..20_000_u32,
    ) {
        let scale = u128::from(bits);
        let full = work(bucket);
        let (mut tokens, mut last) = (full, 0_u128);
        let expected: Vec<u64> = packets.iter().map(|&(at, size)| {
            let begin = last.max(u128::from(at) * scale);
            tokens = full.min(tokens + (begin - last));
            let missing = work(size).saturating_sub(tokens);
            last = begin + missing;
            tokens = tokens + missing - work(size);
            last.div_ceil(scale) as u64
        }).collect();
        prop_assert_eq!(finishes(&Rate::TokenBucket { rate: rate(bits), burst: bucket }, &packets), expected);
    }

    #[test]
    fn a_constant_rate_serves_one_packet_after_the_other(
        packets in arrivals(),
        bits in 1_000..20_000_000_000_u64,
    ) {
        let scale = u128::from(bits);
        let mut free = 0_u128;
        let expected: Vec<u64> = packets.iter().map(|&(at, size)| {
            free = free.max(u128::from(at) * scale) + work(size);
            free.div_ceil(scale) as u64
        }).collect();
        prop_assert_eq!(finishes(&Rate::Constant(rate(bits)), &packets), expected);
    }

    /// Checks that a packet has crossed at the first nanosecond at which the link could
    /// have done all work of its busy period.
    #[test]
    fn steps_do_all_the_work_they_can_and_no_more(
        packets in arrivals(),
        rates in prop::collection::vec((1..400_u64, prop_oneof![Just(0), 1..3_000_u64]), 1..6),
    ) {
        prop_assume!(rates.iter().any(|r| r.1 > 0));
        let mut text = String::new();
        let mut ms = 0;
        // The last line holds as long as the one before it.
        let mut lasts: Vec<u64> = rates.iter().map(|r| r.0).collect();
        if let [.., before, last] = &mut lasts[..] { *last = *before } else { lasts[0] = 1_000 }
        for (&(_, kbit), lasts) in rates.iter().zip(&lasts) {
            let _ = writeln!(text, "{} {}", ms as f64 / 1e3, kbit as f64 / 1e3);
            ms += lasts;
        }
        let period = ms * 1_000_000;
        let steps: Vec<(u64, u64)> =
            lasts.iter().zip(&rates).map(|(ms, r)| (ms * 1_000_000, r.1 * 1_000)).collect();
        let in_period: u128 = steps.iter().map(|s| u128::from(s.0) * u128::from(s.1)).sum();
        let capacity_until = |t: u64| {
            let mut left = t % period;
            let mut sum = u128::from(t / period) * in_period;
            for &(ns, bits) in &steps {
                sum += u128::from(ns.min(left)) * u128::from(bits);
                left -= ns.min(left);
            }
            sum
        };
        let (mut begin, mut todo, mut last) = (0, 0, 0);
        let got = finishes(&Rate::Trace(trace(&text)), &packets);
        for (&(at, size), &finish) in packets.iter().zip(&got) {
            // The link is idle only if all work was done at `at`.
            if capacity_until(at) - capacity_until(begin) >= todo {
                (begin, todo) = (at, 0);
            }
            todo += work(size);
            prop_assert!(capacity_until(finish) - capacity_until(begin) >= todo);
            prop_assert!(capacity_until(finish - 1) - capacity_until(begin) < todo);
            prop_assert!(finish >= last);
            last = finish;
        }
    }

    /// Compares with mahimahi's own loop, opportunity by opportunity.
    #[test]
    fn opportunities_are_used_as_mahimahi_uses_them(
        packets in arrivals(),
        gaps in prop::collection::vec(0..40_u64, 1..20),
    ) {
        prop_assume!(gaps.iter().any(|&g| g > 0));
        let mut ms = 0;
        let times: Vec<u64> = gaps.iter().map(|g| { ms += g; ms }).collect();
        let lines: Vec<String> = times.iter().map(u64::to_string).collect();
        let text = lines.join("\n");
        let mut expected = Vec::new();
        let mut left = packets[0].1;
        'served: for period in 0.. {
            for time in &times {
                let now = (period * ms + time) * 1_000_000;
                let mut bytes = OPPORTUNITY;
                while bytes > 0 && packets[expected.len()].0 < now {
                    let used = bytes.min(left);
                    bytes -= used;
                    left -= used;
                    if left == 0 {
                        expected.push(now);
                        let Some(next) = packets.get(expected.len()) else { break 'served };
                        left = next.1;
                    }
                }
            }
        }
        prop_assert_eq!(finishes(&Rate::Trace(trace(&text)), &packets), expected);
    }
}

const OPPORTUNITY: u32 = 1_500;

fn scheduled(text: &str) -> Rate {
    let network = format!("rate {text} rtt 1ms");
    crate::Network::parse(&network).unwrap().down.rate
}

#[test]
fn a_ramp_is_resolved_exactly() {
    // From 1 to 3 Mbit/s over a second: t + t^2 megabits cross in t seconds.
    let rate = scheduled("1mbit..3mbit over 1s");
    // 0.75 Mbit cross in half a second and 2 Mbit in the whole second, followed by 3 Mbit
    // in each further second.
    let sizes = [93_750, 156_250, 375_000];
    let got = finishes(&rate, &sizes.iter().map(|&s| (0, s)).collect());
    assert_eq!(got, [500_000_000, 1_000_000_000, 2_000_000_000]);
    // On the way down: 3t - t^2 megabits cross in t seconds.
    let rate = scheduled("3mbit..1mbit over 1s");
    let got = finishes(&rate, &vec![(0, 156_250), (0, 93_750), (0, 125_000)]);
    assert_eq!(got, [500_000_000, 1_000_000_000, 2_000_000_000]);
    // A packet that finds the link idle at 0.5 s takes 0.25 s at a mean of 2.25 Mbit/s.
    let half = scheduled("1mbit..3mbit over 1s");
    let bytes = 70_312; // 0.5625 Mbit less half a byte
    let got = finishes(&half, &vec![(500_000_000, bytes)]);
    assert!((749_998_000..=750_000_000).contains(&got[0]), "{got:?}");
}

#[test]
fn nothing_passes_while_the_rate_is_zero() {
    let rate = scheduled("1mbit for 10ms then 0bit for 100ms then 1mbit");
    let ms = 1_000_000;
    let got = finishes(&rate, &vec![(0, 1_000), (0, 500), (50 * ms, 1_250)]);
    assert_eq!(got, [8 * ms, 112 * ms, 122 * ms]);
}

#[test]
fn what_repeats_is_a_stepped_trace() {
    let schedule = scheduled("1mbit for 10ms then 0bit for 10ms then 2mbit for 10ms repeat");
    let recorded = Rate::Trace(trace("0 1\n0.01 0\n0.02 2\n"));
    let packets: Arrivals = (0..2_000)
        .map(|i| (i * i * 300, 28 + (i as u32 * 37) % 1_400))
        .collect();
    assert_eq!(finishes(&schedule, &packets), finishes(&recorded, &packets));
}

proptest! {
    /// Checks that a flat ramp in pieces is a constant rate.
    #[test]
    fn a_schedule_of_one_rate_is_a_constant_rate(
        packets in arrivals(),
        bits in 1_000..20_000_000_000_u64,
        lasts in 1..3_000_000_u64,
    ) {
        let rate = scheduled(&format!("{bits}bit for {lasts}us then {bits}bit for 7us then {bits}bit"));
        let repeated = scheduled(&format!("{bits}bit for {lasts}us repeat"));
        let constant = finishes(&Rate::Constant(BitRate::new(bits).unwrap()), &packets);
        prop_assert_eq!(finishes(&rate, &packets), constant.clone());
        prop_assert_eq!(finishes(&repeated, &packets), constant);
    }

    /// Checks that a packet has crossed at the first nanosecond at which the link could
    /// have done all work of its busy period. The work is the area under the lines,
    /// scaled so that it is a whole number.
    #[test]
    fn ramps_do_all_the_work_they_can_and_no_more(
        packets in arrivals(),
        from in 0..40_000_000_u64,
        to in 1..40_000_000_u64,
        lasts in 1..2_000_000_u64,
    ) {
        let rate = scheduled(&format!("{from}bit..{to}bit over {lasts}us"));
        let lasts = lasts * 1_000;
        // The work until t times 2 x `lasts`, which avoids a division.
        let scale = 2 * u128::from(lasts);
        let capacity_until = |t: u64| {
            let x = u128::from(t.min(lasts));
            let (from, to) = (u128::from(from), u128::from(to));
            let after = u128::from(t.saturating_sub(lasts)) * to * scale;
            // The area of a trapezium: the mean of both sides times the base.
            after + (2 * from * u128::from(lasts) * x + to * x * x) - from * x * x
        };
        // The link counts whole 10^-9 bits, so it may differ by one of them.
        let (mut begin, mut todo, mut last) = (0, 0, 0);
        for (&(at, size), finish) in packets.iter().zip(finishes(&rate, &packets)) {
            if capacity_until(at) - capacity_until(begin) >= todo {
                (begin, todo) = (at, 0);
            }
            todo += work(size) * scale;
            let until = |t| capacity_until(t) - capacity_until(begin);
            prop_assert!(until(finish) + scale >= todo);
            prop_assert!(until(finish - 1) < todo + scale);
            prop_assert!(finish >= last && finish > at);
            last = finish;
        }
    }
}
