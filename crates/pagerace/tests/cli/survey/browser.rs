//! Participants of a survey in Chromium, who use a mouse or nothing but keys, on a desk and on a
//! phone, light and dark. Skipped with a message if there is no Chromium. With the path of
//! `axe.min.js` (npm package `axe-core`) in `PAGERACE_AXE`, all pages are also checked for what
//! keeps people with disabilities out.

mod participant;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use pagerace_chromium::{Browser, Options};
use pagerace_survey::design::Task;
use pagerace_survey::store::Step;
use pagerace_survey::survey::{Answer, Layout};
use pagerace_survey::{Store, Survey};

use self::participant::{Hand, Participant};
use super::{Served, change};
use crate::support::Sandbox;

/// A page of the repository with pictures, whose films are the real ones.
const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/pages/tours.page.gz"
);

/// A survey's folder, the width of a screen, its colours, and what a participant has at hand.
type Case = (&'static str, u32, &'static str, Hand);

/// Two participants with each width, each theme and each hand. The last one sees the films of a
/// pair one after the other.
const CASES: [Case; 5] = [
    ("beside", 1280, "light", Hand::Mouse),
    ("beside", 360, "light", Hand::Keys),
    ("beside", 1280, "dark", Hand::Keys),
    ("beside", 360, "dark", Hand::Mouse),
    ("after", 360, "light", Hand::Keys),
];

#[test]
fn people_answer_with_a_mouse_or_with_keys_alone() {
    if pagerace_chromium::browser::find(None).is_err() {
        eprintln!("skipped: there is no Chromium here");
        return;
    }
    if std::env::var_os("PAGERACE_AXE").is_none() {
        eprintln!("skipped in part: PAGERACE_AXE does not name axe.min.js");
    }
    let sandbox = Sandbox::new("survey-browser");
    for (folder, layout) in [("beside", Layout::SideBySide), ("after", Layout::OneByOne)] {
        let words = [
            "survey",
            "new",
            PAGE,
            "--what-if",
            "css=600ms",
            "-n",
            "cable",
        ];
        let made = sandbox.run(&[&words[..], &["-o", folder]].concat());
        assert_eq!(made.code, 0, "{}", made.err);
        change(&sandbox, folder, |survey| {
            survey.layout = layout;
            survey.tasks.each_version = layout == Layout::SideBySide;
            survey.tasks.slower_controls = 1;
            survey.tasks.identical_controls = 0;
        });
    }
    let cases = Mutex::new(CASES.iter());
    let next = || cases.lock().unwrap().next();
    let served = ["beside", "after"].map(|folder| (folder, Served::start(&sandbox, folder)));
    let served = BTreeMap::from(served);
    thread::scope(|scope| {
        for number in 0..2 {
            let (sandbox, served, next) = (&sandbox, &served, &next);
            scope.spawn(move || {
                let spawn = |mut command: Command| command.spawn();
                let scratch = sandbox.path(&format!("browser-{number}"));
                let mut options = Options::new(scratch);
                // A click hits what it is meant for, and not what has moved there.
                options
                    .arguments
                    .push("--disable-smooth-scrolling".to_owned());
                let mut browser = Browser::launch(&options, &spawn).expect("Chromium starts");
                while let Some(case) = next() {
                    take_part(&mut browser, sandbox, &served[case.0].address, case);
                }
                browser.close();
            });
        }
    });
    let report = sandbox.run(&["survey", "report", "beside"]);
    assert_eq!(report.code, 0, "{}", report.err);
    let told = "4 began, 4 count, 0 are left out";
    assert!(report.out.contains(told), "{}", report.out);
}

/// Takes part from the consent to the thanks, and compares what is kept with what was chosen.
fn take_part(browser: &mut Browser, sandbox: &Sandbox, address: &str, case: &Case) {
    let &(folder, width, scheme, hand) = case;
    let folder = sandbox.path(folder);
    let survey = Survey::read(&folder).unwrap();
    let place = format!("{width} px, {scheme}, {hand:?}");
    let session = browser.page().expect("a page");
    let mut person = Participant::new(session, hand, address, place);
    person.open((width, if width > 500 { 900 } else { 780 }), scheme);
    person.check();
    // Nobody takes part without consent.
    person.press("form button");
    assert!(person.path().is_empty(), "{}", person.place);
    person.press("input[name=consent]");
    person.go_on();
    let token = person.path().strip_prefix("p/").unwrap().to_owned();
    let store = Store::open(&folder).unwrap();
    let (mut chosen, mut known) = (BTreeMap::new(), BTreeSet::new());
    loop {
        let at = store.progress(&survey, &token).unwrap().unwrap();
        person.check();
        let Some(asks) = at.step.asks() else { break };
        if let Step::Task(_) = at.step {
            person.watch(known.insert(asks));
        }
        for question in survey.asked(asks) {
            let value = match (&question.answer, &at.step) {
                (Answer::Preference, Step::Task(Task::Pair { left, .. })) => {
                    if *left == survey.versions[0].id {
                        "left"
                    } else {
                        "right"
                    }
                    .to_owned()
                }
                (Answer::Moment, _) => {
                    chosen.insert((at.place, question.id.clone()), person.slide(&question.id));
                    continue;
                }
                // Whoever has answered an optional question may think again.
                _ if question.id == "internet" => {
                    person.choose(&question.id, "1");
                    person.choose(&question.id, "");
                    continue;
                }
                _ => (at.place % question.answer.options().len()).to_string(),
            };
            person.choose(&question.id, &value);
            chosen.insert((at.place, question.id.clone()), value);
        }
        person.go_on();
    }
    assert!(person.text().contains("Thank you!"), "{}", person.place);
    let problems = person.problems();
    assert!(problems.is_empty(), "{}: {problems:?}", person.place);
    let number = store.progress(&survey, &token).unwrap().unwrap().person;
    let kept = &store.people().unwrap()[number as usize].answers;
    let kept = kept.iter();
    let kept: BTreeMap<_, _> = kept
        .map(|(key, reply)| (key.clone(), reply.value.clone()))
        .collect();
    assert_eq!(kept, chosen, "{}", person.place);
}
