use crate::fake;
use crate::survey::{Answer, Ask, Survey};

/// Returns what is wrong with a survey after a change.
fn wrong(change: impl FnOnce(&mut Survey)) -> String {
    let mut survey = fake::survey(4);
    assert_eq!(survey.check(), Ok(()));
    change(&mut survey);
    survey.check().unwrap_err()
}

#[test]
fn what_is_wrong_is_named() {
    for (text, expected) in [
        (wrong(|s| s.schema = 9), "format:"),
        (wrong(|s| s.versions.truncate(1)), "2 to 40"),
        (wrong(|s| s.versions[1].id = "a/b".to_owned()), "\"a/b\""),
        (wrong(|s| s.versions[1].id = "1".to_owned()), "given twice"),
        (wrong(|s| s.versions[1].length_ms = f64::NAN), "length_ms"),
        (
            wrong(|s| s.tasks.always[0][0] = "9".to_owned()),
            "no such version",
        ),
        (
            wrong(|s| s.tasks.always[0][0] = "2".to_owned()),
            "two versions",
        ),
        (wrong(|s| s.tasks.sometimes_per_person = 99), "99 of 3"),
        (wrong(|s| s.tasks.slower_controls = 500), "from 1 to 200"),
        (wrong(|s| s.questions[0].id = "A b".to_owned()), "\"A b\""),
        (
            wrong(|s| s.questions[0].id = "ready".to_owned()),
            "ready is given twice",
        ),
        (
            wrong(|s| s.questions[0].answer = Answer::Moment),
            "questions: age",
        ),
        (
            wrong(|s| s.questions.retain(|q| q.ask != Ask::Pair)),
            "preference",
        ),
        (wrong(|s| s.rules.hasty_share_max = 2.0), "hasty_share_max"),
        (wrong(|s| s.limits.people = 0), "people"),
    ] {
        assert!(text.contains(expected), "{text} lacks {expected}");
    }
}

#[test]
fn a_survey_survives_its_file() {
    let survey = fake::survey(3);
    let text = serde_json::to_string(&survey).unwrap();
    assert_eq!(serde_json::from_str::<Survey>(&text).unwrap(), survey);
    let odd = text.replacen("\"title\"", "\"titel\"", 1);
    assert!(serde_json::from_str::<Survey>(&odd).is_err());
}
