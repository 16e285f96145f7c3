//! Turns: between two turns of one participant, every other gets exactly one.

use std::fmt::Debug;

use pagerace_delivery::Response;
use pagerace_delivery::strategies::firefox_eps;
use proptest::prelude::*;

use crate::bench::{Bench, PACKET_BYTES, response};
use crate::pages;
use crate::watch::{Choice, run};

/// Checks that the turns at the indices `at` alternate among participants.
///
/// `participant` maps a response to its level and its identity. Only participants of one
/// level compete, and only those that are ready at every choice in between.
fn alternate<P: Copy + Ord + Debug>(
    choices: &[Choice],
    at: &[usize],
    participant: impl Fn(&Response) -> (u8, P),
) -> Result<(), TestCaseError> {
    for (place, &from) in at.iter().enumerate() {
        let who = participant(choices[from].chosen());
        let takes = |i: &usize| participant(choices[*i].chosen()) == who;
        let Some(until) = at[place + 1..].iter().copied().find(takes) else {
            continue;
        };
        let throughout = |wanted: (u8, P)| {
            let mut choices = choices[from..=until].iter();
            choices.all(|c| c.ready.iter().any(|r| participant(r) == wanted))
        };
        if !throughout(who) {
            continue;
        }
        for other in choices[from].ready.iter().map(&participant) {
            if other == who || other.0 != who.0 || !throughout(other) {
                continue;
            }
            let between = at.iter().filter(|i| (from..until).contains(*i));
            let turns = between
                .filter(|i| participant(choices[**i].chosen()) == other)
                .count();
            prop_assert_eq!(
                turns,
                1,
                "{:?} between {:?}, {} to {}",
                other,
                who,
                from,
                until
            );
        }
    }
    Ok(())
}

fn all(choices: &[Choice]) -> Vec<usize> {
    (0..choices.len()).collect()
}

proptest! {
    #[test]
    fn round_robin_alternates(page in pages::anything()) {
        let choices = run("round-robin", &page.bench).choices;
        alternate(&choices, &all(&choices), |r| (0, r.stream))?;
    }

    #[test]
    fn firefox_eps_alternates_inside_groups(page in pages::anything()) {
        let choices = run("firefox-eps", &page.bench).choices;
        let participant = |r: &Response| (firefox_eps::urgency(&r.facts), r.stream);
        alternate(&choices, &all(&choices), participant)?;
    }

    #[test]
    fn eps_alternates_among_incremental_ones(page in pages::anything()) {
        let choices = run("eps", &page.bench).choices;
        // Non-incremental responses are excluded from the check by a level of their own.
        let participant = |r: &Response| {
            (if r.signal.incremental { r.signal.urgency } else { u8::MAX }, r.stream)
        };
        let turns = all(&choices).into_iter().filter(|i| choices[*i].chosen().signal.incremental);
        alternate(&choices, &turns.collect::<Vec<_>>(), participant)?;
    }

    #[test]
    fn eps_gives_the_sequence_one_turn_in_the_round(page in pages::arrivals()) {
        let choices = run("eps", &page.bench).choices;
        let participant = |r: &Response| {
            (r.signal.urgency, if r.signal.incremental { Some(r.stream) } else { None })
        };
        alternate(&choices, &all(&choices), participant)?;
    }

    #[test]
    fn batches_have_n_packets(page in pages::anything(), n in 1_usize..8) {
        let choices = run(&format!("batched-round-robin:n={n}"), &page.bench).choices;
        let mut starts = Vec::new();
        let mut packets = 0;
        for (i, choice) in choices.iter().enumerate() {
            let owner = i.checked_sub(1).map(|before| choices[before].stream());
            let continues = owner == Some(choice.stream()) && packets < n;
            if continues {
                packets += 1;
                continue;
            }
            // A batch ends early only if its owner cannot send.
            let unfinished = packets < n && owner.is_some_and(|owner| choice.has(owner));
            prop_assert!(!unfinished, "a batch of {} ended at choice {}", packets, i);
            starts.push(i);
            packets = 1;
        }
        alternate(&choices, &starts, |r| (0, r.stream))?;
    }

    #[test]
    fn batches_of_one_are_round_robin(page in pages::anything()) {
        let batched = run("batched-round-robin:n=1", &page.bench);
        prop_assert_eq!(batched, run("round-robin", &page.bench));
    }
}

#[test]
fn round_robin_in_full() {
    let bench = Bench::of([0, 4, 8].map(|s| response(s, (s / 4 + 1) * PACKET_BYTES)));
    let streams: Vec<u64> = run("round-robin", &bench)
        .sent
        .iter()
        .map(|s| s.stream)
        .collect();
    assert_eq!(streams, [0, 4, 8, 4, 8, 8]);
    let streams: Vec<u64> = run("batched-round-robin:n=2", &bench)
        .sent
        .iter()
        .map(|s| s.stream)
        .collect();
    assert_eq!(streams, [0, 4, 4, 8, 8, 8]);
}

#[test]
#[should_panic(expected = "between")]
fn the_law_of_turns_can_be_broken() {
    let bench = Bench::of([0, 4].map(|s| response(s, 9 * PACKET_BYTES)));
    let choices = run("batched-round-robin:n=2", &bench).choices;
    alternate(&choices, &all(&choices), |r| (0, r.stream)).unwrap();
}
