//! A server that is killed in the middle of answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use pagerace_survey::{Store, Survey};

use super::{Served, ask, change, made};
use crate::support::Sandbox;

/// A person who answers over and over, and counts what the server confirmed.
struct Person {
    page: String,
    confirmed: usize,
    is_done: bool,
}

impl Person {
    fn begin(address: &str) -> Self {
        let response = ask(address, "POST", "/start", "consent=yes").unwrap();
        let (_, page) = response.split_once("Location: ").expect(&response);
        Self {
            page: page.split("\r\n").next().unwrap().to_owned(),
            confirmed: 0,
            is_done: false,
        }
    }

    /// Answers until the server is gone, or all is answered.
    fn go_on(&mut self, address: &str, survey: &Survey, all: &AtomicUsize) {
        while let Some(html) = ask(address, "GET", &self.page, "") {
            let Some((_, place)) = html.split_once("name=\"place\" value=\"") else {
                self.is_done = html.contains("Thank you!");
                return;
            };
            let place = place.split('"').next().unwrap();
            let mut form = format!("place={place}");
            for question in &survey.questions {
                if html.contains(&format!("name=\"{}\"", question.id)) {
                    let value = if question.id == "prefer" { "left" } else { "1" };
                    form = format!("{form}&{}={value}", question.id);
                }
            }
            match ask(address, "POST", &self.page, &form) {
                Some(response) if response.starts_with("HTTP/1.1 303") => {
                    self.confirmed = place.parse::<usize>().unwrap() + 1;
                    all.fetch_add(1, Ordering::Relaxed);
                }
                Some(response) => panic!("{form}: {response}"),
                None => return,
            }
        }
    }

    /// Checks that what the server confirmed is there, whole, and that there is no half of more.
    fn check(&mut self, sandbox: &Sandbox, survey: &Survey) {
        let store = Store::open(&sandbox.path("survey")).unwrap();
        let token = self.page.strip_prefix("/p/").unwrap();
        let at = store.progress(survey, token).unwrap().unwrap();
        // The server may be killed between an answer and its confirmation.
        let kept = [self.confirmed, self.confirmed + 1];
        assert!(kept.contains(&at.place), "{kept:?}: {at:?}");
        let people = store.people().unwrap();
        let person = people.iter().find(|one| one.number == at.person).unwrap();
        for place in 0..at.tasks + 2 {
            let own = person.answers.keys().filter(|(own, _)| *own == place);
            let asked = match place {
                // Questions about oneself, or about one of the two versions.
                0..=2 => 2,
                place if place <= at.tasks => 1,
                _ => 4,
            };
            let expected = if place < at.place { asked } else { 0 };
            assert_eq!(own.count(), expected, "place {place} of {at:?}");
        }
        self.confirmed = at.place;
    }
}

#[test]
fn a_killed_server_loses_no_answer_and_keeps_no_half() {
    let sandbox = made("survey-killed");
    change(&sandbox, "survey", |survey| {
        survey.tasks.slower_controls = 30;
        survey.limits.requests_per_address_and_minute = 100_000;
    });
    let survey = Survey::read(&sandbox.path("survey")).unwrap();
    let confirmed = AtomicUsize::new(0);
    let mut served = Served::start(&sandbox, "survey");
    let mut people: Vec<Person> = (0..4).map(|_| Person::begin(&served.address)).collect();
    for kill in 1..=3 {
        let address = served.address.clone();
        thread::scope(|scope| {
            for person in &mut people {
                scope.spawn(|| person.go_on(&address, &survey, &confirmed));
            }
            while confirmed.load(Ordering::Relaxed) < 25 * kill {
                thread::sleep(Duration::from_millis(1));
            }
            served.kill();
        });
        assert!(people.iter().any(|person| !person.is_done));
        for person in &mut people {
            person.check(&sandbox, &survey);
        }
        served = Served::start(&sandbox, "survey");
    }
    for person in &mut people {
        person.go_on(&served.address, &survey, &confirmed);
        assert!(person.is_done);
        person.check(&sandbox, &survey);
    }
    drop(served);
    let report = sandbox.run(&["survey", "report", "survey"]);
    assert_eq!(report.code, 0, "{}", report.err);
    assert!(report.out.contains("4 began"), "{}", report.out);
}
