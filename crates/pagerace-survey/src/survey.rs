//! A survey, as its file says: versions of a page, what people compare, what they are asked, and
//! the rules by which answers count. Nothing is asked that is not in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::SurveyError;

/// Name of the survey's file in its folder.
pub const FILE: &str = "survey.json";
/// Name of the folder of the films.
pub const FILMS: &str = "films";
/// Name of what all films show, in that folder.
pub const SCENE: &str = "scene";
/// Name of the script of the player that shows the films.
pub const PLAYER: &str = "player.js";
/// Name of the style sheet of the player.
pub const PLAYER_STYLE: &str = "player.css";
/// Value of [`Survey::format`].
pub const FORMAT: &str = "pagerace-survey";
/// Value of [`Survey::schema`].
pub const SCHEMA: u32 = 1;

/// Largest number of versions.
const VERSIONS_MAX: usize = 40;
/// Largest number of questions.
const QUESTIONS_MAX: usize = 50;
/// Largest number of options of a question.
const OPTIONS_MAX: usize = 20;
/// Largest number of tasks of a person: nobody has the patience for more.
const TASKS_MAX: usize = 200;
/// Largest number of people: their answers take some hundred megabytes.
const PEOPLE_MAX: usize = 100_000;

/// A survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Survey {
    /// [`FORMAT`].
    pub format: String,
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of Pagerace that made the films.
    pub pagerace: String,
    /// Heading of every page.
    pub title: String,
    /// Paragraphs that people read before they take part.
    pub consent: Vec<String>,
    /// The content of the films: page, network and settings, for the report. People do not see it.
    pub shows: String,
    /// Seed of the random orders.
    pub seed: u64,
    /// The way in which the two films of a comparison are shown.
    pub layout: Layout,
    /// The versions that people judge, the original first.
    pub versions: Vec<Version>,
    /// A version that is plainly slower than the original.
    pub slower: Version,
    /// The tasks of each person.
    pub tasks: Tasks,
    /// The questions.
    pub questions: Vec<Question>,
    /// The rules by which people are left out, stated before anybody answers.
    pub rules: Rules,
    /// Bounds of what the server accepts.
    pub limits: Limits,
    /// Results of other surveys, which the report sets beside these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
}

/// The way in which the two films of a comparison are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Beside each other, at the same time.
    SideBySide,
    /// The second after the first.
    OneByOne,
}

/// A version of the page: a film of one load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// Name in files and reports: `1`, `2A`. People do not see it.
    pub id: String,
    /// The difference from the original.
    pub what: String,
    /// Length of the film in milliseconds.
    pub length_ms: f64,
    /// Metrics of the load in milliseconds, by name; those that it never reaches are left out.
    pub metrics: BTreeMap<String, f64>,
}

/// The tasks of each person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tasks {
    /// True if people see each version alone, before the comparisons.
    pub each_version: bool,
    /// Pairs of versions that everybody compares.
    pub always: Vec<[String; 2]>,
    /// Pairs of versions of which each person compares some: those that were shown least.
    pub sometimes: Vec<[String; 2]>,
    /// Number of those for each person.
    pub sometimes_per_person: usize,
    /// Comparisons of the original with the plainly slower version.
    pub slower_controls: usize,
    /// Comparisons of a version with itself.
    pub identical_controls: usize,
}

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Name in files and reports.
    pub id: String,
    /// The time when it is asked.
    pub ask: Ask,
    /// Text of the question.
    pub text: String,
    /// The answers that people may give.
    pub answer: Answer,
    /// True if people may leave it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// The time when a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Before the first film.
    Start,
    /// After the film of each version.
    Version,
    /// After each comparison.
    Pair,
    /// After the last film.
    End,
}

/// The answers that people may give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Answer {
    /// One of several options without an order.
    Choice {
        /// The options.
        options: Vec<String>,
    },
    /// One of several degrees.
    Scale {
        /// The degrees, from the lowest to the highest.
        options: Vec<String>,
        /// Index of the lowest degree that counts as agreement.
        agrees_from: usize,
    },
    /// A moment of the film, chosen with a slider.
    Moment,
    /// One of two films, or neither.
    Preference,
}

impl Answer {
    /// Returns the options in words.
    pub fn options(&self) -> &[String] {
        match self {
            Self::Choice { options } | Self::Scale { options, .. } => options,
            Self::Moment | Self::Preference => &[],
        }
    }
}

/// The rules by which people are left out of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The number of times that a person may fail to prefer the original to the plainly slower version.
    pub slower_missed_max: usize,
    /// The number of times that a person may prefer one of two identical films.
    pub identical_preferred_max: usize,
    /// Largest share of a person's films that were ready, as the person says, before anything was
    /// painted.
    pub ready_before_paint_share_max: f64,
    /// Largest share of a person's comparisons that were answered sooner than either film paints
    /// anything.
    pub hasty_share_max: f64,
    /// Smallest share of the tasks that a person has to answer.
    pub answered_share_min: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            slower_missed_max: 0,
            identical_preferred_max: 1,
            ready_before_paint_share_max: 0.5,
            hasty_share_max: 0.25,
            answered_share_min: 1.0,
        }
    }
}

impl Rules {
    /// Returns the rules in words: whom they leave out.
    pub fn in_words(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        let times = |n: usize| match n {
            0 => "even once".to_owned(),
            1 => "more than once".to_owned(),
            n => format!("more than {n} times"),
        };
        vec![
            format!(
                "who fail {} to prefer the original to the plainly slower version",
                times(self.slower_missed_max)
            ),
            format!(
                "who prefer one of two identical films {}",
                times(self.identical_preferred_max)
            ),
            format!(
                "who call more than {} of their films ready before anything is painted",
                percent(self.ready_before_paint_share_max)
            ),
            format!(
                "who answer more than {} of their comparisons before either film paints anything",
                percent(self.hasty_share_max)
            ),
            format!(
                "who answer less than {} of their tasks",
                percent(self.answered_share_min)
            ),
        ]
    }
}

/// Bounds of what the server accepts. Sizes of requests are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Number of people who may take part.
    pub people: usize,
    /// Number of people who may begin from one address in an hour.
    pub people_per_address_and_hour: u32,
    /// Number of requests from one address in a minute.
    pub requests_per_address_and_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            people: 500,
            people_per_address_and_hour: 60,
            requests_per_address_and_minute: 1_200,
        }
    }
}

/// A result of another survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The publication.
    pub source: String,
    /// The question that was asked there.
    pub asked: String,
    /// Question of this survey that asks the same.
    pub question: String,
    /// Versions of this survey that were judged there; empty for questions that concern none. For
    /// preferences, these are pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<Vec<String>>,
    /// The shares of people.
    pub shares: Vec<PublishedShare>,
    /// Number of people, if it is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<usize>,
}

/// A share of people in another survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedShare {
    /// The answers of these people.
    pub said: String,
    /// Options of the question that mean the same, counted from 0. Of preferences, 0 is the
    /// first version of the pair, 1 the second, and 2 neither.
    pub options: Vec<usize>,
    /// Their share in whole percent.
    pub percent: u32,
}

impl Survey {
    /// Reads the survey of a folder.
    ///
    /// # Errors
    /// [`SurveyError::Read`] or [`SurveyError::Invalid`] with the file, the field and what is
    /// expected instead.
    pub fn read(folder: &Path) -> Result<Self, SurveyError> {
        let path = folder.join(FILE);
        let bytes = fs::read(&path).map_err(|source| SurveyError::Read {
            path: path.clone(),
            source,
        })?;
        let invalid = |reason: String| SurveyError::Invalid {
            path: path.clone(),
            reason,
        };
        let survey: Self = serde_json::from_slice(&bytes).map_err(|error| {
            invalid(format!("{error}; `pagerace survey new` writes such a file"))
        })?;
        survey.check().map_err(invalid)?;
        Ok(survey)
    }

    /// Returns the versions that have a film: all that people judge, and the slower one.
    pub fn all_versions(&self) -> impl Iterator<Item = &Version> {
        self.versions.iter().chain([&self.slower])
    }

    /// Returns the version with this name.
    pub fn version(&self, id: &str) -> Option<&Version> {
        self.all_versions().find(|version| version.id == id)
    }

    /// Returns the place of a version among those that people judge.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.versions.iter().position(|version| version.id == id)
    }

    /// Returns the question with this name.
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// Returns the questions that are asked then.
    pub fn asked(&self, when: Ask) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(move |one| one.ask == when)
    }

    /// Returns the number of tasks of each person.
    pub fn tasks_per_person(&self) -> usize {
        let alone = if self.tasks.each_version {
            self.versions.len()
        } else {
            0
        };
        alone + self.pairs_per_person()
    }

    /// Returns the number of comparisons of each person.
    pub fn pairs_per_person(&self) -> usize {
        let Tasks {
            always,
            sometimes_per_person,
            slower_controls,
            identical_controls,
            ..
        } = &self.tasks;
        always.len() + sometimes_per_person + slower_controls + identical_controls
    }

    /// Returns what is wrong: the field, what was found, and what is expected instead.
    ///
    /// # Errors
    /// That text.
    pub fn check(&self) -> Result<(), String> {
        if (self.format.as_str(), self.schema) != (FORMAT, SCHEMA) {
            return Err(format!(
                "format: this is {} {}, and this version of Pagerace reads {FORMAT} {SCHEMA}",
                self.format, self.schema
            ));
        }
        self.check_versions()?;
        self.check_tasks()?;
        self.check_questions()?;
        let Rules {
            ready_before_paint_share_max,
            hasty_share_max,
            answered_share_min,
            ..
        } = self.rules;
        for (name, share) in [
            ("ready_before_paint_share_max", ready_before_paint_share_max),
            ("hasty_share_max", hasty_share_max),
            ("answered_share_min", answered_share_min),
        ] {
            if !(0.0..=1.0).contains(&share) {
                return Err(format!("rules: {name}: {share} is no share from 0 to 1"));
            }
        }
        if self.limits.people == 0 || self.limits.people > PEOPLE_MAX {
            let found = self.limits.people;
            return Err(format!(
                "limits: people: {found} is not from 1 to {PEOPLE_MAX}"
            ));
        }
        self.check_published()
    }

    fn check_versions(&self) -> Result<(), String> {
        let count = self.versions.len();
        if !(2..=VERSIONS_MAX).contains(&count) {
            return Err(format!(
                "versions: there are {count}; a survey compares 2 to {VERSIONS_MAX}"
            ));
        }
        let scene = SCENE.to_owned();
        let mut seen = BTreeSet::from([&scene]);
        for Version { id, length_ms, .. } in self.all_versions() {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
            if id.is_empty() || id.len() > 40 || !id.chars().all(plain) {
                return Err(format!(
                    "versions: id: {id:?} is no name of letters, digits, - and _"
                ));
            }
            if !seen.insert(id) {
                return Err(format!(
                    "versions: id: {id} is given twice, or kept for the scene"
                ));
            }
            if !(*length_ms > 0.0 && *length_ms <= 3_600_000.0) {
                return Err(format!(
                    "versions: {id}: length_ms: {length_ms} is not from 0 to one hour"
                ));
            }
        }
        Ok(())
    }

    fn check_tasks(&self) -> Result<(), String> {
        let mut seen = BTreeSet::new();
        for pair in self.tasks.always.iter().chain(&self.tasks.sometimes) {
            let places = pair.each_ref().map(|id| self.place(id));
            let [Some(a), Some(b)] = places else {
                return Err(format!("tasks: {pair:?}: there is no such version"));
            };
            if a == b || !seen.insert((a.min(b), a.max(b))) {
                return Err(format!(
                    "tasks: {pair:?}: a pair has two versions, and is given once"
                ));
            }
        }
        let (some, of) = (self.tasks.sometimes_per_person, self.tasks.sometimes.len());
        if some > of {
            return Err(format!(
                "tasks: sometimes_per_person: {some} of {of} pairs cannot be shown"
            ));
        }
        let all = self.tasks_per_person();
        if all == 0 || all > TASKS_MAX {
            return Err(format!(
                "tasks: {all} for each person are not from 1 to {TASKS_MAX}"
            ));
        }
        Ok(())
    }

    fn check_questions(&self) -> Result<(), String> {
        if self.questions.len() > QUESTIONS_MAX {
            let found = self.questions.len();
            return Err(format!("questions: {found} are more than {QUESTIONS_MAX}"));
        }
        let mut seen = BTreeSet::new();
        for Question {
            id, ask, answer, ..
        } in &self.questions
        {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if id.is_empty() || !id.chars().all(plain) || id == "place" {
                return Err(format!(
                    "questions: id: {id:?} is no name of small letters, digits and -"
                ));
            }
            if !seen.insert(id) {
                return Err(format!("questions: id: {id} is given twice"));
            }
            let fits = match answer {
                Answer::Moment => *ask == Ask::Version,
                Answer::Preference => *ask == Ask::Pair,
                Answer::Choice { options } => (2..=OPTIONS_MAX).contains(&options.len()),
                Answer::Scale {
                    options,
                    agrees_from,
                } => {
                    (2..=OPTIONS_MAX).contains(&options.len())
                        && (1..options.len()).contains(agrees_from)
                }
            };
            if !fits {
                return Err(format!(
                    "questions: {id}: a moment is asked of a version, a preference of a pair; \
                     others have 2 to {OPTIONS_MAX} options, and agrees_from is the index of one \
                     but the first"
                ));
            }
        }
        let preferences = self.questions.iter();
        let preferences = preferences.filter(|one| one.answer == Answer::Preference);
        let pairs = self.tasks_per_person()
            > if self.tasks.each_version {
                self.versions.len()
            } else {
                0
            };
        if pairs && preferences.count() != 1 {
            return Err("questions: pairs need one question with the answer preference".to_owned());
        }
        Ok(())
    }

    fn check_published(&self) -> Result<(), String> {
        for one in &self.published {
            let Some(question) = self.question(&one.question) else {
                return Err(format!("published: there is no question {}", one.question));
            };
            let options = match &question.answer {
                Answer::Preference => 3,
                other => other.options().len(),
            };
            let mut named = one.shares.iter().flat_map(|share| &share.options);
            if let Some(option) = named.find(|option| **option >= options) {
                return Err(format!(
                    "published: {}: there is no option {option}",
                    one.question
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
