use std::collections::BTreeSet;

use super::*;

const MEAN_OF: f64 = VERSIONS as f64;

fn six(seed: u64) -> Vec<TransferSequence> {
    (1..=VERSIONS).map(|version| news(version, seed)).collect()
}

/// Returns requests and kilobytes of an average version.
fn mean(all: &[TransferSequence], of: impl Fn(&Transfer) -> bool) -> (f64, f64) {
    let chosen = || {
        all.iter()
            .flat_map(TransferSequence::transfers)
            .filter(|t| of(t))
    };
    let bytes: u64 = chosen().map(|t| t.size).sum();
    (
        chosen().count() as f64 / MEAN_OF,
        bytes as f64 / 1000.0 / MEAN_OF,
    )
}

#[test]
fn every_part_can_be_drawn() {
    assert_eq!(PARTS.len(), 11);
    let names: BTreeSet<_> = PARTS.iter().map(|part| &part.name).collect();
    assert_eq!(names.len(), 11);
    for part in PARTS.iter() {
        assert!(
            !part.extensions.is_empty() && part.count > 0,
            "{}",
            part.name
        );
        assert!(part.third_party <= part.count, "{}", part.name);
        assert!(part.asked.0 <= part.asked.1, "{}", part.name);
    }
}

#[test]
fn six_versions_average_to_table_4() {
    let table = [
        (Category::Ads, 9.0, 405.0),
        (Category::Images, 40.0, 815.0),
        (Category::Html, 5.0, 238.0),
        (Category::Javascript, 29.0, 733.5),
        (Category::Json, 16.0, 120.0),
        (Category::Css, 4.0, 30.0),
        (Category::Fonts, 12.0, 338.1),
        (Category::Others, 14.0, f64::midpoint(1130.0, 3778.0)),
    ];
    for seed in 0..20 {
        let all = six(seed);
        for (category, requests, kilobytes) in table {
            let (count, size) = mean(&all, |t| t.category == category && t.extension != "mp4");
            let videos = if category == Category::Others {
                1.0
            } else {
                0.0
            };
            assert!(
                (count + videos - requests).abs() < 1e-9,
                "{category:?} {count}"
            );
            assert!(
                (size / kilobytes - 1.0).abs() < 0.001,
                "{category:?} {size}"
            );
        }
    }
}

/// 16.5 MB of bodies, with 1313 body bytes per packet of 1392 bytes, at 12 Mbit/s.
#[test]
fn a_fetch_takes_as_long_as_in_figure_15() {
    let bodies = mean(&six(1), |_| true).1 * 1000.0;
    let seconds = bodies * 1392.0 / 1313.0 * 8.0 / 12e6;
    assert!((seconds - 11.68).abs() < 0.05, "{seconds} s");
}

#[test]
fn versions_differ_by_a_few_per_cent() {
    for seed in 0..20 {
        let all = six(seed);
        let average = mean(&all, |_| true).1 * 1000.0;
        let sizes: BTreeSet<u64> = all.iter().map(TransferSequence::bytes).collect();
        assert_eq!(sizes.len(), 6, "no two are the same");
        for size in sizes {
            assert!(
                (size as f64 / average - 1.0).abs() < 0.04,
                "{size} of {average}"
            );
        }
    }
}

#[test]
fn single_files_are_as_large_as_section_5_8_3_says() {
    for sequence in (0..20).flat_map(six) {
        let transfers = sequence.transfers();
        let within = |extension: &str, range: std::ops::RangeInclusive<u64>| {
            let own = |t: &&Transfer| t.extension == extension && t.category != Category::Ads;
            transfers
                .iter()
                .filter(own)
                .all(|t| range.contains(&t.size))
        };
        assert!(within("mp4", 11_000_000..=19_000_000));
        assert!(within("js", 20_000..=45_000));
        assert!(within("woff2", 14_000..=86_000));
        assert!(
            transfers
                .iter()
                .any(|t| t.extension == "jpg" && t.size >= 300_000)
        );
    }
}

#[test]
fn third_parties_are_as_assumed() {
    let all = six(3);
    let foreign = |category| {
        let of = |t: &Transfer| t.category == category && t.third_party == Some(true);
        mean(&all, of).0
    };
    assert!((foreign(Category::Ads) - 9.0).abs() < 1e-9);
    assert!((foreign(Category::Css) - 1.0).abs() < 1e-9);
    assert!((foreign(Category::Javascript) - 12.0).abs() < 1.0);
    for category in [
        Category::Html,
        Category::Fonts,
        Category::Images,
        Category::Json,
    ] {
        assert!(foreign(category) < 1e-9);
    }
}

#[test]
fn the_seed_decides() {
    assert_eq!(six(7), six(7));
    assert_ne!(six(7), six(8));
    // Any change of these values changes every simulation of these pages.
    let first = news(1, 1);
    let sizes: Vec<u64> = first.transfers().iter().take(4).map(|t| t.size).collect();
    assert_eq!((first.transfers().len(), first.bytes()), (126, 16_468_990));
    assert_eq!(sizes, [171_020, 6_649, 10_770, 7_077]);
}

#[test]
fn the_document_comes_first_and_numbers_follow_the_order() {
    for sequence in (0..20).flat_map(six) {
        let transfers = sequence.transfers();
        assert_eq!(transfers[0].category, Category::Html);
        assert!(transfers[0].start.is_zero());
        assert!(transfers.iter().zip(0..).all(|(t, id)| t.id == id));
        let text = sequence.to_json();
        assert_eq!(
            TransferSequence::from_json("x", text.as_bytes()).unwrap(),
            sequence
        );
    }
}

#[test]
#[should_panic(expected = "versions go from 1 to 6, not 7")]
fn there_is_no_seventh() {
    news(7, 1);
}
