use std::fs;
use std::path::PathBuf;

use super::{ANSWERS, Step, Store};
use crate::error::SurveyError;
use crate::fake;

/// Returns a new empty folder.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pagerace-survey-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn words(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

#[test]
fn people_go_from_step_to_step() {
    let (survey, folder) = (fake::survey(3), folder("steps"));
    assert!(Store::existing(&folder).unwrap().is_none());
    let mut store = Store::open(&folder).unwrap();
    assert_eq!(store.first_rules().unwrap(), None);
    assert!(store.begin(&survey, "abc").unwrap());
    assert_eq!(store.first_rules().unwrap(), Some(survey.rules));
    assert_eq!(store.progress(&survey, "xyz").unwrap(), None);
    let first = store.progress(&survey, "abc").unwrap().unwrap();
    assert_eq!((first.place, &first.step), (0, &Step::Start));
    let tasks = survey.tasks_per_person();
    for place in 0..tasks + 2 {
        let at = store.progress(&survey, "abc").unwrap().unwrap();
        assert_eq!((at.place, at.tasks), (place, tasks));
        store
            .answer(
                &at,
                &words(&[("ready", "1")]),
                Some(std::time::Duration::from_millis(7)),
            )
            .unwrap();
        // The same form sent again changes nothing.
        store.answer(&at, &words(&[("ready", "2")]), None).unwrap();
        // Everything is there after a restart.
        drop(store);
        store = Store::open(&folder).unwrap();
    }
    let last = store.progress(&survey, "abc").unwrap().unwrap();
    assert_eq!(last.step, Step::Done);
    let people = store.people().unwrap();
    assert_eq!((people.len(), people[0].tasks.len()), (1, tasks));
    assert_eq!(people[0].answers.len(), tasks + 2);
    assert!(
        people[0]
            .answers
            .values()
            .all(|one| one.value == "1" && one.took_ms == Some(7))
    );
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn there_are_at_most_as_many_people_as_the_survey_says() {
    let (mut survey, folder) = (fake::survey(2), folder("full"));
    survey.limits.people = 2;
    let mut store = Store::open(&folder).unwrap();
    let began = ["a", "b", "c"].map(|token| store.begin(&survey, token).unwrap());
    assert_eq!(began, [true, true, false]);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn several_processes_may_write() {
    let (survey, folder) = (fake::survey(4), folder("many"));
    Store::open(&folder).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (survey, folder) = (&survey, &folder);
            scope.spawn(move || {
                let mut store = Store::open(folder).unwrap();
                for person in 0..5 {
                    assert!(store.begin(survey, &format!("{thread}-{person}")).unwrap());
                }
            });
        }
    });
    let people = Store::open(&folder).unwrap().people().unwrap();
    let numbers: Vec<u64> = people.iter().map(|person| person.number).collect();
    assert_eq!(numbers, (0..40).collect::<Vec<u64>>());
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_of_something_else_is_refused() {
    let folder = folder("other");
    fs::write(
        folder.join(ANSWERS),
        "no database at all, but a text of some length",
    )
    .unwrap();
    assert!(matches!(
        Store::open(&folder),
        Err(SurveyError::Store { .. })
    ));
    fs::remove_file(folder.join(ANSWERS)).unwrap();
    let other = rusqlite::Connection::open(folder.join(ANSWERS)).unwrap();
    other
        .execute_batch("CREATE TABLE colour (name TEXT)")
        .unwrap();
    drop(other);
    assert!(matches!(
        Store::open(&folder),
        Err(SurveyError::OtherStore { .. })
    ));
    fs::remove_dir_all(&folder).unwrap();
}
