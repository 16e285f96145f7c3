//! The pages of a survey. They work with a keyboard, with a screen reader and on a phone.

use std::fmt::Write as _;

use super::http::Response;
use crate::design::Task;
use crate::store::{Progress, Step};
use crate::survey::{Answer, Layout, Question, Survey};

/// Values of preferences, in the order in which they are shown.
pub(super) const PREFERENCES: [&str; 3] = ["left", "right", "neither"];

/// Returns text as HTML.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
    html
}

/// Returns a whole page. `place` tells it from others in the titles of windows; `scripts` are those of
/// a page with films.
fn document(survey: &Survey, status: u16, place: &str, scripts: bool, main: &str) -> Response {
    let title = escaped(&survey.title);
    let dash = if place.is_empty() { "" } else { " – " };
    let scripts = if scripts {
        "<script src=\"/player.js\" defer></script><script src=\"/survey.js\" defer></script>"
    } else {
        ""
    };
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{place}{dash}{title}</title><link rel=\"icon\" href=\"data:,\">\
         <link rel=\"stylesheet\" href=\"/survey.css\">{scripts}</head>\
         <body class=\"survey\"><main><h1>{title}</h1>{main}</main></body></html>\n"
    );
    Response::page(status, html)
}

/// Returns the first page: what people consent to.
pub(super) fn consent(survey: &Survey, problem: Option<&str>) -> Response {
    let mut paragraphs = String::new();
    for text in &survey.consent {
        let _ = write!(paragraphs, "<p>{}</p>", escaped(text));
    }
    let problem = problem.map(alert).unwrap_or_default();
    let main = format!(
        "{paragraphs}{problem}<form method=\"post\" action=\"/start\">\
         <p><label class=\"option\"><input type=\"checkbox\" name=\"consent\" value=\"yes\" required> \
         I have read this, and I take part.</label></p><button>Begin</button></form>"
    );
    document(
        survey,
        if problem.is_empty() { 200 } else { 400 },
        "",
        false,
        &main,
    )
}

/// Returns a page that says why a request is refused.
pub(super) fn refused(survey: &Survey, status: u16) -> Response {
    let text = match status {
        404 => "There is no such page. If your address is not right, begin at the first page.",
        405 => "This server shows pages and takes forms only.",
        429 => "There were too many requests from your network. Please try again in a while.",
        503 => "Your answer cannot be kept at the moment. Please go back and try again.",
        _ => "This request is not one that a browser sends.",
    };
    let main = format!("{}<p><a href=\"/\">First page</a></p>", alert(text));
    document(survey, status, "", false, &main)
}

/// Returns a page for people who come too late.
pub(super) fn full(survey: &Survey) -> Response {
    let text = "The survey has enough participants. Thank you for your interest.";
    document(survey, 503, "", false, &alert(text))
}

fn alert(text: &str) -> String {
    format!("<p role=\"alert\" class=\"problem\">{}</p>", escaped(text))
}

/// Returns the page of a person's step, with what was wrong with the answers sent before.
pub(super) fn step(survey: &Survey, token: &str, at: &Progress, problem: Option<&str>) -> Response {
    let films = match &at.step {
        Step::Done => {
            let text = "<h2>Thank you!</h2><p>These were all questions. Your answers are kept, \
                        and you can close this page.</p>";
            return document(survey, 200, "Thank you", false, text);
        }
        Step::Start => "<h2>About you</h2>".to_owned(),
        Step::End => "<h2>In general</h2>".to_owned(),
        Step::Task(task) => films(survey, task),
    };
    let mut questions = String::new();
    if let Some(asks) = at.step.asks() {
        for one in survey.asked(asks) {
            questions.push_str(&question(survey, one, &at.step));
        }
    }
    let has_films = matches!(at.step, Step::Task(_));
    // The script lets people answer once they have seen the films.
    if has_films {
        questions = format!(
            "<p id=\"status\" role=\"status\">You can answer once you have watched to the end.</p>\
             <fieldset id=\"questions\" disabled>{questions}</fieldset>"
        );
    }
    let steps = at.tasks + 2;
    let (place, problem_text) = (at.place, problem.map(alert).unwrap_or_default());
    let step = format!("Step {} of {steps}", place + 1);
    let main = format!(
        "<p class=\"steps\"><label>{step} <progress max=\"{steps}\" value=\"{place}\">\
         </progress></label></p>{problem_text}\
         <form method=\"post\" action=\"/p/{token}\" autocomplete=\"off\">\
         <input type=\"hidden\" name=\"place\" value=\"{place}\">{films}\
         {questions}<button>Continue</button></form>"
    );
    document(
        survey,
        if problem.is_some() { 400 } else { 200 },
        &step,
        has_films,
        &main,
    )
}

/// Returns the films of a task, which the script shows.
fn films(survey: &Survey, task: &Task) -> String {
    let (heading, names): (&str, Vec<(&str, &str)>) = match task {
        Task::Version(id) => ("Watch how the page loads", vec![("The page", id)]),
        Task::Pair { left, right, .. } => {
            let [one, other] = sides(survey);
            (
                "Watch two ways in which the page loads",
                vec![(one, left), (other, right)],
            )
        }
    };
    let lengths = names.iter().filter_map(|(_, id)| survey.version(id));
    let length = lengths.map(|version| version.length_ms).fold(0.0, f64::max);
    let one_by_one = survey.layout == Layout::OneByOne && names.len() > 1;
    let mut list = String::new();
    for (name, id) in names {
        let _ = write!(list, "<li data-film=\"{}\">{name}</li>", escaped(id));
    }
    format!(
        "<h2>{heading}</h2><p>Press Play and watch to the end. Then answer below. You can play as \
         often as you like.</p>\
         <noscript>{}</noscript><ul id=\"films\" data-length=\"{length}\" \
         data-one-by-one=\"{one_by_one}\">{list}</ul>",
        alert("The films need JavaScript. Please allow it for this page.")
    )
}

/// Returns the names of the two films of a pair.
fn sides(survey: &Survey) -> [&'static str; 2] {
    match survey.layout {
        Layout::SideBySide => ["Left", "Right"],
        Layout::OneByOne => ["First", "Second"],
    }
}

fn question(survey: &Survey, question: &Question, step: &Step) -> String {
    let (id, text) = (&question.id, escaped(&question.text));
    let note = if question.optional {
        " <small>(optional)</small>"
    } else {
        ""
    };
    let mut options: Vec<(String, String)> = match &question.answer {
        Answer::Moment => return moment(survey, question, step),
        Answer::Preference => {
            let [one, other] = sides(survey).map(str::to_lowercase);
            let texts = [
                format!("The {one} one"),
                format!("The {other} one"),
                "No preference".to_owned(),
            ];
            let values = PREFERENCES.map(str::to_owned);
            values.into_iter().zip(texts).collect()
        }
        Answer::Choice { options } | Answer::Scale { options, .. } => {
            let options = options.iter().enumerate();
            options
                .map(|(i, text)| (i.to_string(), text.clone()))
                .collect()
        }
    };
    if question.optional {
        // A choice by mistake can be taken back.
        options.push((String::new(), "I would rather not say".to_owned()));
    }
    let required = if question.optional { "" } else { " required" };
    let mut list = String::new();
    for (value, text) in options {
        let _ = write!(
            list,
            "<label class=\"option\"><input type=\"radio\" name=\"{id}\" value=\"{value}\"{required}> \
             {}</label>",
            escaped(&text)
        );
    }
    format!("<fieldset><legend>{text}{note}</legend>{list}</fieldset>")
}

/// Returns a slider on the film. It sends nothing until it is moved.
fn moment(survey: &Survey, question: &Question, step: &Step) -> String {
    let (id, text) = (&question.id, escaped(&question.text));
    let version = match step {
        Step::Task(Task::Version(version)) => survey.version(version),
        _ => None,
    };
    let length = version.map_or(0.0, |version| version.length_ms);
    format!(
        "<fieldset><legend><label for=\"{id}-slider\">{text}</label></legend>\
         <input type=\"hidden\" name=\"{id}\"><div class=\"moment\">\
         <input type=\"range\" id=\"{id}-slider\" data-moment=\"{id}\" min=\"0\" max=\"{length:.0}\" \
         step=\"20\" value=\"0\" aria-valuetext=\"not chosen yet\"><output for=\"{id}-slider\">not chosen yet</output></div></fieldset>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    #[test]
    fn texts_of_the_survey_are_no_markup() {
        let mut survey = fake::survey(2);
        survey.title = "<b>\"A\" & 'B'</b>".to_owned();
        survey.consent = vec!["<script>alert(1)</script>".to_owned()];
        let html = String::from_utf8(consent(&survey, None).body).unwrap();
        assert!(
            !html.contains("<b>") && !html.contains("<script>"),
            "{html}"
        );
        assert!(
            html.contains("&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;"),
            "{html}"
        );
    }
}
