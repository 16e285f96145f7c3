//! Reports of surveys whose people have known preferences.

use pagerace_survey::design::Task;
use pagerace_survey::store::Step;
use pagerace_survey::survey::Answer;
use pagerace_survey::{Store, Survey};

use crate::support::{Sandbox, small_har};

/// Lets people answer, who prefer version 3B to none and have no preference among others, or who
/// take the left film each time.
fn answer(sandbox: &Sandbox, survey: &Survey, token: &str, attentive: bool) {
    let mut store = Store::open(&sandbox.path("survey")).unwrap();
    assert!(store.begin(survey, token).unwrap());
    loop {
        let at = store.progress(survey, token).unwrap().unwrap();
        let Some(asks) = at.step.asks() else { return };
        let value = |answer: &Answer| match (answer, &at.step) {
            (Answer::Preference, Step::Task(Task::Pair { left, right, .. })) => {
                let is_bad = |id: &str| id == "3B" || id == "slower";
                match (is_bad(left), is_bad(right)) {
                    _ if !attentive => "left",
                    (false, true) => "left",
                    (true, false) => "right",
                    _ => "neither",
                }
            }
            (Answer::Moment, _) => "1000",
            _ => "3",
        };
        let answers: Vec<(String, String)> = survey
            .asked(asks)
            .map(|one| (one.id.clone(), value(&one.answer).to_owned()))
            .collect();
        store.answer(&at, &answers, None).unwrap();
    }
}

#[test]
fn a_report_names_preferences_beside_those_of_the_thesis() {
    let sandbox = Sandbox::new("survey-report");
    sandbox.write("site.har", &small_har());
    let made = sandbox.run(&["survey", "new", "site.har", "--what-if", "thesis"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let survey = Survey::read(&sandbox.path("survey")).unwrap();
    for person in 0..24 {
        answer(&sandbox, &survey, &format!("{person:032}"), person % 4 > 0);
    }
    let report = sandbox.run(&["survey", "report", "survey", "--csv", "answers.csv"]);
    assert_eq!(report.code, 0, "{}", report.err);
    let line = |words: &[&str]| {
        let mut lines = report.out.lines();
        let found = lines.find(|line| words.iter().all(|word| line.contains(word)));
        assert!(found.is_some(), "{words:?}: {}", report.out);
    };
    line(&["100 % prefer 1 (original) to 3B (css=1s)", "3A"]);
    line(&["24 began, 18 count, 6 are left out", "6 who"]);
    line(&["1 (original)", "3B (css=1s)", "prefer 1", "18"]);
    line(&[
        "1 (original)",
        "3A (css=182ms)",
        "most have no preference",
        "100 %",
    ]);
    line(&["to beat", "87 %"]);
    line(&["Beside", "Srivastava 2024, section 6.1.1"]);
    // The preference of version 1 to 3 (CSS later), and the satisfaction with version 4, of Fig. 19.
    line(&["3B or 1", "prefer version 3", "30 % (17–48 %)", "0 % ("]);
    line(&["prefer version 1", "50 % (33–67 %)", "100 % ("]);
    line(&["crucial", "10 %"]);
    let answers = sandbox.read("answers.csv");
    // Of each person: two at the start, two of each version, one of each pair, and four at the end.
    let of_person = 2 + 2 * survey.versions.len() + survey.pairs_per_person() + 4;
    assert_eq!(answers.lines().count(), 1 + 24 * of_person);
}
