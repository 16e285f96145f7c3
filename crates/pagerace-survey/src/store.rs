//! The answers, in an SQLite file in the survey's folder.
//!
//! An answer is on disk before the server confirms it, so a kill loses none. A person is a random
//! token, which only the person's browser and this file know.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior, params};

use crate::design::{Control, Shown, Task, assign};
use crate::error::SurveyError;
use crate::survey::{Ask, Rules, Survey};

/// Name of the file in the survey's folder.
pub const ANSWERS: &str = "answers.sqlite";

/// Marks the file as one of this program ("`PgRs`").
const APPLICATION: i32 = 0x5067_5273;
/// Version of the tables.
const TABLES: i32 = 1;
/// The longest wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(5);
/// Key of the rules at the time of the first person.
const RULES: &str = "rules";

const SCHEMA: &str = "
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE person (
        number INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, place INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE task (
        person INTEGER NOT NULL, place INTEGER NOT NULL,
        left TEXT NOT NULL, right TEXT, control TEXT,
        PRIMARY KEY (person, place)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE answer (
        person INTEGER NOT NULL, place INTEGER NOT NULL, question TEXT NOT NULL,
        value TEXT NOT NULL, took_ms INTEGER,
        PRIMARY KEY (person, place, question)
    ) STRICT, WITHOUT ROWID;
";

/// The answers of a survey.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

/// The place of a person in a survey.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Number of the person, from 0.
    pub person: u64,
    /// Number of the next step: 0 for the questions at the start, then the tasks from 1, and one
    /// more for the questions at the end.
    pub place: usize,
    /// The step there.
    pub step: Step,
    /// Number of tasks.
    pub tasks: usize,
}

/// The next step of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Answers the questions at the start.
    Start,
    /// Watches films.
    Task(Task),
    /// Answers the questions at the end.
    End,
    /// Nothing.
    Done,
}

impl Step {
    /// Returns when the questions of this step are asked.
    pub fn asks(&self) -> Option<Ask> {
        match self {
            Self::Start => Some(Ask::Start),
            Self::Task(Task::Version(_)) => Some(Ask::Version),
            Self::Task(Task::Pair { .. }) => Some(Ask::Pair),
            Self::End => Some(Ask::End),
            Self::Done => None,
        }
    }
}

/// All that is known of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Number, from 0.
    pub number: u64,
    /// Tasks in their order; the first has place 1.
    pub tasks: Vec<Task>,
    /// Answers by place and question.
    pub answers: BTreeMap<(usize, String), Reply>,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The index of an option, a moment in milliseconds, or `left`, `right` or `neither`.
    pub value: String,
    /// Time from when the page was sent to the answer, in milliseconds; `None` if unknown.
    pub took_ms: Option<u64>,
}

impl Store {
    /// Opens the answers of a folder, and makes the file if there is none.
    ///
    /// # Errors
    /// [`SurveyError::Store`] and [`SurveyError::OtherStore`].
    pub fn open(folder: &Path) -> Result<Self, SurveyError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Self::with(folder, flags)
    }

    /// Opens the answers of a folder to read them. Returns `None` if there is no file.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn existing(folder: &Path) -> Result<Option<Self>, SurveyError> {
        if !folder.join(ANSWERS).exists() {
            return Ok(None);
        }
        // Reading what a running server has written takes its shared memory, and so the right to
        // write.
        Self::with(folder, OpenFlags::SQLITE_OPEN_READ_WRITE).map(Some)
    }

    fn with(folder: &Path, flags: OpenFlags) -> Result<Self, SurveyError> {
        let path = folder.join(ANSWERS);
        let fail = |source| SurveyError::Store {
            path: path.clone(),
            source,
        };
        let mut connection =
            Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
                .map_err(fail)?;
        connection.busy_timeout(PATIENCE).map_err(fail)?;
        let is_known = prepare(&mut connection).map_err(fail)?;
        if !is_known {
            return Err(SurveyError::OtherStore { path });
        }
        Ok(Self { path, connection })
    }

    fn fail(&self) -> impl Fn(rusqlite::Error) -> SurveyError + use<> {
        let path = self.path.clone();
        move |source| SurveyError::Store {
            path: path.clone(),
            source,
        }
    }

    /// Adds a person with this token. Returns false if the survey has enough people.
    ///
    /// # Errors
    /// [`SurveyError::Store`].
    pub fn begin(&mut self, survey: &Survey, token: &str) -> Result<bool, SurveyError> {
        let fail = self.fail();
        self.try_begin(survey, token).map_err(fail)
    }

    fn try_begin(&mut self, survey: &Survey, token: &str) -> rusqlite::Result<bool> {
        let immediate = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(immediate)?;
        let number: u64 =
            transaction.query_row("SELECT count(*) FROM person", [], |row| row.get(0))?;
        if number >= survey.limits.people as u64 {
            return Ok(false);
        }
        if number == 0 {
            let rules = serde_json::to_string(&survey.rules).expect("rules are JSON");
            transaction.execute(
                "INSERT OR REPLACE INTO meta VALUES (?1, ?2)",
                params![RULES, rules],
            )?;
        }
        let mut shown = Shown::default();
        {
            let mut query = transaction.prepare(
                "SELECT left, right, count(*) FROM task WHERE right IS NOT NULL AND control IS NULL
                 GROUP BY left, right",
            )?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let (left, right): (String, String) = (row.get(0)?, row.get(1)?);
                shown.count(survey, &left, &right, row.get(2)?);
            }
        }
        transaction.execute(
            "INSERT INTO person VALUES (?1, ?2, 0)",
            params![number, token],
        )?;
        for (place, task) in assign(survey, number, &shown).into_iter().enumerate() {
            let (left, right, control) = match task {
                Task::Version(version) => (version, None, None),
                Task::Pair {
                    left,
                    right,
                    control,
                } => (left, Some(right), control.map(Control::name)),
            };
            transaction.execute(
                "INSERT INTO task VALUES (?1, ?2, ?3, ?4, ?5)",
                params![number, place as i64 + 1, left, right, control],
            )?;
        }
        transaction.commit()?;
        Ok(true)
    }

    /// Returns where the person with this token is; `None` if there is none.
    ///
    /// # Errors
    /// [`SurveyError::Store`].
    pub fn progress(&self, survey: &Survey, token: &str) -> Result<Option<Progress>, SurveyError> {
        self.try_progress(survey, token).map_err(self.fail())
    }

    fn try_progress(&self, survey: &Survey, token: &str) -> rusqlite::Result<Option<Progress>> {
        let mut query = self
            .connection
            .prepare("SELECT number, place FROM person WHERE token = ?1")?;
        let found = query
            .query_row([token], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((person, mut place)): Option<(u64, i64)> = found else {
            return Ok(None);
        };
        // Steps without a question are left out.
        if place == 0 && survey.asked(Ask::Start).next().is_none() {
            place = 1;
        }
        let mut query = self
            .connection
            .prepare("SELECT count(*) FROM task WHERE person = ?1")?;
        let tasks: i64 = query.query_row([person], |row| row.get(0))?;
        let step = if place == 0 {
            Step::Start
        } else if place <= tasks {
            let mut query = self.connection.prepare(
                "SELECT left, right, control FROM task WHERE person = ?1 AND place = ?2",
            )?;
            Step::Task(query.query_row(params![person, place], task)?)
        } else if place == tasks + 1 && survey.asked(Ask::End).next().is_some() {
            Step::End
        } else {
            Step::Done
        };
        Ok(Some(Progress {
            person,
            place: place as usize,
            step,
            tasks: tasks as usize,
        }))
    }

    /// Keeps the answers of a person to the questions of a step, and goes on to the next. Does
    /// nothing if the person has answered them already.
    ///
    /// # Errors
    /// [`SurveyError::Store`].
    pub fn answer(
        &mut self,
        at: &Progress,
        answers: &[(String, String)],
        took: Option<Duration>,
    ) -> Result<(), SurveyError> {
        let fail = self.fail();
        self.try_answer(at, answers, took).map_err(fail)
    }

    fn try_answer(
        &mut self,
        at: &Progress,
        answers: &[(String, String)],
        took: Option<Duration>,
    ) -> rusqlite::Result<()> {
        let immediate = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(immediate)?;
        let (person, place) = (at.person, at.place as i64);
        let moved = transaction.execute(
            "UPDATE person SET place = ?2 + 1 WHERE number = ?1 AND place <= ?2",
            params![person, place],
        )?;
        if moved == 0 {
            return Ok(());
        }
        let took = took.map(|took| took.as_millis() as i64);
        for (question, value) in answers {
            transaction.execute(
                "INSERT INTO answer VALUES (?1, ?2, ?3, ?4, ?5)",
                params![person, place, question, value, took],
            )?;
        }
        transaction.commit()
    }

    /// Returns all people, in the order in which they began.
    ///
    /// # Errors
    /// [`SurveyError::Store`].
    pub fn people(&self) -> Result<Vec<Person>, SurveyError> {
        self.try_people().map_err(self.fail())
    }

    fn try_people(&self) -> rusqlite::Result<Vec<Person>> {
        let mut people = Vec::new();
        let mut query = self
            .connection
            .prepare("SELECT number FROM person ORDER BY number")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            people.push(Person {
                number: row.get(0)?,
                tasks: Vec::new(),
                answers: BTreeMap::new(),
            });
        }
        let mut query = self
            .connection
            .prepare("SELECT left, right, control, person FROM task ORDER BY person, place")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let person: usize = row.get(3)?;
            if let Some(person) = people.get_mut(person) {
                person.tasks.push(task(row)?);
            }
        }
        let mut query = self
            .connection
            .prepare("SELECT person, place, question, value, took_ms FROM answer")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let person: usize = row.get(0)?;
            let reply = Reply {
                value: row.get(3)?,
                took_ms: row.get(4)?,
            };
            if let Some(person) = people.get_mut(person) {
                person.answers.insert((row.get(1)?, row.get(2)?), reply);
            }
        }
        Ok(people)
    }

    /// Returns the rules at the time when the first person began; `None` if nobody did.
    ///
    /// # Errors
    /// [`SurveyError::Store`].
    pub fn first_rules(&self) -> Result<Option<Rules>, SurveyError> {
        let text: Option<String> = self
            .connection
            .query_row("SELECT value FROM meta WHERE key = ?1", [RULES], |row| {
                row.get(0)
            })
            .optional()
            .map_err(self.fail())?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }
}

/// Makes the tables of a new file. Returns false if the file is that of something else.
fn prepare(connection: &mut Connection) -> rusqlite::Result<bool> {
    let pragma = |connection: &Connection, name: &str| -> rusqlite::Result<i32> {
        connection.pragma_query_value(None, name, |row| row.get(0))
    };
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // An answer survives a power cut, too.
    connection.pragma_update(None, "synchronous", "FULL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", TABLES)?;
    }
    let own = (APPLICATION, TABLES);
    let found = (
        pragma(&transaction, "application_id")?,
        pragma(&transaction, "user_version")?,
    );
    transaction.commit()?;
    Ok(found == own)
}

/// Reads a task from its columns left, right and control.
fn task(row: &rusqlite::Row<'_>) -> rusqlite::Result<Task> {
    let (left, right, control): (String, Option<String>, Option<String>) =
        (row.get(0)?, row.get(1)?, row.get(2)?);
    Ok(match right {
        None => Task::Version(left),
        Some(right) => Task::Pair {
            left,
            right,
            control: control.as_deref().and_then(Control::named),
        },
    })
}

#[cfg(test)]
mod tests;
