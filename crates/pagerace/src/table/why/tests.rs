use super::{Explained, Row, lay_out, plain, signed};

#[test]
fn tenths() {
    assert_eq!(plain(0), "0.0");
    assert_eq!(plain(1234), "123.4");
    assert_eq!(plain(-5), "-0.5");
    assert_eq!(
        (signed(5), signed(-15), signed(0)),
        ("+0.5".into(), "-1.5".into(), "0.0".into())
    );
}

/// Returns rows that differ in set-up, window, queueing and browser work.
fn rows(count: usize) -> Vec<Row> {
    let names = [
        "h1 bbr",
        "h2 cubic",
        "h2 bbr = reno = vegas",
        "h3 cubic",
        "h3 bbr",
    ];
    let row = |i: i64, name: &&str| Row {
        name: (*name).to_owned(),
        tenths: [-1_145 - i, 0, 0, 17_980, 0, -447, 0, 62],
    };
    let named = (0..).zip(&names[..count]);
    named.map(|(i, name)| row(i, name)).collect()
}

fn at(count: usize, width: Option<usize>) -> (Explained, String) {
    let explained = lay_out("variant", &rows(count), width);
    let lines: Vec<String> = explained.table.lines().collect();
    (explained, lines.join("\n"))
}

#[test]
fn numbers_and_words_are_never_broken() {
    for count in 1..=5 {
        for width in 30..120 {
            let (_, text) = at(count, Some(width));
            let words: Vec<&str> = text.split_whitespace().collect();
            for number in ["total", "+1645.0"] {
                assert!(words.contains(&number), "{number} at {width}:\n{text}");
            }
            let widest = text.lines().map(|line| bare(line).chars().count()).max();
            assert!(widest.unwrap() <= width, "wider than {width}:\n{text}");
            for name in rows(count).iter().flat_map(|row| row.name.split(' ')) {
                assert!(words.contains(&name), "{name} at {width}:\n{text}");
            }
        }
    }
}

/// Removes the escape codes for bold text.
fn bare(line: &str) -> String {
    line.replace("\x1b[1m", "").replace("\x1b[0m", "")
}

#[test]
fn parts_that_are_equal_are_left_out_and_named() {
    let (explained, text) = at(2, None);
    assert!(
        !text.contains("server") && text.contains("connection set-up"),
        "{text}"
    );
    assert_eq!(
        explained.notes,
        [" No difference: round trips; server; bandwidth; loss recovery, HOL blocking."]
    );
    let none = [Row {
        name: "h2".to_owned(),
        tenths: [0; 8],
    }];
    let text: Vec<String> = lay_out("variant", &none, None).table.lines().collect();
    assert_eq!(text.len(), 3, "nothing but the sum: {text:?}");
}

#[test]
fn many_contenders_are_rows() {
    let first = |count| at(count, Some(200)).1.lines().next().unwrap().to_owned();
    assert!(bare(&first(3)).trim_start().starts_with("ms"));
    assert!(bare(&first(4)).trim_start().starts_with("variant"));
}

#[test]
fn the_smallest_parts_are_summed_up_first() {
    let (explained, text) = at(4, Some(46));
    assert!(text.contains("other"), "{text}");
    assert!(text.contains("+1798.0") && !text.contains("+6.2"), "{text}");
    // The sum of -44.7 and +6.2.
    assert!(text.contains("-38.5"), "{text}");
    let legend = &explained.notes[0];
    assert!(
        legend.contains("window: congestion window, slow start")
            && legend.contains("other: queueing behind other responses, browser work"),
        "{legend}"
    );
}
