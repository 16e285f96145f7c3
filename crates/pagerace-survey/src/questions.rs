//! The questions that a new survey asks: those of the survey that Srivastava 2024 describes in
//! section 6.1.1, and when a page was ready, as EYEORG asks it (arXiv 1902.02865).

use crate::survey::{Answer, Ask, Question};

/// Name of the question for the preferred film.
pub const PREFER: &str = "prefer";
/// Name of the question for the moment when the page was ready.
pub const READY: &str = "ready";
/// Name of the question whether a version satisfies.
pub const SATISFIED: &str = "satisfied";

/// Degrees of agreement.
const AGREEMENT: [&str; 5] = [
    "Strongly disagree",
    "Disagree",
    "Neither agree nor disagree",
    "Agree",
    "Strongly agree",
];

/// Degrees of importance.
const IMPORTANCE: [&str; 4] = [
    "Not important",
    "Of little importance: it may come later",
    "Somewhat important",
    "Very important: I would wait for it",
];

/// Returns the questions of a new survey.
pub fn questions() -> Vec<Question> {
    let words = |options: &[&str]| options.iter().map(|text| (*text).to_owned()).collect();
    let question = |id: &str, ask, text: &str, answer| Question {
        id: id.to_owned(),
        ask,
        text: text.to_owned(),
        answer,
        optional: ask == Ask::Start,
    };
    let choice = |options: &[&str]| Answer::Choice {
        options: words(options),
    };
    let agreement = || Answer::Scale {
        options: words(&AGREEMENT),
        agrees_from: 3,
    };
    let importance = || Answer::Scale {
        options: words(&IMPORTANCE),
        agrees_from: 2,
    };
    vec![
        question(
            "age",
            Ask::Start,
            "How old are you?",
            choice(&[
                "Under 18",
                "18 to 24",
                "25 to 34",
                "35 to 44",
                "45 to 54",
                "55 to 64",
                "65 or older",
            ]),
        ),
        question(
            "internet",
            Ask::Start,
            "How often do you use the internet?",
            choice(&[
                "Several times a day",
                "About once a day",
                "Several times a week",
                "Less often",
            ]),
        ),
        question(
            READY,
            Ask::Version,
            "When was the page ready for you? Move the slider to the first moment at which you would begin to read or use it.",
            Answer::Moment,
        ),
        question(
            SATISFIED,
            Ask::Version,
            "This way of loading the page is satisfactory.",
            agreement(),
        ),
        question(
            PREFER,
            Ask::Pair,
            "Which of the two do you prefer?",
            Answer::Preference,
        ),
        question(
            "elements",
            Ask::End,
            "Some elements of the page are not needed when it first appears.",
            agreement(),
        ),
        question(
            "fonts",
            Ask::End,
            "How important are the fonts that a page's designer chose?",
            importance(),
        ),
        question(
            "styles",
            Ask::End,
            "How important are additional styles, such as layouts, animations and colours?",
            importance(),
        ),
        question(
            "third-party",
            Ask::End,
            "How important are functions from other companies, such as sharing, comments and videos?",
            importance(),
        ),
    ]
}

/// Returns the paragraphs that people read before they take part in a new survey.
pub fn consent(minutes: u64) -> Vec<String> {
    [
        "We study how people perceive the loading of a web page. You will see short films of a page while it loads, and we ask what you think of them.",
        &format!("This takes about {minutes} minutes. Taking part is voluntary. You may stop at any time by closing the page, and go on later with its address."),
        "We keep your answers and how long each took. We do not keep your name, your address on the network or anything else about you or your device, and there are no cookies. Questions about you are optional. Answers cannot be traced back to you, so they cannot be deleted individually.",
    ]
    .map(str::to_owned)
    .into()
}
