use super::excluded::split;
use super::pairs::pairs;
use super::{Findings, LEVEL, POWER, Reason, Verdict, analyse, smallest_sample};
use crate::design::Task;
use crate::fake::{self, Manner, people};
use crate::stats::{Share, detectable};
use crate::store::Person;
use crate::survey::{Published, PublishedShare, Survey};

fn attentive(liked: &[f64], count: usize) -> Vec<Manner> {
    vec![Manner::Attentive(liked.to_vec()); count]
}

/// Returns the verdict on a pair.
fn verdict(findings: &Findings, a: usize, b: usize) -> Verdict {
    let pair = findings
        .pairs
        .iter()
        .find(|pair| (pair.a, pair.b) == (a, b));
    pair.unwrap().verdict
}

/// Lets people prefer the first version of every pair with a chance, and the other one else.
fn prefer_first(survey: &Survey, seed: u64, count: usize, chance: f64) -> Vec<Person> {
    let mut all = people(
        survey,
        seed,
        &attentive(&vec![0.0; survey.versions.len()], count),
    );
    let mut rng = pagerace_core::Rng::new(seed, "prefer first");
    for person in &mut all {
        for ((place, question), reply) in &mut person.answers {
            let task = place
                .checked_sub(1)
                .and_then(|place| person.tasks.get(place));
            if let Some(Task::Pair {
                left,
                right,
                control: None,
            }) = task
                && question == "prefer"
            {
                let straight = survey.place(left) < survey.place(right);
                let first = rng.chance(chance);
                reply.value = if first == straight { "left" } else { "right" }.to_owned();
            }
        }
    }
    all
}

/// Returns the share of surveys that name the first version, and that name any.
fn found(chance: f64, count: usize) -> (f64, f64) {
    const SURVEYS: u64 = 400;
    let survey = fake::survey(2);
    let (mut first, mut any) = (0.0, 0.0);
    for seed in 0..SURVEYS {
        let people = prefer_first(&survey, seed, count, chance);
        let all: Vec<&Person> = people.iter().collect();
        match pairs(&survey, &all)[0].verdict {
            Verdict::PreferA => (first, any) = (first + 1.0, any + 1.0),
            Verdict::PreferB => any += 1.0,
            Verdict::CannotTell => {}
            Verdict::NoPreference => panic!("everybody has a preference"),
        }
    }
    (first / SURVEYS as f64, any / SURVEYS as f64)
}

#[test]
fn preferences_are_found_as_often_as_stated() {
    // Of 400 surveys, shares are off by 2 % (one standard deviation of 0.8).
    for count in [20, 60] {
        let share = detectable(count, LEVEL, POWER).unwrap();
        let (first, _) = found(share, count);
        assert!(first > POWER - 0.05, "{count}: {first}");
        let (smaller, _) = found(share - 0.08, count);
        assert!(smaller < POWER, "{count}: {smaller}");
    }
}

#[test]
fn without_preferences_hardly_any_is_named() {
    for count in [20, 60] {
        let (_, any) = found(0.5, count);
        assert!(any < LEVEL + 0.03, "{count}: {any}");
    }
}

#[test]
fn known_preferences_are_recovered() {
    let survey = fake::survey(4);
    // Version 2 is better than the original, 3 is equal to it, and 4 is worse.
    let people = people(&survey, 3, &attentive(&[0.0, 2.0, 0.0, -2.0], 60));
    let findings = analyse(&survey, &people);
    assert_eq!(findings.count, 60, "{:?}", findings.excluded);
    assert_eq!(verdict(&findings, 0, 1), Verdict::PreferB);
    assert_eq!(verdict(&findings, 0, 2), Verdict::CannotTell);
    assert_eq!(verdict(&findings, 0, 3), Verdict::PreferA);
    let ranks: Vec<usize> = findings.worths.iter().map(|worth| worth.rank).collect();
    assert_eq!((ranks[1], ranks[3]), (1, 4));
    assert_eq!(findings.worths[1].rank_range, Some((1, 1)));
    for worth in &findings.worths {
        let (low, high) = worth.interval.unwrap();
        assert!(low <= worth.preferred && worth.preferred <= high);
    }
    let (low, high) = findings.worths[2].interval.unwrap();
    assert!(low < 0.5 && high > 0.5, "{low} {high}");
    let satisfied = &findings.ratings[0];
    let higher: Vec<Option<bool>> = satisfied.versions.iter().map(|one| one.higher).collect();
    assert_eq!(higher, [None, Some(true), None, Some(false)]);
    assert!(satisfied.friedman.unwrap().p < 0.001);
    assert!(satisfied.alpha.unwrap() > 0.3);
    // People call a version ready at its largest paint, which is 500 ms later for each.
    let ready = findings.ready.as_ref().unwrap();
    for (place, rating) in ready.versions.iter().enumerate() {
        let expected = 2_000.0 + 500.0 * place as f64;
        assert!((rating.moments.as_ref().unwrap().median - expected).abs() < 100.0);
        assert_eq!(rating.higher, (place > 0).then_some(true));
    }
    let lcp = findings
        .ready_against
        .iter()
        .find(|one| one.title.starts_with("Largest"));
    assert!(lcp.unwrap().mean_size < 100.0);
    // Metrics call each later version worse, and people prefer version 2: four of six at most.
    let speed = &findings.predictors[2];
    assert!(
        speed.certain.of >= 4 && speed.certain.count < speed.certain.of,
        "{speed:?}"
    );
    assert_eq!(
        speed.pairs.of,
        findings
            .pairs
            .iter()
            .filter(|p| p.prefer_a.count != p.prefer_b.count)
            .count()
    );
}

#[test]
fn surveys_recover_what_people_know_and_leave_out_the_rest() {
    const SURVEYS: u64 = 20;
    let survey = fake::survey(4);
    let (mut invented, mut passed, mut lost) = (0, 0, 0);
    for seed in 0..SURVEYS {
        let mut manners = attentive(&[0.0, 2.0, 0.0, -2.0], 40);
        manners.extend(vec![Manner::Random; 20]);
        let all = people(&survey, 100 + seed, &manners);
        let (counted, excluded) = split(&survey, &all);
        lost += excluded.iter().filter(|one| one.person < 40).count();
        passed += counted.iter().filter(|one| one.number >= 40).count();
        let found = pairs(&survey, &counted);
        let verdict = |a, b| {
            let pair = found.iter().find(|pair| (pair.a, pair.b) == (a, b));
            pair.unwrap().verdict
        };
        assert_eq!(verdict(0, 1), Verdict::PreferB, "{seed}");
        assert_eq!(verdict(0, 3), Verdict::PreferA, "{seed}");
        let none = matches!(verdict(0, 2), Verdict::CannotTell | Verdict::NoPreference);
        invented += u64::from(!none);
    }
    // Chance names a preference in one of 20 surveys, and lets one of 50 random people pass.
    assert!(invented <= 2, "{invented} of {SURVEYS}");
    assert!(passed <= 16, "{passed} of 400 pass");
    assert!(lost <= 16, "{lost} of 800 are left out");
}

#[test]
fn weak_preferences_are_found_with_the_stated_power() {
    const SURVEYS: u64 = 200;
    let survey = fake::survey(2);
    // By their errors, 50 % prefer the second version, 8 % the first, and the others have no
    // preference: 86 % of those with one prefer the second.
    for count in [30, 60] {
        let (mut found, mut promised) = (0.0, 0.0);
        for seed in 0..SURVEYS {
            let all = people(&survey, seed, &attentive(&[0.0, 1.0], count));
            let all: Vec<&Person> = all.iter().collect();
            let [pair] = pairs(&survey, &all).try_into().unwrap();
            found += f64::from(u8::from(pair.verdict == Verdict::PreferB));
            let with = pair.prefer_a.count + pair.prefer_b.count;
            let share = detectable(with, LEVEL, POWER);
            promised += f64::from(u8::from(share.is_some_and(|share| share <= 0.86)));
        }
        let [found, promised] = [found, promised].map(|n| n / SURVEYS as f64);
        assert!(promised > 0.5, "{count}: {promised}");
        assert!(found > POWER, "{count}: {found}");
    }
}

#[test]
fn people_who_see_no_difference_have_no_preference() {
    let survey = fake::survey(3);
    let mut all = people(&survey, 5, &attentive(&[0.0; 3], 40));
    for reply in all.iter_mut().flat_map(|person| &mut person.answers) {
        if reply.0.1 == "prefer" && reply.1.value != "neither" && reply.0.0 % 3 != 0 {
            reply.1.value = "neither".to_owned();
        }
    }
    let findings = analyse(&survey, &all);
    assert!(
        findings
            .pairs
            .iter()
            .all(|pair| !matches!(pair.verdict, Verdict::PreferA | Verdict::PreferB))
    );
}

#[test]
fn those_who_click_at_random_are_left_out() {
    let survey = fake::survey(4);
    let random = people(&survey, 7, &vec![Manner::Random; 300]);
    let (counted, excluded) = split(&survey, &random);
    // Three controls and two identical pairs let one in fifty pass.
    assert!(counted.len() <= 12, "{} of 300 pass", counted.len());
    let missed = excluded
        .iter()
        .filter(|one| one.reasons.contains(&Reason::MissedSlower));
    assert!(missed.count() > 270);
    let honest = people(&survey, 7, &attentive(&[0.0, 1.0, 2.0, -1.0], 300));
    let (_, excluded) = split(&survey, &honest);
    assert!(excluded.len() <= 6, "{excluded:?}");
    // Among the attentive, they do not move the verdict.
    let mut manners = attentive(&[0.0, 2.0, 0.0, -2.0], 50);
    manners.extend(vec![Manner::Random; 50]);
    let findings = analyse(&survey, &people(&survey, 9, &manners));
    let wrong = findings
        .excluded
        .iter()
        .filter(|one| one.person < 50)
        .count();
    assert!(
        wrong <= 2 && (48..=54).contains(&findings.count),
        "{}",
        findings.count
    );
    assert_eq!(verdict(&findings, 0, 1), Verdict::PreferB);
    assert_eq!(verdict(&findings, 0, 3), Verdict::PreferA);
}

#[test]
fn each_rule_leaves_people_out() {
    let survey = fake::survey(3);
    let of = |change: &dyn Fn(&mut Person)| {
        let mut person = people(&survey, 1, &attentive(&[0.0; 3], 1)).remove(0);
        assert!(super::reasons(&survey, &person).is_empty());
        change(&mut person);
        super::reasons(&survey, &person)
    };
    let set = |person: &mut Person, question: &str, value: &str, took: u64| {
        for ((_, name), reply) in &mut person.answers {
            if name == question {
                reply.value = value.to_owned();
                reply.took_ms = Some(took);
            }
        }
    };
    let lefts = of(&|person| set(person, "prefer", "left", 9_000));
    assert_eq!(lefts, [Reason::MissedSlower, Reason::PreferredIdentical]);
    let nothing = of(&|person| set(person, "prefer", "neither", 9_000));
    assert_eq!(nothing, [Reason::MissedSlower]);
    let early = of(&|person| set(person, "ready", "10", 9_000));
    assert_eq!(early, [Reason::ReadyBeforePaint]);
    let hasty = of(&|person| {
        for reply in person.answers.values_mut() {
            reply.took_ms = Some(900);
        }
    });
    assert_eq!(hasty, [Reason::Hasty]);
    // An unknown time is no reason.
    let unknown = of(&|person| {
        person
            .answers
            .values_mut()
            .for_each(|one| one.took_ms = None);
    });
    assert_eq!(unknown, []);
    let unfinished = of(&|person| person.answers.retain(|(place, _), _| *place < 4));
    assert_eq!(unfinished, [Reason::Unfinished]);
}

#[test]
fn published_shares_stand_beside_these() {
    let mut survey = fake::survey(3);
    let share = |said: &str, option: usize, percent: u32| PublishedShare {
        said: said.to_owned(),
        options: vec![option],
        percent,
    };
    survey.published = vec![Published {
        source: "a paper".to_owned(),
        asked: "2 or 1?".to_owned(),
        question: "prefer".to_owned(),
        versions: vec![
            vec!["2".to_owned(), "1".to_owned()],
            vec!["9".to_owned(), "1".to_owned()],
        ],
        shares: vec![
            share("2", 0, 40),
            share("1", 1, 37),
            share("neither", 2, 23),
        ],
        people: None,
    }];
    let people = people(&survey, 1, &attentive(&[0.0, 2.0, 0.0], 40));
    let findings = analyse(&survey, &people);
    let [beside] = findings.published.as_slice() else {
        panic!("version 9 is not there");
    };
    assert_eq!(beside.smallest, Some(30));
    let pair = &findings.pairs[0];
    let here: Vec<Share> = beside.shares.iter().map(|share| share.here).collect();
    assert_eq!(here, [pair.prefer_b, pair.prefer_a, pair.neither]);
    let (low, high) = beside.shares[0].interval.unwrap();
    assert!(
        (low - 0.246).abs() < 0.001 && (high - 0.577).abs() < 0.001,
        "{low} {high}"
    );
}

#[test]
fn the_smallest_sample_gives_all_shares() {
    assert_eq!(smallest_sample(&[50, 25]), Some(4));
    assert_eq!(smallest_sample(&[40, 30, 60, 23]), Some(30));
    assert_eq!(smallest_sample(&[]), None);
}

#[test]
fn nobody_tells_nothing() {
    let survey = fake::survey(3);
    let findings = analyse(&survey, &[]);
    assert!(findings.pairs.is_empty() && findings.worths.is_empty() && findings.ready.is_none());
    assert_eq!((findings.began, findings.detectable), (0, None));
    assert!(serde_json::to_string(&findings).is_ok());
}
